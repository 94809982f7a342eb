// SPDX-License-Identifier: MIT
// Brackets and separators among the words of the formatter.
//
// One pass goes over the words with a stack of the open brackets. It drops the
// semicolons that end statements, and the separators of a struct's fields, and
// marks the word after each as a start. The printer then writes the separator
// that belongs there. A comma before a closing bracket is dropped, too.
// WORD_COMMA_AFTER marks the words after which a comma is wanted.
#include "lang/format/brackets.h"

#include "lang/depth.h"
#include "lang/format/space.h"
#include "lang/parse/grammar.h"

typedef struct Level {
  uint32_t open;  // NO_WORD: the file
  uint8_t role;
  bool statements;  // or a struct's fields
  bool start;       // the next word begins one
  int heads;        // of an if, for or switch that are open
  uint32_t colon;   // ROLE_CASES: the last case's, or NO_WORD
} Level;

typedef struct Brackets {
  Words *words;
  Level levels[LANG_MAX_NESTING + 1];
  int depth;
  uint32_t last;  // the last word that was not dropped, or NO_WORD
} Brackets;

static void drop_word(Brackets *brackets, uint32_t at) {
  Word *word = &brackets->words->list[at];
  word->flags |= WORD_DROPPED;
  // the comments before it belong to what follows
  RT_ASSERT(at < brackets->words->count);
  word[1].notes = word->notes;
}

// --- opening and closing ----------------------------------------------------
// Whether the author broke the line after it.
static bool is_broken(const Words *words, uint32_t open) {
  const Word *word = &words->list[open];
  return word[1].line > word->end_line && !format_closes(word[1].kind);
}

static bool takes_comma(const Word *open) {
  switch (open->role) {
    case ROLE_ARGS:
    case ROLE_PARAMS:
    case ROLE_LIST:
      return true;
    default:
      return open->kind == TOK_MAP_BEGIN;
  }
}

static void open_level(Brackets *brackets, uint32_t at) {
  Word *word = &brackets->words->list[at];
  bool block = word->kind == TOK_LBRACE;
  RT_ASSERT(brackets->depth < LANG_MAX_NESTING);
  Level *outer = &brackets->levels[brackets->depth];
  if (word->flags & WORD_ENDS_HEAD && outer->heads > 0) outer->heads--;
  if (!block && is_broken(brackets->words, at)) word->flags |= WORD_BROKEN;
  brackets->levels[++brackets->depth] = (Level){.open = at,
                                                .role = word->role,
                                                .statements = block,
                                                .start = block,
                                                .colon = NO_WORD};
}

// The body of a case ends before this word.
static void end_case(Brackets *brackets, Level *level) {
  if (level->colon == NO_WORD) return;
  brackets->words->list[level->colon].match = brackets->last;
  level->colon = NO_WORD;
}

static void close_level(Brackets *brackets, uint32_t at) {
  RT_ASSERT(brackets->depth > 0);
  Level *level = &brackets->levels[brackets->depth--];
  Word *list = brackets->words->list, *open = &list[level->open];
  end_case(brackets, level);
  RT_ASSERT(open->match == NO_WORD && list[at].match == NO_WORD);
  open->match = at;
  list[at].match = level->open;
  if (level->statements || brackets->last == level->open) return;
  if (list[brackets->last].kind == TOK_COMMA) {
    drop_word(brackets, brackets->last--);
  }
  if (open->role == ROLE_ONE ||
      (open->flags & WORD_BROKEN && takes_comma(open))) {
    list[brackets->last].flags |= WORD_COMMA_AFTER;
  }
}

// --- separators -------------------------------------------------------------
// true: it was one, and is dropped.
static bool separates(Brackets *brackets, uint32_t at) {
  Level *level = &brackets->levels[brackets->depth];
  int kind = brackets->words->list[at].kind;
  bool field = level->role == ROLE_STRUCT && kind == TOK_COMMA;
  bool statement = kind == TOK_SEMI && level->heads == 0;
  if (!field && !statement) return false;
  drop_word(brackets, at);
  level->start = true;
  return true;
}

