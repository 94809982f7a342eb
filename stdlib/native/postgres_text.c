// SPDX-License-Identifier: MIT
// The module postgres: texts of SQL that begin or end a transaction. The native
// that has the link calls these functions.
//
// `transaction` alone does that, because it could not tell else whether what
// was done is kept. So a text is looked through before it is sent. The reader
// knows the server's rules for strings, names, comments and brackets, and looks
// at the first words of each statement. It stops at a body in BEGIN ATOMIC, in
// which END is no statement. So what the server says a statement was is looked
// at, too (pg_note_tag).
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stdlib/native/postgres.h"

// Where the reader is. `escapes`: a backslash in '...' is one.
typedef struct PgText {
  const char *text;
  size_t len, at;
  bool escapes;
  bool after_escaped;  // a string E'...', which the next one may continue
} PgText;

typedef enum PgToken {
  PG_WORD,
  PG_SEMICOLON,
  PG_SIGN,
  PG_OPEN,
  PG_CLOSE,
  PG_OVER
} PgToken;

typedef struct PgWord {
  const char *text;
  size_t len;
} PgWord;

static bool pg_is_word(const PgWord *word, const char *text) {
  return word->len == strlen(text) &&
         strncasecmp(word->text, text, word->len) == 0;
}

static char pg_text_at(const PgText *on, size_t at) {
  return at < on->len ? on->text[at] : '\0';
}

static bool pg_is_blank_char(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool pg_begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (unsigned char)c >= 0x80;
}

static bool pg_is_in_word(char c) {
  return pg_begins_word(c) || (c >= '0' && c <= '9') || c == '$';
}

// Comments are nested.
static void pg_skip_comment(PgText *on) {
  int depth = 0;
  do {
    bool open =
        pg_text_at(on, on->at) == '/' && pg_text_at(on, on->at + 1) == '*';
    bool shut =
        pg_text_at(on, on->at) == '*' && pg_text_at(on, on->at + 1) == '/';
    depth += open - shut;
    on->at += open || shut ? 2 : 1;
  } while (depth > 0 && on->at < on->len);
}

static void pg_skip_blanks(PgText *on) {
  while (on->at < on->len) {
    char c = on->text[on->at], next = pg_text_at(on, on->at + 1);
    if (c == '/' && next == '*') {
      pg_skip_comment(on);
    } else if (c == '-' && next == '-') {
      while (on->at < on->len && on->text[on->at] != '\n' &&
             on->text[on->at] != '\r')
        on->at++;
    } else if (pg_is_blank_char(c)) {
      on->at++;
    } else {
      return;
    }
  }
}

// A doubled quote is seen as the end of one string and the begin of another.
static void pg_skip_quoted(PgText *on, char quote, bool escapes) {
  for (on->at++; on->at < on->len && on->text[on->at] != quote; on->at++)
    if (escapes && on->text[on->at] == '\\') on->at++;
  on->at++;
}

// $tag$...$tag$, or a $ alone. No tag has a $, so the text is read twice at
// most.
static void pg_skip_dollars(PgText *on) {
  size_t from = on->at++;
  if (pg_begins_word(pg_text_at(on, on->at)))
    while (pg_is_in_word(pg_text_at(on, on->at)) && on->text[on->at] != '$')
      on->at++;
  if (pg_text_at(on, on->at) != '$') return;
  size_t size = ++on->at - from;
  const char *tag = on->text + from;
  for (; on->at + size <= on->len; on->at++)
    if (on->text[on->at] == '$' && memcmp(on->text + on->at, tag, size) == 0) {
      on->at += size;
      return;
    }
  on->at = on->len;
}

static PgToken pg_next_word(PgText *on, PgWord *word) {
  *word = (PgWord){on->text + on->at, 0};
  while (pg_is_in_word(pg_text_at(on, on->at))) on->at++;
  word->len = (size_t)(on->text + on->at - word->text);
  if (pg_text_at(on, on->at) != '\'' || !pg_is_word(word, "e")) return PG_WORD;
  pg_skip_quoted(on, '\'', true);
  on->after_escaped = true;
  return PG_SIGN;
}

