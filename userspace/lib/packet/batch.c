// SPDX-License-Identifier: BSD-2-Clause
#include "packet/batch.h"

#include <string.h>

#include "packet/wire.h"

int batch_init(struct batch *batch, size_t size)
{
	int err;

	memset(batch, 0, sizeof(*batch));
	err = packets_init(&batch->packets, BATCH, size);
	if (err)
		return err;
	for (unsigned int i = 0; i < BATCH; i++) {
		batch->vectors[i].iov_base = packets_at(&batch->packets, i, WIRE_HEADER);
		batch->vectors[i].iov_len = size;
		batch->messages[i].msg_hdr.msg_iov = &batch->vectors[i];
		batch->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

void batch_uninit(struct batch *batch)
{
	packets_uninit(&batch->packets);
}
