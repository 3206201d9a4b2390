// SPDX-License-Identifier: GPL-2.0
#include "tls/tls.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"

#define CHAIN_MAX	16

/**
 * struct tls - see tls_read()
 * @held: GnuTLS' own object for a certificate, its key, and authorities
 * @asks_clients: it has authorities
 */
struct tls {
	gnutls_certificate_credentials_t held;
	bool asks_clients;
};

static const struct tls *used;

static bool read_pem(gnutls_datum_t *pem, const char *path, struct refusal *refusal)
{
	size_t size;

	pem->data = (unsigned char *)file_read(path, TLS_PEM_MAX, &size);
	if (!pem->data)
		return refuse(refusal, 500, "%s: %s", path, strerror(errno));
	pem->size = size;
	return true;
}

static bool read_pair(struct tls *tls, const char *certificate, const char *key,
		      struct refusal *refusal)
{
	gnutls_datum_t pems[2] = {};
	int err = 0;

	if (read_pem(&pems[0], certificate, refusal) && read_pem(&pems[1], key, refusal)) {
		err = gnutls_certificate_set_x509_key_mem(tls->held, &pems[0], &pems[1],
							  GNUTLS_X509_FMT_PEM);
		if (err < 0)
			refuse(refusal, 500, "%s and %s: %s", certificate, key,
			       gnutls_strerror(err));
		gnutls_memset(pems[1].data, 0, pems[1].size);
	}
	free(pems[0].data);
	free(pems[1].data);
	return !refusal->status;
}

static bool read_authority(struct tls *tls, const char *authority, struct refusal *refusal)
{
	gnutls_datum_t pem = {};
	int count;

	if (!read_pem(&pem, authority, refusal))
		return false;
	count = gnutls_certificate_set_x509_trust_mem(tls->held, &pem, GNUTLS_X509_FMT_PEM);
	free(pem.data);
	tls->asks_clients = count > 0;
	return count > 0 || refuse(refusal, 500, "%s: %s", authority,
				   count ? gnutls_strerror(count) : "it has no certificate");
}

struct tls *tls_read(const char *certificate, const char *key, const char *authority,
		     struct refusal *refusal)
{
	struct tls *tls = zalloc(sizeof(*tls));

	if (gnutls_certificate_allocate_credentials(&tls->held))
		log_die("no memory");
	if (read_pair(tls, certificate, key, refusal) &&
	    (!authority || read_authority(tls, authority, refusal)))
		return tls;
	tls_free(tls);
	return NULL;
}

void tls_free(struct tls *tls)
{
	if (!tls)
		return;
	gnutls_certificate_free_credentials(tls->held);
	free(tls);
}

bool tls_asks_clients(const struct tls *tls)
{
	return tls && tls->asks_clients;
}

void tls_use(const struct tls *tls)
{
	used = tls;
}

static int copy_chain(gnutls_pcert_st **chain, unsigned int *length)
{
	gnutls_x509_crt_t *certificates;
	unsigned int i, count;
	int err;

	err = gnutls_certificate_get_x509_crt(used->held, 0, &certificates, &count);
	if (err)
		return err;
	*chain = gnutls_calloc(count, sizeof(**chain));
	*length = count;
	err = *chain ? gnutls_pcert_import_x509_list(*chain, certificates, length, 0) :
		       GNUTLS_E_MEMORY_ERROR;
	for (i = 0; i < count; i++)
		gnutls_x509_crt_deinit(certificates[i]);
	gnutls_free(certificates);
	if (err) {
		gnutls_free(*chain);
		*chain = NULL;
	}
	return err;
}

static int copy_key(gnutls_privkey_t *key)
{
	gnutls_x509_privkey_t held;
	int err;

	err = gnutls_certificate_get_x509_key(used->held, 0, &held);
	if (err)
		return err;
	err = gnutls_privkey_init(key);
	if (!err) {
		err = gnutls_privkey_import_x509(*key, held, GNUTLS_PRIVKEY_IMPORT_COPY);
		if (err)
			gnutls_privkey_deinit(*key);
	}
	gnutls_x509_privkey_deinit(held);
	return err;
}

int tls_give(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
	     gnutls_pcert_st **chain, unsigned int *length, gnutls_ocsp_data_st **ocsp,
	     unsigned int *ocsp_length, gnutls_privkey_t *key, unsigned int *flags)
{
	unsigned int i;

	(void)info;
	if (copy_chain(chain, length))
		return -1;
	if (copy_key(key)) {
		for (i = 0; i < *length; i++)
			gnutls_pcert_deinit(&(*chain)[i]);
		gnutls_free(*chain);
		return -1;
	}
	*ocsp = NULL;
	*ocsp_length = 0;
	/* A reload must not take them from a handshake that has begun: GnuTLS frees them. */
	*flags = GNUTLS_CERT_RETR_DEINIT_ALL;
	/* The names of authorities would be those of the daemon's start. */
	gnutls_certificate_send_x509_rdn_sequence(session, 1);
	return 0;
}

/* Returns true if the chain ends in an authority, and its first certificate is not for servers alone. */
static bool is_signed(const gnutls_datum_t *chain, unsigned int count)
{
	gnutls_typed_vdata_st purpose = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	gnutls_x509_crt_t certificates[CHAIN_MAX];
	gnutls_x509_trust_list_t trusted;
	unsigned int i, status = 1;
	bool good = true;

	for (i = 0; i < count && good; i++) {
		if (gnutls_x509_crt_init(&certificates[i]))
			break;
		good = !gnutls_x509_crt_import(certificates[i], &chain[i], GNUTLS_X509_FMT_DER);
	}
	gnutls_certificate_get_trust_list(used->held, &trusted);
	good = good && i == count &&
	       !gnutls_x509_trust_list_verify_crt2(trusted, certificates, count, &purpose, 1, 0,
						   &status, NULL) && !status;
	while (i)
		gnutls_x509_crt_deinit(certificates[--i]);
	return good;
}

const gnutls_datum_t *tls_client(gnutls_session_t session)
{
	const gnutls_datum_t *chain;
	unsigned int count = 0;

	if (!tls_asks_clients(used))
		return NULL;
	chain = gnutls_certificate_get_peers(session, &count);
	return chain && count && count <= CHAIN_MAX && is_signed(chain, count) ? chain : NULL;
}
