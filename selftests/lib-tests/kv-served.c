// SPDX-License-Identifier: GPL-2.0
#include "kv-served.h"

#include <unistd.h>

#include "ktap.h"

static void *serve(void *data)
{
	struct served *served = data;

	while (!atomic_load(&served->stop)) {
		weir_kv_progress(served->reducer);
		usleep(1000);
	}
	return NULL;
}

bool served_start(struct served *served, const struct weir_kv_options *options)
{
	atomic_init(&served->stop, false);
	return CHECK_EQ(weir_kv_listen(&served->reducer, options), 0) &&
	       CHECK(!pthread_create(&served->thread, NULL, serve, served));
}

void served_stop(struct served *served)
{
	atomic_store(&served->stop, true);
	pthread_join(served->thread, NULL);
}

void served_close(struct served *served)
{
	weir_kv_close(served->reducer);
}