static void begin_statement(Brackets *brackets, Word *word) {
  Level *level = &brackets->levels[brackets->depth];
  if (level->start || word->flags & WORD_NEWLINE) {
    RT_ASSERT(level->heads == 0);
    word->flags |= WORD_STARTS;
    level->start = false;
  }
  if (word->flags & WORD_HEADS) level->heads++;
  if (word->role == ROLE_CASE) end_case(brackets, level);
  if (word->role == ROLE_CASE_COLON)
    level->colon = (uint32_t)(word - brackets->words->list);
  if (word->role == ROLE_CASE_COLON || word->role == ROLE_LABEL_COLON) {
    level->start = true;
  }
}

// A comma stands after the element, not on a line of its own: comments that
// were before it follow it.
static void pull_comma(Brackets *brackets, Word *comma) {
  RT_ASSERT(brackets->last != NO_WORD &&
            &brackets->words->list[brackets->last] < comma);
  const Word *last = &brackets->words->list[brackets->last];
  if (comma->line == last->end_line) return;
  comma[1].notes = comma->notes;
  comma->line = comma->end_line = last->end_line;
}

static void mark_colon(Word *colon, Role bracket) {
  if (bracket == ROLE_INDEX) colon->role = ROLE_SLICE_COLON;
  if (bracket == ROLE_WIDE_SLICE) colon->role = ROLE_WIDE_SLICE_COLON;
}

static int closing_of(int kind) {
  switch (kind) {
    case TOK_LPAREN:
      return TOK_RPAREN;
    case TOK_LBRACK:
      return TOK_RBRACK;
    case TOK_MAP_BEGIN:
      return TOK_MAP_END;
    case TOK_LBRACE:
      return TOK_RBRACE;
    default:
      rt_throw("closing_of: token %d is no bracket", kind);
  }
}

static bool is_matched(const Words *words, uint32_t at) {
  const Word *word = &words->list[at];
  if (!format_opens(word->kind)) return true;
  if (word->match <= at || word->match >= words->count) return false;
  const Word *other = &words->list[word->match];
  return other->match == at && other->kind == closing_of(word->kind);
}

bool words_are_valid(const Words *words) {
  for (uint32_t i = 0; i < words->count; i++) {
    const Word *word = &words->list[i];
    bool last = i + 1 == words->count;
    if (!last && word->offset + word->len > word[1].offset) return false;
    if (word->notes > word[1].notes || word[1].notes > words->note_count)
      return false;
    if (!is_matched(words, i)) return false;
  }
  return words->count > 0 && words->list[words->count - 1].kind == TOK_END;
}

// --- entry point ------------------------------------------------------------
static void match_word(Brackets *brackets, uint32_t at) {
  Word *word = &brackets->words->list[at];
  Level *level = &brackets->levels[brackets->depth];
  if (format_closes(word->kind)) {
    close_level(brackets, at);
    return;
  }
  if (level->statements) {
    if (separates(brackets, at)) return;
    begin_statement(brackets, word);
  }
  if (word->kind == TOK_COMMA) pull_comma(brackets, word);
  if (word->kind == TOK_COLON) mark_colon(word, level->role);
  if (format_opens(word->kind)) open_level(brackets, at);
}

void brackets_mark(Words *words) {
  Brackets brackets = {.words = words, .last = NO_WORD};
  brackets.levels[0] = (Level){
      .open = NO_WORD, .statements = true, .start = true, .colon = NO_WORD};
  for (uint32_t i = 0; i < words->count; i++) {
    match_word(&brackets, i);
    if (!(words->list[i].flags & WORD_DROPPED)) brackets.last = i;
  }
  RT_ASSERT(brackets.depth == 0 && words_are_valid(words));
}
