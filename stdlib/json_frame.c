// SPDX-License-Identifier: MIT
// Finds where a JSON value ends, in a text of which perhaps only the beginning
// has come.
//
// Each byte is looked at once, however small the parts are in which the text
// comes. Brackets, quotes, and backslashes in strings are enough to find the
// end. The parser then gets the bytes up to there, and checks everything else.
// A byte that cannot be right ends the value, too. So most errors are reported
// before more of the text has come. If that byte is part of a character, the
// whole character belongs to the value, so that the message can show it.
//
// The end depends on the bytes alone, never on the parts.
#include "stdlib/json.h"

typedef enum ByteClass {
  BYTE_WRONG,  // outside of strings
  BYTE_PASSED,
  BYTE_WORD,  // of numbers and words
  BYTE_QUOTE,
  BYTE_OPENS,
  BYTE_CLOSES
} ByteClass;

static ByteClass class_of(char c) {
  switch (c) {
    case '"':
      return BYTE_QUOTE;
    case '[':
    case '{':
      return BYTE_OPENS;
    case ']':
    case '}':
      return BYTE_CLOSES;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ':':
      return BYTE_PASSED;
    case '+':
    case '-':
    case '.':
      return BYTE_WORD;
    default: {
      char small = (char)(c | 0x20);
      bool word = (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9');
      return word ? BYTE_WORD : BYTE_WRONG;
    }
  }
}

// Up to the end of the character at `at`, which is wrong. 0: more must be
// there.
static size_t wrong_end(const char *data, size_t at, size_t len, bool ended) {
  enum { LONGEST = 4 };
  size_t left = len - at;
  if ((unsigned char)data[at] < 0x80) return at + 1;
  if (left < LONGEST && !ended) return 0;
  size_t width = utf8_sequence(data + at, left);
  return at + (width > 0 ? width : 1);
}

// false: that is one too many.
static bool frame_open(JsonFrame *frame, bool is_map) {
  if (frame->depth == JSON_DEPTH) return false;
  uint64_t bit = (uint64_t)1 << frame->depth % 64;
  uint64_t *maps = &frame->maps[frame->depth / 64];
  *maps = is_map ? *maps | bit : *maps & ~bit;
  frame->depth++;
  frame->mode = FRAME_BETWEEN;
  return true;
}

// false: something else is open.
static bool frame_close(JsonFrame *frame, bool is_map) {
  if (frame->depth == 0) return false;
  uint32_t level = frame->depth - 1;
  if ((frame->maps[level / 64] >> level % 64 & 1) != is_map) return false;
  frame->depth = level;
  return true;
}

// The next byte, which is in no string. false: it is wrong.
static bool frame_byte(JsonFrame *frame, char c) {
  switch (class_of(c)) {
    case BYTE_PASSED:
      return frame->mode != FRAME_START;
    case BYTE_WORD:
      if (frame->mode == FRAME_START) frame->mode = FRAME_SCALAR;
      return true;
    case BYTE_QUOTE:
      frame->mode = FRAME_STRING;
      return true;
    case BYTE_OPENS:
      return frame_open(frame, c == '{');
    case BYTE_CLOSES:
      return frame_close(frame, c == '}');
    case BYTE_WRONG:
      break;
  }
  return false;
}

// The next bytes of a string. false: one of them is wrong.
static bool frame_string(JsonFrame *frame, const char *data, size_t len) {
  if (frame->mode == FRAME_STRING)
    frame->at = (size_t)(json_plain(data + frame->at, data + len) - data);
  while (frame->at < len && (unsigned char)data[frame->at] >= 0x80)
    frame->at++, frame->mode = FRAME_STRING;
  if (frame->at == len) return true;
  char c = data[frame->at];
  if ((unsigned char)c < ' ') return false;
  if (frame->mode == FRAME_ESCAPE)
    frame->mode = FRAME_STRING;
  else if (c == '\\')
    frame->mode = FRAME_ESCAPE;
  else if (c == '"')
    frame->mode = FRAME_BETWEEN;
  frame->at++;
  return true;
}

static bool is_in_string(const JsonFrame *frame) {
  return frame->mode == FRAME_STRING || frame->mode == FRAME_ESCAPE;
}

static bool frame_is_done(const JsonFrame *frame) {
  return frame->mode == FRAME_BETWEEN && frame->depth == 0;
}

size_t json_frame(JsonFrame *frame, const char *data, size_t len, bool ended) {
  while (frame->at < len && !frame_is_done(frame)) {
    if (is_in_string(frame)) {
      if (!frame_string(frame, data, len))
        return wrong_end(data, frame->at, len, ended);
    } else {
      char c = data[frame->at];
      bool word = class_of(c) == BYTE_WORD;
      if (frame->mode == FRAME_SCALAR && !word)
        return wrong_end(data, frame->at, len, ended) > 0 ? frame->at : 0;
      if (!frame_byte(frame, c)) return wrong_end(data, frame->at, len, ended);
      frame->at++;
    }
  }
  if (frame_is_done(frame)) return frame->at;
  return ended ? len : 0;
}
