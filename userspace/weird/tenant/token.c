// SPDX-License-Identifier: GPL-2.0
#include "tenant/token.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool token_hash(uint8_t hash[static TOKEN_HASH], const char *token, size_t length)
{
	return !gnutls_hash_fast(GNUTLS_DIG_SHA256, token, length, hash);
}

bool token_hash_read(struct token *token, const char *digits)
{
	const gnutls_datum_t text = { (void *)digits, strlen(digits) };
	size_t size = TOKEN_HASH;

	return text.size == TOKEN_TEXT - 1 && !gnutls_hex_decode(&text, token->hash, &size) &&
	       size == TOKEN_HASH;
}

bool token_expires_read(struct token *token, const char *text)
{
	struct tm utc = {};
	char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);

	if (!end || *end)
		return false;
	token->expires = timegm(&utc);
	return token->expires > 0;
}

bool token_is(const struct token *token, const uint8_t hash[static TOKEN_HASH])
{
	return !gnutls_memcmp(token->hash, hash, TOKEN_HASH);
}

static void print_hex(const char *name, const uint8_t *bytes, char text[static TOKEN_TEXT])
{
	int i;

	for (i = 0; i < TOKEN_HASH; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	printf("%-7s %s\n", name, text);
}

int token_print(void)
{
	uint8_t bytes[TOKEN_HASH], hash[TOKEN_HASH];
	char text[TOKEN_TEXT];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return 1;
	print_hex("token", bytes, text);
	if (!token_hash(hash, text, TOKEN_TEXT - 1))
		return 1;
	print_hex("sha256", hash, text);
	return 0;
}
