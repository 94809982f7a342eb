// SPDX-License-Identifier: MIT
// JSON (RFC 8259): what the files of the module json share.
//
// A JsonText is a text that is being read, or a window of one. A NUL follows
// its bytes: no token needs to look for the end before each byte, since a NUL
// is part of none. What reads a token begins at `at` and moves it on. false:
// `fail` tells why, and reading is over.
//
// Nothing here is believed. What is long is charged where it is read (csp_work)
// in parts of JSON_PART bytes, so a single token of any length can be given up.
// It belongs to one native call.
#ifndef CSP_STDLIB_JSON_H
#define CSP_STDLIB_JSON_H

#include "stdlib/stdlib.h"

enum {
  JSON_DEPTH = 512,    // lists and maps in one another, in either direction
  JSON_PART = 1 << 16  // bytes
};

typedef enum JsonFail {
  JSON_FINE,
  JSON_WRONG,  // the text is: `wrong` and `why`
  JSON_NO_MEMORY,
  JSON_PANICKED,  // it has panicked, or is given up
  JSON_PAUSED     // a long string is not read yet (json_string_on)
} JsonFail;

// A string's bytes as they stand between the quotes, and how many they mean.
typedef struct JsonRaw {
  const char *from;
  size_t len, meant;
} JsonRaw;

// A long string that is read in parts.
typedef struct JsonLong {
  CspValue made;  // once its end is found
  JsonRaw raw;
  const char *at;  // how far its end was looked for, or its bytes are written
  size_t less;     // by how much it is longer so far than what it means
  char *to;        // made's text. NULL: the end is not found
  size_t took;     // units of the last part
} JsonLong;

typedef struct JsonText {
  CspCall *call;  // of this piece
  const char *begin, *at, *end;
  size_t base;  // the bytes of the text before `begin`
  JsonFail fail;
  size_t wrong;      // where: bytes of the text before it
  const char *code;  // of the error
  JsonLong *paused;  // for json_string. NULL: it reads all, and charges that
  size_t ahead;      // before `end` a string is paused: the text may go on
  char why[200];
} JsonText;

// --- json_scan.c: blanks, strings -------------------------------------------
// Says why the text is wrong at `where`. Gives false.
__attribute__((format(printf, 3, 4), cold)) bool json_refuse(JsonText *text,
                                                             const char *where,
                                                             const char *format,
                                                             ...);
// The same: `wanted` should stand at `at`, where something else stands.
__attribute__((cold)) bool json_refuse_other(JsonText *text,
                                             const char *wanted);
// The key is there twice, the second time at the offset. Gives false.
__attribute__((cold)) bool json_refuse_key(JsonText *text, size_t offset,
                                           Str key);
bool json_skip_blanks(JsonText *text);
static inline bool json_blanks(JsonText *text) {
  return (unsigned char)*text->at > ' ' || json_skip_blanks(text);
}
// The first byte that is a quote, a backslash, a control or not ASCII; or end.
const char *json_plain(const char *at, const char *end);
// The string after whose first quote `at` stands, as a value; or only passed.
bool json_string(JsonText *text, CspValue *v);
bool json_pass_string(JsonText *text);
// The next part of the string that is paused. true: that was the last one.
bool json_string_on(JsonText *text, CspValue *v);
// The text is wrong. Gives (nil, error) with the place.
CspStatus json_refused(JsonText *text, size_t line, size_t column);
static inline size_t json_offset(const JsonText *text, const char *where) {
  return text->base + (size_t)(where - text->begin);
}

// --- json_number.c ----------------------------------------------------------
bool json_number(JsonText *text, CspValue *v);

// --- json_frame.c: where a value ends that is not there as a whole yet ------
typedef enum JsonFrameMode {
  FRAME_START,
  FRAME_BETWEEN,  // inside of a list or map, but of no string
  FRAME_STRING,
  FRAME_ESCAPE,  // after its backslash
  FRAME_SCALAR   // a number or a word, in nothing
} JsonFrameMode;

// How far a value was looked at. Zeroed: not at all.
typedef struct JsonFrame {
  JsonFrameMode mode;
  uint32_t depth;
  uint64_t maps[JSON_DEPTH / 64];  // bit n: level n is a map
  size_t at;
} JsonFrame;

// Goes on with the value that begins at data, of which len bytes are there, and
// all of it if `ended`. Gives the bytes to parse: up to the value's end, or so
// many that parsing them finds what is wrong. 0: more must be there. Afterwards
// it gives the same again.
size_t json_frame(JsonFrame *frame, const char *data, size_t len, bool ended);

// --- json_stream.c ----------------------------------------------------------
extern const CspClass json_reader_class;
extern const CspFunction json_reader_methods[];
CspStatus json_reader(CspCall *call);

// --- json.c, json_parse.c, json_write.c -------------------------------------
// The step of a path ("$.items[3].price") that leads to a key's value.
void json_path_name(Buffer *path, Str name);
// Natives of shared.types.csp, for each module that has this part:
//   _step(key)            the step of a path that leads to the key's value
//   _instance(type, map)  an instance, nil and nil, or nil, a path and why
CspStatus json_step(CspCall *call);
CspStatus json_instance(CspCall *call);
CspStatus json_parse(CspCall *call);
CspStatus json_write(CspCall *call);

#endif
