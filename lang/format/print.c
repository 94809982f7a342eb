// SPDX-License-Identifier: MIT
// Printing: one pass over the formatter's words that decides on every line
// break and space. docs/formatting.md says what the result looks like.
//
// A block that the author wrote on one line stays there if its closing brace
// comes to stand within FORMAT_WIDTH. All its words are then "flat", that is,
// before flat_until, and there is no line break among them. Other brackets are
// broken or not as the author had them (WORD_BROKEN). So a second pass over the
// result decides everything as the first: the formatter is idempotent.
//
// Comments are printed in the gap before a word (or at the end of the file).
// Where the author had a line break before or after a comment, there is one
// again.
#include "lang/format/print.h"

#include <string.h>

#include "lang/depth.h"
#include "lang/format/sheet.h"
#include "lang/format/space.h"
#include "lang/format/words.h"
#include "lang/parse/grammar.h"

// An open bracket, or the file.
typedef struct Context {
  uint32_t open;    // its word, or NO_WORD
  uint32_t base;    // columns: of the line that begins with the closing bracket
  uint32_t inner;   // of elements or statements; cases stand at `base`
  uint32_t stmt;    // of the current statement
  uint8_t role;     // of the bracket
  bool statements;  // or a struct's fields
  bool broken;      // not all on one line
  bool split;       // a struct that was too wide: one field a line
} Context;

typedef struct Printer {
  const Words *words;
  Sheet *sheet;
  Context contexts[LANG_MAX_NESTING + 1];
  int depth;
  uint32_t flat_until;
  uint32_t prev;  // the word printed last, or NO_WORD
} Printer;

// What stands between two words.
typedef struct Gap {
  const char *separator;  // right after the first, or NULL
  bool must_break;
  bool may_break;
  bool blank_first;   // a blank line may stand at the beginning,
  bool blank_last;    // at the end of it,
  bool blank_within;  // or between comments
  uint32_t indent;
  uint32_t note_indent;
} Gap;

static const Word *word_of(const Printer *printer, uint32_t at) {
  return &printer->words->list[at];
}

static Context *top_context(Printer *printer) {
  return &printer->contexts[printer->depth];
}

// --- what fits on the line --------------------------------------------------
static bool is_empty(const Printer *printer, uint32_t open) {
  uint32_t close = word_of(printer, open)->match, next = open + 1;
  while (word_of(printer, next)->flags & WORD_DROPPED) next++;
  return next == close && word_of(printer, open + 1)->notes ==
                              word_of(printer, close + 1)->notes;
}

static bool is_colon_of_statement(const Word *word) {
  return word->role == ROLE_CASE_COLON || word->role == ROLE_LABEL_COLON;
}

// How wide the word is with what stands before it on the line.
static uint32_t flat_width(const Printer *printer, const Word *left,
                           const Word *word) {
  const Words *words = printer->words;
  bool space = format_space(words, left, word);
  bool first = left->kind == TOK_LBRACE || is_colon_of_statement(left);
  uint32_t width = space;
  if (word->flags & WORD_STARTS && !first) width = 2;
  for (uint32_t i = word->notes; i < word[1].notes; i++) {
    width += 1 + sheet_width(words->source->text + words->notes[i].offset,
                             words->notes[i].len);
  }
  return width + sheet_width(word_text(words, word), word->len);
}

// The words after `from` up to `to`, which the author wrote on the line of
// `from`, go on the current line.
static bool words_fit(const Printer *printer, uint32_t from, uint32_t to) {
  uint32_t column = sheet_column(printer->sheet);
  const Word *left = word_of(printer, from);
  if (left->line != word_of(printer, to)->end_line) return false;
  for (uint32_t i = from + 1; i <= to && column <= FORMAT_WIDTH; i++) {
    const Word *word = word_of(printer, i);
    if (word->flags & WORD_DROPPED) continue;
    if (word->role == ROLE_CASES && !is_empty(printer, i)) return false;
    if (word->len > 4 * FORMAT_WIDTH) return false;
    column += flat_width(printer, left, word);
    left = word;
  }
  return column <= FORMAT_WIDTH;
}

static bool is_flat(const Printer *printer, uint32_t at) {
  return at < printer->flat_until;
}

