// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "lib/genl.h"
#include "report.h"
#include "talk.h"

/* More than a dump fills at once. */
#define READ_MAX	65536

#define SENTENCE_MAX	256

/* A command of each family. */
static const uint8_t first[] = { WEIR_CMD_JOB_ADD, WEIR_CMD_TRIM_SET, WEIR_XDP_CMD_CHAIN_ADD };

#define FAMILIES	(sizeof(first) / sizeof(first[0]))

static uint32_t group[FAMILIES];

void talk_init(void)
{
	size_t i;

	for (i = 0; i < FAMILIES; i++)
		group[i] = genl_group(first[i], "events");
}

int talk_open(void)
{
	static const int options[] = {
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int yes = 1, room = 1 << 20;
	unsigned int i;

	if (fd < 0)
		err(1, "netlink socket");
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		setsockopt(fd, SOL_NETLINK, options[i], &yes, sizeof(yes));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}

void talk_join(int fd)
{
	size_t i;

	for (i = 0; i < FAMILIES; i++) {
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group[i],
			       sizeof(group[i])))
			err(1, "events");
	}
}

void talk_send(int fd, const struct message *m)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	report_about(m->data, m->len);
	run->sent++;
	sendto(fd, m->data, m->len, 0, (void *)&kernel, sizeof(kernel));
}

/* A sentence is one line for people. */
static void check_sentence(const char *text, size_t len)
{
	size_t i;

	if (!len || text[len - 1])
		fault("a sentence does not end");
	if (len > SENTENCE_MAX)
		fault("a sentence is too long");
	for (i = 0; i + 1 < len; i++)
		if (!isprint((unsigned char)text[i]))
			fault("a sentence has the byte %#x in it", (unsigned char)text[i]);
}

static void take_explanation(const struct nlattr *nla, const struct message *m,
			     struct answer *answer)
{
	size_t len = nla->nla_len - sizeof(*nla);
	uint32_t off = 0;

	switch (nla->nla_type & NLA_TYPE_MASK) {
	case NLMSGERR_ATTR_MSG:
		check_sentence((const char *)(nla + 1), len);
		answer->sentence = true;
		break;
	case NLMSGERR_ATTR_OFFS:
		memcpy(&off, nla + 1, sizeof(off));
		if (m && !m->odd && (off < MESSAGE_HEAD || off >= m->len))
			fault("a refusal points outside of the request, at %u", off);
		answer->place = true;
		break;
	case NLMSGERR_ATTR_MISS_TYPE:
	case NLMSGERR_ATTR_MISS_NEST:
		answer->place = true;
		break;
	}
}

static void take_explanations(const uint8_t *at, const uint8_t *end, const struct message *m,
			      struct answer *answer)
{
	const struct nlattr *nla = (const void *)at;

	while (at + sizeof(*nla) <= end && nla->nla_len >= sizeof(*nla) &&
	       at + nla->nla_len <= end) {
		take_explanation(nla, m, answer);
		at += NLA_ALIGN(nla->nla_len);
		nla = (const void *)at;
	}
}

static void take_error(const struct nlmsghdr *nlh, const struct message *m,
		       struct answer *answer)
{
	const struct nlmsgerr *said = NLMSG_DATA(nlh);
	const uint8_t *behind = (const uint8_t *)(said + 1);

	answer->came = true;
	answer->err = -said->error;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		behind += NLMSG_ALIGN(said->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		take_explanations(behind, (const uint8_t *)nlh + nlh->nlmsg_len, m, answer);
}

static void take_done(const struct nlmsghdr *nlh, const struct message *m,
		      struct answer *answer)
{
	int status = 0;

	answer->came = true;
	if (nlh->nlmsg_len >= NLMSG_HDRLEN + sizeof(status))
		memcpy(&status, NLMSG_DATA(nlh), sizeof(status));
	answer->err = status < 0 ? -status : 0;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		take_explanations((const uint8_t *)NLMSG_DATA(nlh) + NLMSG_ALIGN(sizeof(status)),
				  (const uint8_t *)nlh + nlh->nlmsg_len, m, answer);
}

/* An object has the form in the grammar, in replies to each request. */
static void check_shown(const struct nlmsghdr *nlh, bool notified)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const struct grammar_op *op;
	const char *wrong;
	uint64_t allowed;

	if (nlh->nlmsg_len < MESSAGE_HEAD)
		fault("a reply of %u bytes", nlh->nlmsg_len);
	op = grammar_op(genl->cmd);
	if (!op)
		fault("a reply of the unknown kind %u", genl->cmd);
	allowed = notified ? op->said :
		  nlh->nlmsg_flags & NLM_F_MULTI ? op->dump_reply : op->do_reply;
	if (!allowed)
		fault("%s is no %s", op->name, notified ? "notification" : "reply");
	wrong = grammar_reply_fault(op->set, allowed, (const uint8_t *)nlh + MESSAGE_HEAD,
				    nlh->nlmsg_len - MESSAGE_HEAD);
	if (wrong) {
		report_about(nlh, nlh->nlmsg_len);
		fault("%s shows what it may not: %s", op->name, wrong);
	}
	run->shown++;
}

static void take_message(const struct nlmsghdr *nlh, const struct message *m,
			 struct answer *answer, talk_take take, void *data)
{
	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		take_error(nlh, m, answer);
		return;
	case NLMSG_DONE:
		take_done(nlh, m, answer);
		return;
	}
	if (nlh->nlmsg_type != genl_family(((const struct genlmsghdr *)NLMSG_DATA(nlh))->cmd))
		fault("a reply of the family %u", nlh->nlmsg_type);
	check_shown(nlh, false);
	answer->replies++;
	if (take)
		take(nlh, data);
}

bool talk_read(int fd, const struct message *m, struct answer *answer, talk_take take,
	       void *data)
{
	static _Alignas(8) uint8_t buf[READ_MAX];
	const struct nlmsghdr *nlh = (const void *)buf;
	ssize_t len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (len < 0 && errno == ENOBUFS)
		return true;
	if (len <= 0)
		return false;
	for (; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len))
		take_message(nlh, m, answer, take, data);
	if (len)
		fault("%zd bytes are left behind a reply", len);
	return true;
}

/* The kernel answers before the sender goes on, and goes on with a dump at each read. */
void talk(int fd, const struct message *m, struct answer *answer, talk_take take, void *data)
{
	memset(answer, 0, sizeof(*answer));
	talk_send(fd, m);
	while (talk_read(fd, m, answer, take, data))
		;
}

unsigned int talk_hear(int fd)
{
	static _Alignas(8) uint8_t buf[READ_MAX];
	const struct nlmsghdr *nlh = (const void *)buf;
	ssize_t len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	unsigned int n = 0;

	if (len <= 0)
		return 0;
	for (; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len), n++)
		check_shown(nlh, true);
	return n;
}
