// SPDX-License-Identifier: MIT
// The functions of format.c that other files call.
#ifndef CSP_VM_OBJECT_FORMAT_H
#define CSP_VM_OBJECT_FORMAT_H

#include "vm/heap/local.h"

typedef struct Text {    // a growing buffer
  const Memory *memory;  // of data; NULL means malloced, to be freed by free()
  char *data;
  size_t len, cap;
  size_t most;    // bytes; 0 means any number
  Local *local;   // where the work is charged, and given up (`failed`); or NULL
  bool cuts;      // what is more than that is cut off, not refused as a whole
  bool failed;    // out of memory, or more than that: data is not complete
  bool full;      // failed: it was more than that
  uint32_t nest;  // containers shown inside one another; 0 means 10,000
} Text;
void text_add(Text *text, const char *data, size_t len);
// The decimal digits of i, written in front of `end`: how many (at most 20).
enum { INT_DIGITS = 20 };
size_t format_int(int64_t i, char *end);
void text_addf(Text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(Text *text);

// As println prints it. quoted: strings in source form. Structs print as
// Name(field: value). Their string() methods are NOT called: see
// value_needs_call. Containers nest; a container inside itself prints as
// [...] or {...}.
void format_value(Text *text, Vm *vm, Value v, bool quoted);
// Whether printing v would have to call a string() method somewhere inside.
// local: where the work is charged, or NULL. (Given up: false.)
bool value_needs_call(const Memory *memory, Local *local, Value v);
// The same of the first *most parts, at most `nest` deep, uncharged; *most is
// then what is left of them.
bool value_needs_call_early(const Memory *memory, Value v, uint32_t nest,
                            size_t *most);
const char *value_type_name(Value v);  // "int", "nil", a struct's own name

#endif