// --- contexts ---------------------------------------------------------------
// Decides whether the block stays on its line. An `if` is decided together with
// all its `else`.
static bool block_is_broken(Printer *printer, uint32_t open) {
  const Word *word = word_of(printer, open);
  if (is_flat(printer, open)) return false;
  if (word->flags & WORD_CHAINED) return true;
  uint32_t last = open;
  while (word_of(printer, last)->chain != NO_WORD)
    last = word_of(printer, last)->chain;
  bool alone = last == open;
  uint32_t end = word_of(printer, last)->match;
  bool flat = alone && is_empty(printer, open);
  if (!flat && word->role != ROLE_CASES) flat = words_fit(printer, open, end);
  if (flat) printer->flat_until = end + 1;
  return !flat;
}

static void open_context(Printer *printer, uint32_t open) {
  const Word *word = word_of(printer, open);
  bool block = word->kind == TOK_LBRACE;
  bool broken =
      block ? block_is_broken(printer, open) : word->flags & WORD_BROKEN;
  bool of_statement =
      block && word->role != ROLE_INLINE && top_context(printer)->statements;
  uint32_t base =
      of_statement ? top_context(printer)->stmt : sheet_indent(printer->sheet);
  uint32_t inner = base + FORMAT_INDENT;
  bool split = broken && word->line == word_of(printer, word->match)->line;
  printer->contexts[++printer->depth] = (Context){.open = open,
                                                  .base = base,
                                                  .inner = inner,
                                                  .stmt = inner,
                                                  .role = word->role,
                                                  .statements = block,
                                                  .broken = broken,
                                                  .split = split};
}

// Where a line begins that goes on with a statement or an element.
static uint32_t continuation(const Printer *printer, const Context *context) {
  if (context->statements) return context->stmt + FORMAT_INDENT;
  const Word *open = word_of(printer, context->open);
  bool elements = open->kind == TOK_MAP_BEGIN || open->role == ROLE_ARGS ||
                  open->role == ROLE_PARAMS || open->role == ROLE_LIST ||
                  open->role == ROLE_ONE;
  bool begins = printer->prev == context->open ||
                word_of(printer, printer->prev)->kind == TOK_COMMA;
  return context->inner +
         (context->broken && elements && !begins ? FORMAT_INDENT : 0);
}

// --- gaps -------------------------------------------------------------------
static Gap gap_before_start(Printer *printer, uint32_t at, const Word *prev) {
  const Word *word = word_of(printer, at);
  Context *context = top_context(printer);
  bool first = prev == NULL || printer->prev == context->open ||
               is_colon_of_statement(prev);
  bool fields = context->role == ROLE_STRUCT;
  uint32_t indent = word->role == ROLE_CASE ? context->base : context->inner;
  Gap gap = {.indent = indent, .note_indent = indent};
  if (!first) gap.separator = fields ? "," : ";";
  context->stmt = indent;
  bool beside =
      fields && !first && !context->split && word->line == prev->end_line;
  if (is_flat(printer, at) || beside) return gap;
  gap.separator = NULL;
  gap.must_break = gap.blank_last = gap.blank_within = true;
  gap.blank_first = !first;
  return gap;
}

static Gap gap_before_close(Printer *printer) {
  const Context *context = top_context(printer);
  return (Gap){.must_break = context->broken,
               .blank_first = printer->prev != context->open,
               .blank_within = context->broken,
               .indent = context->base,
               .note_indent = context->inner};
}

static Gap gap_before(Printer *printer, uint32_t at) {
  const Word *word = word_of(printer, at);
  const Context *context = top_context(printer);
  const Word *prev =
      printer->prev == NO_WORD ? NULL : word_of(printer, printer->prev);
  if (format_closes(word->kind)) return gap_before_close(printer);
  if (word->flags & WORD_STARTS) return gap_before_start(printer, at, prev);
  uint32_t indent = continuation(printer, context);
  Gap gap = {.indent = indent, .note_indent = indent};
  if (printer->prev == context->open) {
    gap.must_break = gap.blank_within = gap.blank_last = context->broken;
  } else if (format_may_break(prev, word)) {
    bool element =
        context->broken && prev->kind == TOK_COMMA && !context->statements;
    gap.may_break = true;
    gap.blank_first = gap.blank_last = gap.blank_within = element;
  }
  return gap;
}

