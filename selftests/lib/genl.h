/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of the families of weir's modules, for tests and benchmarks: in the network namespace
 * that the program is in at the first one. A failure ends the program.
 */
#ifndef GENL_H
#define GENL_H

#include <libmnl/libmnl.h>
#include <stdint.h>

#define GENL_REQUEST_MAX	8192

/**
 * genl_begin() - begin a request
 * @buf: GENL_REQUEST_MAX bytes
 * @cmd: the command, which tells the family
 */
struct nlmsghdr *genl_begin(char *buf, uint8_t cmd);

/**
 * genl_ask() - send a request, and read on to the acknowledgment
 * @request: the request
 * @take: called for each reply, or NULL
 * @data: its second argument
 * @what: purpose of the request, for the message about a refusal
 */
void genl_ask(struct nlmsghdr *request, mnl_cb_t take, void *data, const char *what);

/**
 * genl_try() - the same, where a refusal is no failure
 * @sentence: what the kernel says of it, or ""; of @room bytes
 *
 * Return: 0, or errno of the refusal.
 */
int genl_try(struct nlmsghdr *request, mnl_cb_t take, void *data, char *sentence, size_t room);

/* Another family than weir's, by name, for all commands; before anything else of here. */
void genl_use(const char *name);

/* The number of a command's family, and that of one of its groups, for sockets of one's own. */
uint16_t genl_family(uint8_t cmd);
uint32_t genl_group(uint8_t cmd, const char *name);

/* An attribute of type uint, 4 or 8 bytes. */
uint64_t genl_uint(const struct nlattr *attr);

#endif
