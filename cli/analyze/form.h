/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms in which `iotrace analyze` prints. */
#ifndef CLI_ANALYZE_FORM_H
#define CLI_ANALYZE_FORM_H

enum analyze_form { ANALYZE_TEXT, ANALYZE_JSON, ANALYZE_TSV };

#endif