// --- comments ---------------------------------------------------------------
// The gap's items: its comments, and last the word.
typedef struct Items {
  const Printer *printer;
  const Word *word;
  const Note *notes;
  uint32_t count;     // of the comments
  bool breaks_first;  // although the author had no line break there
  bool breaks_last;
} Items;

// How many line ends the author put before item k.
static uint32_t lines_before(const Items *items, uint32_t k) {
  const Printer *printer = items->printer;
  uint32_t line = k < items->count ? items->notes[k].line : items->word->line;
  if (k > 0) return line - items->notes[k - 1].end_line;
  return printer->prev == NO_WORD
             ? 1
             : line - word_of(printer, printer->prev)->end_line;
}

static bool breaks(const Items *items, uint32_t k) {
  if (k == 0 && items->breaks_first) return true;
  if (k == items->count && items->breaks_last) return true;
  return lines_before(items, k) > 0;
}

// The word stands on the line of comment k.
static bool leads_word(const Items *items, uint32_t k) {
  while (k < items->count && !breaks(items, k + 1)) k++;
  return k == items->count;
}

// Before `case`, and before the end of a switch, comments belong to the body
// above if they are indented.
static uint32_t note_indent(Printer *printer, const Gap *gap,
                            const Items *items, uint32_t k) {
  const Context *context = top_context(printer);
  const Word *word = items->word;
  bool at_case = word->role == ROLE_CASE || word->kind == TOK_RBRACE;
  if (context->role != ROLE_CASES || !at_case) return gap->note_indent;
  bool indented = items->notes[k].col > word->col && !leads_word(items, k);
  return indented ? context->inner : context->base;
}

// How many columns further right the comment begins than in the source.
static int moved_by(const Printer *printer, const Note *note) {
  const char *text = printer->words->source->text + note->offset;
  uint32_t before = note->col - 1;
  return (int)(sheet_column(printer->sheet) -
               sheet_width(text - before, before));
}

static size_t trimmed(const char *text, size_t len) {
  while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL && text[len - 1])
    len--;
  return len;
}

// Prints a line of a comment that has moved by so many columns.
static void print_moved_line(Sheet *sheet, const char *line, size_t len,
                             int moved) {
  sheet_text(sheet, "\n", 1);
  len = trimmed(line, len);
  if (len == 0) return;
  for (; moved < 0 && (*line == ' ' || *line == '\t'); moved++) {
    line++;
    len--;
  }
  for (; moved > 0; moved--) sheet_space(sheet);
  sheet_text(sheet, line, len);
}

static void print_note_text(Printer *printer, const Note *note) {
  const char *text = printer->words->source->text + note->offset;
  const char *limit = text + note->len;
  const char *end = memchr(text, '\n', note->len);
  int moved = end != NULL ? moved_by(printer, note) : 0;
  if (end == NULL) end = limit;
  sheet_text(printer->sheet, text, trimmed(text, (size_t)(end - text)));
  while (end < limit) {
    const char *line = end + 1;
    end = memchr(line, '\n', (size_t)(limit - line));
    if (end == NULL) end = limit;
    print_moved_line(printer->sheet, line, (size_t)(end - line), moved);
  }
}

static bool clings_to_opening(const Printer *printer) {
  if (printer->prev == NO_WORD) return true;
  int kind = word_of(printer, printer->prev)->kind;
  return kind == TOK_LPAREN || kind == TOK_LBRACK || kind == TOK_MAP_BEGIN;
}

static void print_note(Printer *printer, const Gap *gap, const Items *items,
                       uint32_t k) {
  const Note *note = &items->notes[k];
  const char *text = printer->words->source->text + note->offset;
  bool breaks_here = breaks(items, k);
  bool ends_line = breaks(items, k + 1);
  if (breaks_here) {
    bool blank = k == 0 ? gap->blank_first : gap->blank_within;
    sheet_break(printer->sheet, blank && lines_before(items, k) > 1,
                note_indent(printer, gap, items, k));
  } else if (ends_line && note->line == note->end_line) {
    sheet_note(printer->sheet, text, trimmed(text, note->len));
    return;
  } else if (ends_line) {
    sheet_text(printer->sheet, "  ", 2);
  } else if (k > 0 || !clings_to_opening(printer)) {
    sheet_space(printer->sheet);
  }
  print_note_text(printer, note);
}

