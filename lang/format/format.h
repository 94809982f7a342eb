// SPDX-License-Identifier: MIT
// The types that the files of this folder share. formatter.h has the entry.
//
// A text goes this way. It is parsed with a trail (trail.c). words.c makes
// words of the trail. The syntax tree gives a role to each word whose spelling
// says too little (is this `(` a call's, this `-` a sign?). brackets.c finds
// which words begin statements, which belong together as brackets, and where
// the author broke lines. print.c goes over the words once and decides on each
// break and space. sheet.c keeps the lines and puts the comments at their ends
// under each other. same_program.c proves that the result is the same program.
//
// Words and comments are printed from the source text in their order, so none
// can be lost. The formatter only chooses what stands between them, and leaves
// out or adds separators (see WORD_DROPPED and WORD_COMMA_AFTER).
#ifndef CSP_LANG_FORMAT_H
#define CSP_LANG_FORMAT_H

#include "lang/parse/parse_internal.h"
#include "lang/parse/trail.h"
#include "lang/source.h"

enum { FORMAT_INDENT = 2, FORMAT_WIDTH = 100 };

typedef enum Role {
  ROLE_NONE,
  // operators
  ROLE_UNARY,
  ROLE_BINARY,
  ROLE_RANGE,       // of simple operands: without spaces
  ROLE_RANGE_WIDE,  // one of them is a binary operation: with spaces
  // ( and [
  ROLE_ARGS,
  ROLE_PARAMS,
  ROLE_LIST,        // and of a tuple
  ROLE_ONE,         // of a tuple of one element, whose comma stays
  ROLE_INDEX,       // and of a slice
  ROLE_WIDE_SLICE,  // x[a + 1 : b]
  // {
  ROLE_BODY,    // of a statement: if, for, a declared function
  ROLE_INLINE,  // of an expression: a function's, after go or defer
  ROLE_STRUCT,
  ROLE_CASES,  // of switch and select
  // the words `case` and `default`
  ROLE_CASE,
  // :
  ROLE_CASE_COLON,
  ROLE_LABEL_COLON,
  ROLE_SLICE_COLON,
  ROLE_WIDE_SLICE_COLON,
} Role;

enum {
  WORD_STARTS = 1,       // a statement, a case or a struct's field
  WORD_NEWLINE = 2,      // a newline that counts stands before it
  WORD_DROPPED = 4,      // a separator: a semicolon, a comma before a bracket
  WORD_COMMA_AFTER = 8,  // one is printed after it
  WORD_BROKEN = 16,      // a bracket: what is in it stands on lines of its own
  WORD_CHAINED = 32,     // a { after else: broken if the one before is
  WORD_HEADS = 64,       // `if`, `for` or `switch`: semicolons after it stay
  WORD_ENDS_HEAD = 128,  // the { of its body
};

enum { NO_WORD = 0xffffffff };

// A token, or a whole string with interpolations. The last one is TOK_END.
typedef struct Word {
  int16_t kind;   // TOK_
  uint8_t role;   // Role
  uint8_t flags;  // WORD_
  uint32_t offset, len;
  uint32_t line, end_line, col;
  uint32_t notes;  // index of the first comment before it; they end where
                   // the next word's begin
  uint32_t
      match;  // the other bracket; of a case's colon the last word of the body
  uint32_t chain;  // a { of an if: that of its else, or NO_WORD
} Word;

typedef struct Note {  // a comment
  uint32_t offset, len;
  uint32_t line, end_line, col;
} Note;

typedef struct Words {
  const Source *source;
  Word *list;  // `count` words, then one more for the notes' end
  uint32_t count;
  Note *notes;
  uint32_t note_count;
} Words;

#endif
