/* SPDX-License-Identifier: BSD-2-Clause */
#include "operation.h"

#include "lib/base/number.h"
#include "lib/base/text.h"

#include "directive.h"

enum { NAME, RESULT, PATH, SIZE, COUNT, KEYS };

static const struct iot_text keys[KEYS] = {[NAME] = TEXT_OF("name"),
					   [RESULT] = TEXT_OF("result"),
					   [PATH] = TEXT_OF("path"),
					   [SIZE] = TEXT_OF("size"),
					   [COUNT] = TEXT_OF("count")};

static bool number_in(struct iot_text text, uint64_t *number)
{
	*number = 0;
	return text.data != NULL && number_decimal(text.data, text.size, number);
}

static void set_success(struct op *op)
{
	const bool of_file = (op->ev->has & IOT_HAS_FILE) != 0;
	op->creates = of_file && text_equals(op->name, "create");
	op->opens = op->creates || (of_file && text_equals(op->name, "open"));
	op->closes = text_equals(op->name, "close");
}

struct op operation_of(const struct iot_event *ev)
{
	struct iot_text value[KEYS];
	uint64_t count;
	directive_values(ev, keys, KEYS, value);
	struct op op = {
	    .ev = ev, .name = value[NAME], .result = value[RESULT], .path = value[PATH]};
	op.failed = op.result.data != NULL && !text_equals(op.result, "0");
	op.kind = operation_kind_of(op.name, op.failed);
	op.calls = number_in(value[COUNT], &count) && count > 0 && count <= UINT32_MAX ? count : 1;
	op.sized = number_in(value[SIZE], &op.size);
	if (!op.failed)
		set_success(&op);
	return op;
}
