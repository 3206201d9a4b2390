/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tokens: 256 random bits in hexadecimal digits. The daemon has only their SHA-256, which is
 * enough of a hash for what no one can guess.
 */
#ifndef WEIRD_TOKEN_H
#define WEIRD_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define TOKEN_HASH 32
#define TOKEN_TEXT (TOKEN_HASH * 2 + 1)

/* @expires: 0 is never */
struct token {
	uint8_t hash[TOKEN_HASH];
	time_t expires;
};

bool token_hash(uint8_t hash[static TOKEN_HASH], const char *token, size_t length);
bool token_hash_read(struct token *token, const char *digits);

/* "2027-01-31T00:00:00Z" */
bool token_expires_read(struct token *token, const char *text);

/* Takes as long whether they are the same or not. */
bool token_is(const struct token *token, const uint8_t hash[static TOKEN_HASH]);

/* Prints a new one, and its hash for the configuration. Returns an exit status. */
int token_print(void);

#endif
