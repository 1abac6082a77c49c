/* SPDX-License-Identifier: BSD-2-Clause */
#include "streams.h"

void streams_end(struct iot_analyze *a, size_t stream)
{
	for (unsigned i = 0; i < LAYERS; i++)
		if (a->layers[i] != NULL && !order_end(&a->layers[i]->order, stream))
			a->status = IOT_ENOMEM;
}

void streams_end_replaced(struct iot_analyze *a)
{
	for (size_t i = 0; i < a->requests.ended_count; i++)
		streams_end(a, a->requests.ended[i].stream);
	requests_end_replaced(&a->requests);
}
