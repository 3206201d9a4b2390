// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/tool.h"
#include "watch/screen.h"

#define BILLION 1000000000ull

/* Another screen without a cursor, so that the terminal's content comes back. */
static const char enter_codes[] = "\033[?1049h\033[?25l";
static const char leave_codes[] = "\033[?25h\033[?1049l";

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT };

uint64_t screen_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * BILLION + now.tv_nsec;
}

static void enter(struct screen *screen)
{
	struct termios raw = screen->saved;

	raw.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs(enter_codes, stdout);
	fflush(stdout);
}

static void leave(const struct screen *screen)
{
	fputs(leave_codes, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen->saved);
}

static int open_signals(void)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&set, caught[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int screen_open(struct screen *screen, bool plain)
{
	memset(screen, 0, sizeof(*screen));
	screen->live = !plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (!screen->live)
		return WEIR_OK;
	if (tcgetattr(STDIN_FILENO, &screen->saved))
		return refused(errno, "cannot ask the terminal for its settings: %s", strerror(errno));
	screen->signals = open_signals();
	if (screen->signals < 0)
		return refused(errno, "cannot wait for signals: %s", strerror(errno));
	enter(screen);
	return WEIR_OK;
}

static void clear(struct screen *screen)
{
	unsigned int i;

	for (i = 0; i < screen->lines; i++)
		free(screen->line[i]);
	free(screen->line);
	screen->line = NULL;
	screen->lines = 0;
}

static void print_lines(const struct screen *screen, const char *between)
{
	unsigned int i;

	for (i = 0; i < screen->lines; i++)
		printf("%s%s", i ? between : "", screen->line[i]);
}

void screen_close(struct screen *screen)
{
	if (screen->live) {
		leave(screen);
		print_lines(screen, "\n");
		if (screen->lines)
			putchar('\n');
		close(screen->signals);
	}
	clear(screen);
}

/* The size of a page without a terminal, from the environment. */
static unsigned int from_environment(const char *name, unsigned int otherwise)
{
	const char *word = getenv(name);
	unsigned long number = word ? strtoul(word, NULL, 10) : 0;

	return number && number < INT_MAX ? number : otherwise;
}

static void measure(struct screen *screen)
{
	struct winsize size = {};

	screen->width = 80;
	screen->height = 24;
	if (!screen->live) {
		screen->width = from_environment("COLUMNS", 80);
		screen->height = from_environment("LINES", UINT_MAX);
	} else if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row) {
		screen->width = size.ws_col;
		screen->height = size.ws_row;
	}
}

void screen_begin(struct screen *screen)
{
	clear(screen);
	measure(screen);
}

static void begin_line(struct screen *screen)
{
	screen->column = 0;
	screen->out = open_memstream(&screen->text, &screen->size);
	if (!screen->out)
		abort();
}

void screen_put(struct screen *screen, enum color color, const char *format, ...)
{
	char text[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!screen->out)
		begin_line(screen);
	if (length > (int)sizeof(text) - 1)
		length = sizeof(text) - 1;
	if (length > (int)(screen->width - screen->column))
		length = screen->width - screen->column;
	screen->column += length;
	fprintf(screen->out, "%s%.*s%s", print_color(color), length, text,
		color ? print_plain() : "");
}

void screen_end_line(struct screen *screen)
{
	char **grown;

	if (!screen->out)
		begin_line(screen);
	fclose(screen->out);
	screen->out = NULL;
	if (screen->lines == screen->height) {
		free(screen->text);
		return;
	}
	grown = reallocarray(screen->line, screen->lines + 1, sizeof(*grown));
	if (!grown)
		abort();
	grown[screen->lines++] = screen->text;
	screen->line = grown;
}

void screen_show(struct screen *screen)
{
	if (!screen->live) {
		print_lines(screen, "\n");
		printf("\n\n");
	} else {
		/*
		 * Home; each line is cleared before its text, as behind a full one only
		 * its last column could be cleared; then the rest below.
		 */
		printf("\033[H\033[2K");
		print_lines(screen, "\r\n\033[2K");
		if (screen->lines < screen->height)
			printf("\r\n\033[J");
	}
	fflush(stdout);
}

/* As if the signal had not been caught, with the terminal as it was. */
static void suspend(struct screen *screen)
{
	leave(screen);
	raise(SIGSTOP);
	enter(screen);
}

static enum screen_event read_signal(struct screen *screen)
{
	struct signalfd_siginfo info;

	if (read(screen->signals, &info, sizeof(info)) != sizeof(info))
		return SCREEN_TIME;
	switch (info.ssi_signo) {
	case SIGTSTP:
		suspend(screen);
		return SCREEN_CHANGED;
	case SIGWINCH:
	case SIGCONT:
		return SCREEN_CHANGED;
	default:
		return SCREEN_QUIT;
	}
}

/* A terminal that is gone reads as its end. */
static enum screen_event read_keys(struct screen *screen)
{
	ssize_t got = read(STDIN_FILENO, screen->keys, sizeof(screen->keys));

	screen->pressed = got > 0 ? got : 0;
	return got > 0 ? SCREEN_KEYS : SCREEN_QUIT;
}

enum screen_event screen_wait(struct screen *screen, uint64_t until)
{
	struct pollfd fds[] = {
		{ .fd = screen->live ? screen->signals : -1, .events = POLLIN },
		{ .fd = screen->live ? STDIN_FILENO : -1, .events = POLLIN },
	};
	uint64_t now = screen_clock();
	struct timespec left;

	if (now >= until)
		return SCREEN_TIME;
	left.tv_sec = (until - now) / BILLION;
	left.tv_nsec = (until - now) % BILLION;
	if (ppoll(fds, 2, &left, NULL) <= 0)
		return SCREEN_TIME;
	return fds[0].revents ? read_signal(screen) : read_keys(screen);
}
