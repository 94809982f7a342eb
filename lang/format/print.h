// SPDX-License-Identifier: MIT
// The words, printed.
#ifndef CSP_LANG_FORMAT_PRINT_H
#define CSP_LANG_FORMAT_PRINT_H

#include "lang/format/format.h"
#include "lang/format/sheet.h"

void format_print(const Words *words, Sheet *sheet);

#endif
