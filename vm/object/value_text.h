// SPDX-License-Identifier: MIT
// Values as text, as println shows them. A Text grows in its Memory. Once it
// has `failed` its data is not complete, and nothing is added.
#ifndef CSP_VM_OBJECT_VALUE_TEXT_H
#define CSP_VM_OBJECT_VALUE_TEXT_H

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
// [...] or {...}. It cannot be left in the middle.
void format_value(Text *text, Vm *vm, Value v, bool quoted);
// Whether the prelude makes the text of v, because a string() method is to be
// called somewhere inside, or because it is long: it has more than TEXT_PARTS
// parts, or strings of as much. Charged; given up it is false.
enum { TEXT_PARTS = 1 << 14 };
bool value_needs_call(Local *local, Value v, bool quoted);
// Whether there is such a method. Any thread; not charged.
bool value_has_text_method(const Memory *memory, Value v);
// The same of the first *most parts, at most `nest` deep; *most is then what is
// left of them.
bool value_has_text_method_early(const Memory *memory, Value v, uint32_t nest,
                                 size_t *most);

// A long text, in pieces: the inside of a list, tuple or map, or a string or
// bytes in source form.
typedef struct TextRun {
  uint64_t at;        // the next part, from 0
  const void *table;  // a map's, as it was at the first piece, else NULL
  Value key, part;    // what the caller is to write after the piece, or
                      // VALUE_UNDEF; a colon stands between the two
  bool ended;
} TextRun;
// Adds the next piece. text->local is set.
void format_run(Text *text, Value v, TextRun *run);
const char *value_type_name(Value v);  // "int", "nil", a struct's own name
// Where two tuples first differ, for a message: ": at index 1 stand int and
// string". Of other values it is "".
enum { DIFFERENCE_SIZE = 120 };
void value_say_difference(Value b, Value c, char text[DIFFERENCE_SIZE]);

#endif
