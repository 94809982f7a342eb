// SPDX-License-Identifier: MIT
// The lexer: bytes to tokens. Edit here; re2c makes lexer.c of it in build/.
//
// Only parse.c calls it. The text ends with a NUL, which no rule passes.
// Whether a newline ends a statement and what a brace means is decided in
// parse.c; here is only the shape of tokens. A malformed token is reported
// and given on as a well-formed one, so that the parser sees no gap.
#include <stdio.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/literal.h"
#include "lang/parse/trail.h"
#include "lang/parse/verb.h"
#include "lang/parse/grammar.h"

typedef const unsigned char *Cursor;

static Pos cursor_pos(const Parse *parse, Cursor at) {
  return (Pos){.line = parse->line,
               .col = (uint32_t)(at - parse->line_start) + 1,
               .offset = (uint32_t)(at - (Cursor)parse->source->text)};
}

// The token goes from its place to parse->cursor.
static void end_token(Parse *parse, Token *token, int kind) {
  token->kind = kind;
  Cursor start = (Cursor)parse->source->text + token->pos.offset;
  RT_ASSERT(start <= parse->cursor && parse->cursor <= parse->limit);
  token->len = (uint32_t)(parse->cursor - start);
  parse->token_end = cursor_pos(parse, parse->cursor);
}