static bool clings_to_comment(int kind) {
  switch (kind) {
    case TOK_RPAREN:
    case TOK_RBRACK:
    case TOK_MAP_END:
    case TOK_COMMA:
    case TOK_SEMI:
    case TOK_COLON:
      return true;
    default:
      return false;
  }
}

static void print_gap_with_notes(Printer *printer, const Gap *gap,
                                 const Word *word) {
  Items items = {.printer = printer,
                 .word = word,
                 .notes = printer->words->notes + word->notes,
                 .count = word[1].notes - word->notes};
  bool any = false;
  for (uint32_t k = 0; k <= items.count; k++) any |= breaks(&items, k);
  bool ends = format_closes(word->kind) || word->kind == TOK_END;
  items.breaks_last = gap->must_break && ends;
  items.breaks_first = gap->must_break && !ends && !any;
  for (uint32_t k = 0; k < items.count; k++)
    print_note(printer, gap, &items, k);
  if (word->kind == TOK_END) return;
  if (breaks(&items, items.count)) {
    bool blank = gap->blank_last && lines_before(&items, items.count) > 1;
    sheet_break(printer->sheet, blank, gap->indent);
  } else if (!clings_to_comment(word->kind)) {
    sheet_space(printer->sheet);
  }
}

// --- words ------------------------------------------------------------------
static void print_gap(Printer *printer, uint32_t at) {
  const Word *word = word_of(printer, at);
  Gap gap = gap_before(printer, at);
  if (gap.separator != NULL) sheet_text(printer->sheet, gap.separator, 1);
  if (word->notes != word[1].notes) {
    print_gap_with_notes(printer, &gap, word);
    return;
  }
  if (word->kind == TOK_END) return;
  if (printer->prev == NO_WORD) {
    sheet_break(printer->sheet, false, gap.indent);
    return;
  }
  const Word *prev = word_of(printer, printer->prev);
  RT_ASSERT(word->line >= prev->end_line);
  uint32_t lines = word->line - prev->end_line;
  if (gap.must_break || (gap.may_break && lines > 0)) {
    bool blank = gap.blank_first && gap.blank_last && lines > 1;
    sheet_break(printer->sheet, blank, gap.indent);
  } else if (format_space(printer->words, prev, word)) {
    sheet_space(printer->sheet);
  }
}

// Prints the word as in the source, but lines end with a newline alone.
static void print_text(Printer *printer, const Word *word) {
  const char *text = word_text(printer->words, word);
  const char *limit = text + word->len;
  while (text < limit) {
    const char *end = memmem(text, (size_t)(limit - text), "\r\n", 2);
    if (end == NULL) end = limit;
    sheet_text(printer->sheet, text, (size_t)(end - text));
    text = end < limit ? end + 1 : limit;
  }
}

static void keep_case_on_line(Printer *printer, uint32_t colon) {
  uint32_t last = word_of(printer, colon)->match;
  if (is_flat(printer, colon) || last == colon || last == NO_WORD) return;
  if (words_fit(printer, colon, last)) printer->flat_until = last + 1;
}

static void print_word(Printer *printer, uint32_t at) {
  const Word *word = word_of(printer, at);
  print_gap(printer, at);
  RT_ASSERT(printer->prev == NO_WORD || printer->prev < at);
  RT_ASSERT(!format_closes(word->kind) || printer->depth > 0);
  if (format_closes(word->kind)) printer->depth--;
  print_text(printer, word);
  if (word->flags & WORD_COMMA_AFTER) sheet_text(printer->sheet, ",", 1);
  if (format_opens(word->kind)) open_context(printer, at);
  if (word->role == ROLE_CASE_COLON) keep_case_on_line(printer, at);
  printer->prev = at;
}

void format_print(const Words *words, Sheet *sheet) {
  Printer p = {.words = words, .sheet = sheet, .prev = NO_WORD};
  p.contexts[0] =
      (Context){.open = NO_WORD, .statements = true, .broken = true};
  for (uint32_t i = 0; i < words->count; i++) {
    if (!(words->list[i].flags & WORD_DROPPED)) print_word(&p, i);
  }
  RT_ASSERT(p.depth == 0);
}
