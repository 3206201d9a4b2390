/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credentials for TLS: the daemon's certificate and key, and the authorities of its clients. They are
 * held in memory, so that a reload replaces them together with the rest of the configuration.
 */
#ifndef WEIRD_TLS_H
#define WEIRD_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "base/refusal.h"

/* The most bytes of a file. */
#define TLS_PEM_MAX	(1 << 18)

struct tls;

/**
 * tls_read() - read files in PEM
 * @certificate: the daemon's certificate, followed by those of intermediate authorities
 * @key: its private key
 * @authority: certificates of those who sign the clients'; NULL if clients show none
 *
 * Returns NULL, and fills @refusal, if a file cannot be read or the key is of another certificate.
 */
struct tls *tls_read(const char *certificate, const char *key, const char *authority,
		     struct refusal *refusal);
void tls_free(struct tls *tls);

/* Returns true if clients may show certificates. */
bool tls_asks_clients(const struct tls *tls);

/* Use @tls, which may be NULL, for handshakes and clients' certificates from now on. */
void tls_use(const struct tls *tls);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK2: give a handshake copies of the certificate and the key. */
int tls_give(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
	     gnutls_pcert_st **chain, unsigned int *length, gnutls_ocsp_data_st **ocsp,
	     unsigned int *ocsp_length, gnutls_privkey_t *key, unsigned int *flags);

/**
 * tls_client() - find the certificate of a client
 *
 * Returns the certificate in DER if an authority of the configuration has signed it and it is not
 * for servers alone, else NULL. It is the session's.
 */
const gnutls_datum_t *tls_client(gnutls_session_t session);

#endif