static void pass_lines(Parse *parse, Cursor from, Cursor to) {
  while ((from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
    parse->line++;
    parse->line_start = ++from;
  }
}

static void word(Parse *parse, Token *token, Cursor start, int kind) {
  token->name = arena_intern(parse->arena, (const char *)start,
                             (size_t)(parse->cursor - start));
  end_token(parse, token, kind);
}

// After the `/*`.
static void skip_comment(Parse *parse, Pos begin) {
  Cursor from = parse->cursor;
  Cursor end = memmem(from, (size_t)(parse->limit - from), "*/", 2);
  if (end == NULL) {
    parse_ends_early(parse);
    diag_error(parse->diags, begin, 2, "this comment is never closed");
    diag_hint(parse->diags, "it ends with `*/`");
  }
  parse->cursor = end != NULL ? end + 2 : parse->limit;
  uint32_t line = parse->line;
  pass_lines(parse, from, parse->cursor);
  if (parse->line != line) parse->newline = true;
  if (parse->trail != NULL)
    trail_comment(parse, begin, cursor_pos(parse, parse->cursor).offset);
}

// Of a line that is a comment: where the lexer is, or, at a NUL, the line's end.
static Cursor comment_end(const Parse *parse, Cursor at) {
  if (*at == '\n' || at == parse->limit) return at;
  Cursor end = memchr(at, '\n', (size_t)(parse->limit - at));
  return end != NULL ? end : parse->limit;
}

// After the opening backquote.
static void lex_raw(Parse *parse, Token *token) {
  Cursor from = parse->cursor;
  Cursor end = memchr(from, '`', (size_t)(parse->limit - from));
  if (end == NULL) {
    parse_ends_early(parse);
    diag_error(parse->diags, token->pos, 1, "this raw string is never closed");
    diag_hint(parse->diags, "it ends with a backquote");
    end = parse->limit;
  }
  const char *text = (const char *)from;
  token->str = literal_raw(parse, text, (size_t)(end - from));
  parse->cursor = end < parse->limit ? end + 1 : end;
  pass_lines(parse, from, parse->cursor);
  end_token(parse, token, TOK_STR);
}

enum { FENCE_LEN = 3 };  // three backquotes
static const char FENCE[] = "```";

static bool is_fence(const Parse *parse, Cursor at) {
  return parse->limit - at >= FENCE_LEN && memcmp(at, FENCE, FENCE_LEN) == 0;
}

static Cursor after_blanks(const Parse *parse, Cursor at) {
  while (at < parse->limit && (*at == ' ' || *at == '\t')) at++;
  return at;
}

// The line, from `at` on, that begins with a fence after blanks. NULL: none.
static Cursor closing_line(const Parse *parse, Cursor at) {
  while (!is_fence(parse, after_blanks(parse, at))) {
    at = memchr(at, '\n', (size_t)(parse->limit - at));
    if (at == NULL) return NULL;
    at++;
  }
  return at;
}

// The token goes up to the next fence, as that is what was meant to close it.
static void block_without_line(Parse *parse, Token *token) {
  Cursor from = parse->cursor;
  size_t left = (size_t)(parse->limit - from);
  Cursor end = memmem(from, left, FENCE, FENCE_LEN);
  diag_error(parse->diags, token->pos, FENCE_LEN,
             "a new line must follow the three backquotes");
  diag_hint(parse->diags, "one backquote begins a raw string");
  parse->cursor = end != NULL ? end + FENCE_LEN : from;
  pass_lines(parse, from, parse->cursor);
  token->str = (AstStr){"", 0};
  end_token(parse, token, TOK_STR);
}

// After the three backquotes that open lines of raw text.
static void lex_block(Parse *parse, Token *token) {
  Cursor opened = parse->cursor, from = opened;
  if (from < parse->limit && *from == '\r') from++;
  if (from < parse->limit && *from != '\n') {
    block_without_line(parse, token);
    return;
  }
  if (from < parse->limit) from++;
  Cursor last = closing_line(parse, from);
  if (last == NULL) {
    parse_ends_early(parse);
    diag_error(parse->diags, token->pos, FENCE_LEN,
               "these lines are never closed");
    diag_hint(parse->diags, "three backquotes on a line of their own do that");
    last = parse->limit;
  }
  Cursor end = after_blanks(parse, last);
  Pos first = {.line = parse->line + 1, .col = 1};
  first.offset = (uint32_t)(from - (Cursor)parse->source->text);
  token->str = literal_lines(parse, (size_t)(last - from), first,
                             (size_t)(end - last));
  parse->cursor = end < parse->limit ? end + FENCE_LEN : end;
  pass_lines(parse, opened, parse->cursor);
  end_token(parse, token, TOK_STR);
}

// What ends the piece of a string: a quote, `${`, or what should not.
typedef enum PieceEnd { AT_QUOTE, AT_DOLLAR, AT_LINE_END } PieceEnd;

// Moves parse->cursor past the end of the piece, and *text_end to its end.
static PieceEnd scan_piece(Parse *parse, Cursor *text_end) {
  Cursor at = parse->cursor, marker = at;
  for (;;) {
    *text_end = parse->cursor = at;
    /*!re2c
      re2c:define:YYCTYPE = "unsigned char";
      re2c:define:YYCURSOR = at;
      re2c:define:YYMARKER = marker;
      re2c:yyfill:enable = 0;

      [^"\\$\n\x00]+ { continue; }
      "\\" [^\n\x00] { continue; }
      "\\"           { continue; }
      "$"            { continue; }
      "${"           { parse->cursor = at; return AT_DOLLAR; }
      ["]            { parse->cursor = at; return AT_QUOTE; }
      "\n"           { return AT_LINE_END; }
      "\x00"         {
        if (*text_end == parse->limit) return AT_LINE_END;
        continue;
      }
    */
  }
}

// A string that began on this line and still holds an open `${` here.
static const Bracket *open_interpolation(const Parse *parse) {
  for (int i = parse->depth; i > 0; i--) {
    const Bracket *bracket = &parse->brackets[i];
    bool here = bracket->open.pos.line == parse->line;
    if (bracket->kind == OPEN_INTERP && here) return bracket;
  }
  return NULL;
}

static void string_not_closed(Parse *parse, Pos begin) {
  const Bracket *open = open_interpolation(parse);
  diag_error(parse->diags, begin, 1, "this string is not closed on its line");
  if (open) {
    diag_hint(parse->diags, "the `${` of the string at column %u is still open",
              open->open.pos.col);
  } else {
    diag_hint(parse->diags, "write `\\n` for a newline, or a `raw string`");
  }
}

// From parse->cursor on; `begin` is where an error is shown.
static void lex_piece(Parse *parse, Token *token, Pos begin, int closed,
                      int interpolated) {
  Cursor from = parse->cursor, end = from;
  Pos text_pos = cursor_pos(parse, from);
  PieceEnd how = scan_piece(parse, &end);
  if (how == AT_LINE_END) string_not_closed(parse, begin);
  const char *text = (const char *)from;
  token->str = literal_string(parse, text, (size_t)(end - from), text_pos);
  end_token(parse, token, how == AT_DOLLAR ? interpolated : closed);
  if (how == AT_LINE_END) token->origin = FROM_ERROR;
}

static void lex_rune(Parse *parse, Token *token) {
  const char *text = parse->source->text + token->pos.offset;
  end_token(parse, token, TOK_INT);
  token->i = literal_rune(parse, text, token->len, token->pos);
}

static void malformed_number(Parse *parse, Token *token) {
  end_token(parse, token, TOK_INT);
  token->i = 0;
  diag_error(parse->diags, token->pos, token->len, "malformed number `%.*s`",
             (int)(token->len < 40 ? token->len : 40),
             parse->source->text + token->pos.offset);
}

static void unknown_character(Parse *parse, Pos pos) {
  const unsigned char *at = (Cursor)parse->source->text + pos.offset;
  if (strncmp((const char *)at, BYTE_ORDER_MARK, 3) == 0) {
    diag_error(parse->diags, pos, 1,
               "a byte order mark may only begin a file: delete these 3 bytes");
    parse->cursor = at + 3;
  } else if (*at >= ' ' && *at < 0x7f) {
    diag_error(parse->diags, pos, 1, "unexpected character `%c`", *at);
  } else {
    diag_error(parse->diags, pos, 1, "unexpected byte \\x%02x", *at);
  }
  if (*at == '~') diag_hint(parse->diags, "the bits of an int: `^x`");
  if (*at == '#') {
    diag_hint(parse->diags, "comments begin with `//`");
    Cursor end = memchr(at, '\n', (size_t)(parse->limit - at));
    parse->cursor = end != NULL ? end : parse->limit;
  }
}

static void foreign_operator(Parse *parse, Token *token, int kind,
                             const char *hint) {
  end_token(parse, token, kind);
  diag_error(parse->diags, token->pos, token->len,
             "there is no operator `%.*s`",
             (int)token->len, parse->source->text + token->pos.offset);
  diag_hint(parse->diags, "%s", hint);
}

void lex_string_rest(Parse *parse, Token *token) {
  *token = (Token){.pos = cursor_pos(parse, parse->cursor - 1)};
  const Bracket *open = &parse->brackets[parse->depth];
  bool same_line = open->open.pos.line == parse->line;
  Pos begin = same_line ? open->open.pos : token->pos;
  lex_piece(parse, token, begin, TOK_STR_TAIL, TOK_STR_MID);
}

void lex_format(Parse *parse, Token *token) {
  Cursor from = parse->cursor, end = from;
  while (end < parse->limit && *end != '}' && *end != '"' && *end != '\n')
    end++;
  token->pos = cursor_pos(parse, from);
  parse->cursor = end;
  end_token(parse, token, TOK_FORMAT);
  const char *text = (const char *)from;
  token->str = literal_format(parse, text, token->len);
  char fault[160];
  // After an error the colon may be something else, as in `a ? b : c`.
  if (parse->skipping) return;
  if (!verb_is_wrong(text, token->len, fault, sizeof fault)) return;
  diag_error(parse->diags, token->pos, token->len > 0 ? token->len : 1, "%s",
             fault);
  diag_hint(parse->diags, "after the colon stands what follows the %% in fmt");
}

#define WORD(kind)                     \
  do {                                 \
    parse->cursor = at;                \
    word(parse, token, start, TOK_##kind); \
    return;                            \
  } while (0)
#define SIGN(kind)                 \
  do {                              \
    parse->cursor = at;             \
    end_token(parse, token, TOK_##kind); \
    return;                         \
  } while (0)
// A token that a function makes.
#define MAKE(call)  \
  do {              \
    parse->cursor = at; \
    call;           \
    return;         \
  } while (0)
#define NUMBER(kind, member, function)                          \
  do {                                                          \
    parse->cursor = at;                                         \
    end_token(parse, token, TOK_##kind);                           \
    token->member =                                             \
        function(parse, (const char *)start, token->len, token->pos); \
    return;                                                     \
  } while (0)

// A text that is given up ends here.
static Cursor where_to_go_on(const Parse *parse, Cursor at) {
  return arena_failed(parse->arena) ? parse->limit : at;
}

void lex_token(Parse *parse, Token *token) {
  Cursor at = parse->cursor, marker = at, context = at;
  parse->newline = false;
  for (;;) {
    at = where_to_go_on(parse, at);
    Cursor start = parse->cursor = at;
    *token = (Token){.pos = cursor_pos(parse, start)};
    /*!re2c
      re2c:define:YYCTXMARKER = context;

      // All bytes from 0x80 on are letters but those of a byte order mark.
      letter   = [a-zA-Z_\x80-\xee\xf0-\xff] | "\xef" [\x80-\xba\xbc-\xbf]
               | "\xef\xbb" [\x80-\xbe];
      name     = letter (letter | [0-9])*;
      digits   = [0-9] ("_"? [0-9])*;
      exponent = [eE] [+-]? digits;
      hex      = "0" [xX] ("_"? [0-9a-fA-F])+;
      binary   = "0" [bB] ("_"? [01])+;
      octal    = "0" [oO] ("_"? [0-7])+;
      unit     = "ns" | "us" | "ms" | "s" | "m" | "h";
      junk     = [0-9] (letter | [0-9])* ("." [0-9] (letter | [0-9])*)?;
      comment  = "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/";
      gap      = ([ \t\r] | comment)+;
      wide     = (gap | "\n" | "//" [^\n\x00]* "\n")+;
      some     = [^'\\\n\x00] | "\\" [^\n\x00];

      [ \t\r]+       { continue; }
      "\n"           {
        parse->newline = true;
        parse->line++;
        parse->line_start = at;
        continue;
      }
      "//" [^\n\x00]* {
        at = comment_end(parse, at);
        if (parse->trail != NULL)
          trail_comment(parse, token->pos, cursor_pos(parse, at).offset);
        continue;
      }
      "/*"           {
        parse->cursor = at;
        skip_comment(parse, token->pos);
        at = parse->cursor;
        continue;
      }
      "\x00"         {
        if (start == parse->limit) {
          parse->cursor = start;
          token->kind = TOK_END;
          return;
        }
        unknown_character(parse, token->pos);
        continue;
      }

      "for" / gap name (gap? "," gap? name)? gap "in" [^a-zA-Z0-9_\x80-\xff]
                     { WORD(FORIN); }
      "for" / gap? "(" wide? name wide? "," (wide | name | ",")* ")" gap? "in"
          [^a-zA-Z0-9_\x80-\xff]
                     { WORD(FORIN); }
      "break"        { WORD(BREAK); }
      "case"         { WORD(CASE); }
      "const"        { WORD(CONST); }
      "continue"     { WORD(CONTINUE); }
      "default"      { WORD(DEFAULT); }
      "defer"        { WORD(DEFER); }
      "else"         { WORD(ELSE); }
      "false"        { WORD(FALSE); }
      "for"          { WORD(FOR); }
      "func"         { WORD(FUNC); }
      "go"           { WORD(GO); }
      "group"        { WORD(GROUP); }
      "if"           { WORD(IF); }
      "import"       { WORD(IMPORT); }
      "in"           { WORD(IN); }
      "is"           { WORD(IS); }
      "nil"          { WORD(NIL); }
      "return"       { WORD(RETURN); }
      "select"       { WORD(SELECT); }
      "struct"       { WORD(STRUCT); }
      "switch"       { WORD(SWITCH); }
      "true"         { WORD(TRUE); }
      "var"          { WORD(VAR); }
      name           { WORD(NAME); }

      digits | hex | binary | octal { NUMBER(INT, i, literal_int); }
      digits "." digits exponent? | digits exponent
                     { NUMBER(FLOAT, f, literal_float); }
      digits ("." digits)? unit { NUMBER(INT, i, literal_duration); }
      junk           { MAKE(malformed_number(parse, token)); }
      "." digits     { MAKE(malformed_number(parse, token)); }

      ["]            { MAKE(lex_piece(parse, token, token->pos, TOK_STR,
                                      TOK_STR_HEAD)); }
      "`"            { MAKE(lex_raw(parse, token)); }
      "```"          { MAKE(lex_block(parse, token)); }
      "'" some* "'"? { MAKE(lex_rune(parse, token)); }

      "("   { SIGN(LPAREN); }     ")"   { SIGN(RPAREN); }
      "["   { SIGN(LBRACK); }     "]"   { SIGN(RBRACK); }
      "{"   { SIGN(LBRACE); }     "}"   { SIGN(RBRACE); }
      ","   { SIGN(COMMA); }      ";"   { SIGN(SEMI); }
      ":"   { SIGN(COLON); }      "."   { SIGN(DOT); }
      ".."  { SIGN(RANGE); }      "..=" { SIGN(RANGE_INCL); }
      "..." { SIGN(ELLIPSIS); }   "=>"  { SIGN(ARROW); }
      "<-"  { SIGN(RECV); }       "?"   { SIGN(QUESTION); }
      "??"  { SIGN(COALESCE); }   "!"   { SIGN(NOT); }
      "||"  { SIGN(OR); }         "&&"  { SIGN(AND); }
      "=="  { SIGN(EQ); }         "!="  { SIGN(NE); }
      "<"   { SIGN(LT); }         "<="  { SIGN(LE); }
      ">"   { SIGN(GT); }         ">="  { SIGN(GE); }
      "+"   { SIGN(ADD); }        "-"   { SIGN(SUB); }
      "*"   { SIGN(MUL); }        "/"   { SIGN(DIV); }
      "%"   { SIGN(MOD); }        "+%"  { SIGN(ADDW); }
      "-%"  { SIGN(SUBW); }       "*%"  { SIGN(MULW); }
      "&"   { SIGN(BAND); }       "|"   { SIGN(BOR); }
      "^"   { SIGN(BXOR); }       "<<"  { SIGN(SHL); }
      ">>"  { SIGN(SHR); }        "++"  { SIGN(INC); }
      "--"  { SIGN(DEC); }        ":="  { SIGN(DEFINE); }
      "="   { SIGN(ASSIGN); }     "??=" { SIGN(COALESCE_SET); }
      "+="  { SIGN(ADD_SET); }    "-="  { SIGN(SUB_SET); }
      "*="  { SIGN(MUL_SET); }    "/="  { SIGN(DIV_SET); }
      "%="  { SIGN(MOD_SET); }    "&="  { SIGN(BAND_SET); }
      "|="  { SIGN(BOR_SET); }    "^="  { SIGN(BXOR_SET); }
      "<<=" { SIGN(SHL_SET); }    ">>=" { SIGN(SHR_SET); }
      "+%=" { SIGN(ADDW_SET); }   "-%=" { SIGN(SUBW_SET); }
      "*%=" { SIGN(MULW_SET); }

      "==="  { MAKE(foreign_operator(parse, token, TOK_EQ, "write `==`")); }
      "!=="  { MAKE(foreign_operator(parse, token, TOK_NE, "write `!=`")); }
      "~="   { MAKE(foreign_operator(parse, token, TOK_NE, "write `!=`")); }
      "<>"   { MAKE(foreign_operator(parse, token, TOK_NE, "write `!=`")); }
      "->"   { MAKE(foreign_operator(parse, token, TOK_DOT,
                      "results have no types; a field is read as `x.name`, "
                      "and a short function is `func(x) => x`")); }
      [^]    {
        parse->cursor = at;
        unknown_character(parse, token->pos);
        at = parse->cursor;
        continue;
      }
    */
  }
}
