/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The service runs as a dynamic user, who can read neither the configuration nor the key for TLS. Root
 * copies them for that user, at each start and each reload.
 */
#ifndef WEIRD_STAGE_H
#define WEIRD_STAGE_H

#include <stdbool.h>

#include "base/refusal.h"

/**
 * stage() - copy a configuration to where the service reads it
 * @path: the configuration
 * @directory: gets weird.json, and the files for TLS that the configuration names, as certificate.pem,
 *	key.pem and authority.pem; is made if it does not exist
 * @state: path of the directory whose owner alone may read the copies
 *
 * Nothing is written if the configuration or one of its files is wrong. Returns false, and fills
 * @refusal, then or if a copy cannot be written.
 */
bool stage(const char *path, const char *directory, const char *state, struct refusal *refusal);

#endif