static PgToken pg_next_token(PgText *on, PgWord *word) {
  pg_skip_blanks(on);
  if (on->at >= on->len) return PG_OVER;
  char c = on->text[on->at];
  bool escapes = on->escapes || on->after_escaped;
  on->after_escaped = on->after_escaped && c == '\'';
  if (pg_begins_word(c)) return pg_next_word(on, word);
  if (c == '\'' || c == '"')
    pg_skip_quoted(on, c, c == '\'' && escapes);
  else if (c == '$')
    pg_skip_dollars(on);
  else
    on->at++;
  return c == ';'   ? PG_SEMICOLON
         : c == '(' ? PG_OPEN
         : c == ')' ? PG_CLOSE
                    : PG_SIGN;
}

// Whether a statement of these first words begins or ends a transaction, or a
// part of one.
static bool pg_is_control(const PgWord *first, const PgWord *second) {
  static const char *const always[] = {"begin", "start",     "end",
                                       "abort", "savepoint", "release"};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (pg_is_word(first, always[i])) return true;
  if (pg_is_word(first, "prepare")) return pg_is_word(second, "transaction");
  bool ends = pg_is_word(first, "commit") || pg_is_word(first, "rollback");
  return ends && !pg_is_word(second, "prepared");
}

// The first word of a statement that pg_is_control, or an empty one. false:
// given up.
static bool pg_find_control(CspCall *call, PgText *on, PgWord *found) {
  enum { EACH = 4096 };
  PgWord words[2] = {{"", 0}, {"", 0}}, word = {"", 0}, last;
  int count = 0, depth = 0;
  size_t paid = 0;
  *found = (PgWord){"", 0};
  for (;;) {
    last = word;
    word.len = 0;
    PgToken token = pg_next_token(on, &word);
    if (on->at - paid >= EACH && !csp_work(call, on->at - paid)) return false;
    if (on->at - paid >= EACH) paid = on->at;
    if (token == PG_WORD && pg_is_word(&last, "begin") &&
        pg_is_word(&word, "atomic"))
      return true;
    if (token == PG_WORD && count < 2) words[count] = word;
    count++;
    if (token == PG_OPEN) depth++;
    if (token == PG_CLOSE && depth > 0) depth--;
    bool ends = token == PG_OVER || (token == PG_SEMICOLON && depth == 0);
    if (ends && pg_is_control(&words[0], &words[1])) {
      *found = words[0];
      return true;
    }
    if (token == PG_OVER) return true;
    if (ends) words[0].len = words[1].len = 0;
    if (ends) count = 0;
  }
}

static const char *const TRANSACTIONS =
    "a transaction is begun and ended by pool.transaction alone, and an inner "
    "one by work.transaction";

bool pg_may_send(CspCall *call, PgLink *link, const char *text, size_t len) {
  const char *plain =
      PQparameterStatus(link->conn, "standard_conforming_strings");
  PgText on = {.text = text, .len = len};
  on.escapes = plain != NULL && strcmp(plain, "off") == 0;
  PgWord word;
  if (!pg_find_control(call, &on, &word)) return false;
  if (word.len == 0) return true;
  snprintf(link->code, sizeof link->code, "invalid");
  snprintf(link->message, sizeof link->message, "%s, so \"%.*s\" was not sent",
           TRANSACTIONS, (int)word.len, word.text);
  return false;
}

void pg_note_tag(PgLink *link, const PGresult *result) {
  static const char *const tags[][2] = {
      {"COMMIT", "committed what was done before, which stays"},
      {"ROLLBACK", "took back what was done before"},
      {"BEGIN", "began one"},
      {"START TRANSACTION", "began one"},
      {"PREPARE TRANSACTION", "prepared it, and it waits for its end"},
      {"SAVEPOINT", "began an inner one"},
      {"RELEASE", "ended an inner one"}};
  char message[256];
  // (PQcmdStatus only reads the result, but does not say so.)
  const char *tag = PQcmdStatus((PGresult *)result);
  if (link->most == PG_CONTROL) return;
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
    if (strcmp(tag, tags[i][0]) == 0) {
      snprintf(message, sizeof message, "%s, but this statement %s",
               TRANSACTIONS, tags[i][1]);
      pg_break(link, "invalid", message);
    }
}
