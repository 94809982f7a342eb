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
#include "lang/parse/grammar.h"

typedef const unsigned char *Cursor;

static Pos cursor_pos(const Parse *p, Cursor at) {
  return (Pos){.line = p->line,
               .col = (uint32_t)(at - p->line_start) + 1,
               .offset = (uint32_t)(at - (Cursor)p->source->text)};
}

// The token goes from its place to p->cursor.
static void end_token(Parse *p, Token *token, int kind) {
  token->kind = kind;
  Cursor start = (Cursor)p->source->text + token->pos.offset;
  token->len = (uint32_t)(p->cursor - start);
  p->token_end = cursor_pos(p, p->cursor);
}

static void pass_lines(Parse *p, Cursor from, Cursor to) {
  while ((from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
    p->line++;
    p->line_start = ++from;
  }
}

static void word(Parse *p, Token *token, Cursor start, int kind) {
  token->name = arena_intern(p->arena, (const char *)start,
                             (size_t)(p->cursor - start));
  end_token(p, token, kind);
}

// After the `/*`.
static void skip_comment(Parse *p, Pos begin) {
  Cursor from = p->cursor;
  Cursor end = memmem(from, (size_t)(p->limit - from), "*/", 2);
  if (end == NULL) {
    parse_ends_early(p);
    diag_error(p->diags, begin, 2, "this comment is never closed");
    diag_hint(p->diags, "it ends with `*/`");
  }
  p->cursor = end ? end + 2 : p->limit;
  uint32_t line = p->line;
  pass_lines(p, from, p->cursor);
  if (p->line != line) p->newline = true;
  if (p->trail) trail_comment(p, begin, cursor_pos(p, p->cursor).offset);
}

// After the opening backquote.
static void lex_raw(Parse *p, Token *token) {
  Cursor from = p->cursor;
  Cursor end = memchr(from, '`', (size_t)(p->limit - from));
  if (end == NULL) {
    parse_ends_early(p);
    diag_error(p->diags, token->pos, 1, "this raw string is never closed");
    diag_hint(p->diags, "it ends with a backquote");
    end = p->limit;
  }
  const char *text = (const char *)from;
  token->str = literal_raw(p, text, (size_t)(end - from));
  p->cursor = end < p->limit ? end + 1 : end;
  pass_lines(p, from, p->cursor);
  end_token(p, token, TOK_STR);
}

// What ends the piece of a string: a quote, `${`, or what should not.
typedef enum PieceEnd { AT_QUOTE, AT_DOLLAR, AT_LINE_END } PieceEnd;

// Moves p->cursor past the end of the piece, and *text_end to its end.
static PieceEnd scan_piece(Parse *p, Cursor *text_end) {
  Cursor c = p->cursor, marker = c;
  for (;;) {
    *text_end = p->cursor = c;
    /*!re2c
      re2c:define:YYCTYPE = "unsigned char";
      re2c:define:YYCURSOR = c;
      re2c:define:YYMARKER = marker;
      re2c:yyfill:enable = 0;

      [^"\\$\n\x00]+ { continue; }
      "\\" [^\n\x00] { continue; }
      "\\"           { continue; }
      "$"            { continue; }
      "${"           { p->cursor = c; return AT_DOLLAR; }
      ["]            { p->cursor = c; return AT_QUOTE; }
      "\n"           { return AT_LINE_END; }
      "\x00"         {
        if (*text_end == p->limit) return AT_LINE_END;
        continue;
      }
    */
  }
}

// A string that began on this line and still holds an open `${` here.
static const Bracket *open_interpolation(const Parse *p) {
  for (int i = p->depth; i > 0; i--) {
    const Bracket *bracket = &p->brackets[i];
    bool here = bracket->open.pos.line == p->line;
    if (bracket->kind == OPEN_INTERP && here) return bracket;
  }
  return NULL;
}

static void string_not_closed(Parse *p, Pos begin) {
  const Bracket *open = open_interpolation(p);
  diag_error(p->diags, begin, 1, "this string is not closed on its line");
  if (open) {
    diag_hint(p->diags, "the `${` of the string at column %u is still open",
              open->open.pos.col);
  } else {
    diag_hint(p->diags, "write `\\n` for a newline, or a `raw string`");
  }
}

// From p->cursor on; `begin` is where an error is shown.
static void lex_piece(Parse *p, Token *token, Pos begin, int closed,
                      int interpolated) {
  Cursor from = p->cursor, end = from;
  Pos text_pos = cursor_pos(p, from);
  PieceEnd how = scan_piece(p, &end);
  if (how == AT_LINE_END) string_not_closed(p, begin);
  const char *text = (const char *)from;
  token->str = literal_string(p, text, (size_t)(end - from), text_pos);
  end_token(p, token, how == AT_DOLLAR ? interpolated : closed);
  if (how == AT_LINE_END) token->origin = FROM_ERROR;
}

static void lex_rune(Parse *p, Token *token) {
  const char *text = p->source->text + token->pos.offset;
  end_token(p, token, TOK_INT);
  token->i = literal_rune(p, text, token->len, token->pos);
}

static void malformed_number(Parse *p, Token *token) {
  end_token(p, token, TOK_INT);
  token->i = 0;
  diag_error(p->diags, token->pos, token->len, "malformed number `%.*s`",
             (int)(token->len < 40 ? token->len : 40),
             p->source->text + token->pos.offset);
}

static void unknown_character(Parse *p, Pos pos) {
  const unsigned char *at = (Cursor)p->source->text + pos.offset;
  if (strncmp((const char *)at, BYTE_ORDER_MARK, 3) == 0) {
    diag_error(p->diags, pos, 1,
               "a byte order mark may only begin a file: delete these 3 bytes");
    p->cursor = at + 3;
  } else if (*at >= ' ' && *at < 0x7f) {
    diag_error(p->diags, pos, 1, "unexpected character `%c`", *at);
  } else {
    diag_error(p->diags, pos, 1, "unexpected byte \\x%02x", *at);
  }
  if (*at == '~') diag_hint(p->diags, "the bits of an int: `^x`");
  if (*at == '#') {
    diag_hint(p->diags, "comments begin with `//`");
    Cursor end = memchr(at, '\n', (size_t)(p->limit - at));
    p->cursor = end ? end : p->limit;
  }
}

static void foreign_operator(Parse *p, Token *token, int kind,
                             const char *hint) {
  end_token(p, token, kind);
  diag_error(p->diags, token->pos, token->len, "there is no operator `%.*s`",
             (int)token->len, p->source->text + token->pos.offset);
  diag_hint(p->diags, "%s", hint);
}

void lex_string_rest(Parse *p, Token *token) {
  *token = (Token){.pos = cursor_pos(p, p->cursor - 1)};
  const Bracket *open = &p->brackets[p->depth];
  bool same_line = open->open.pos.line == p->line;
  Pos begin = same_line ? open->open.pos : token->pos;
  lex_piece(p, token, begin, TOK_STR_TAIL, TOK_STR_MID);
}

#define WORD(kind)                     \
  do {                                 \
    p->cursor = c;                     \
    word(p, token, start, TOK_##kind); \
    return;                            \
  } while (0)
#define SIGN(kind)                 \
  do {                              \
    p->cursor = c;                  \
    end_token(p, token, TOK_##kind);   \
    return;                         \
  } while (0)
// A token that a function makes.
#define MAKE(call)  \
  do {              \
    p->cursor = c;  \
    call;           \
    return;         \
  } while (0)
#define NUMBER(kind, member, function)                          \
  do {                                                          \
    p->cursor = c;                                              \
    end_token(p, token, TOK_##kind);                               \
    token->member =                                             \
        function(p, (const char *)start, token->len, token->pos); \
    return;                                                     \
  } while (0)

// A text that is given up ends here.
static Cursor where_to_go_on(const Parse *p, Cursor c) {
  return arena_failed(p->arena) ? p->limit : c;
}

void lex_token(Parse *p, Token *token) {
  Cursor c = p->cursor, marker = c, context = c;
  p->newline = false;
  for (;;) {
    c = where_to_go_on(p, c);
    Cursor start = p->cursor = c;
    *token = (Token){.pos = cursor_pos(p, start)};
    /*!re2c
      re2c:define:YYCTXMARKER = context;

      // Any byte from 0x80 on but those of a byte order mark.
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
      some     = [^'\\\n\x00] | "\\" [^\n\x00];

      [ \t\r]+       { continue; }
      "\n"           {
        p->newline = true;
        p->line++;
        p->line_start = c;
        continue;
      }
      "//" [^\n\x00]* {
        if (p->trail) trail_comment(p, token->pos, cursor_pos(p, c).offset);
        continue;
      }
      "/*"           {
        p->cursor = c;
        skip_comment(p, token->pos);
        c = p->cursor;
        continue;
      }
      "\x00"         {
        if (start == p->limit) {
          p->cursor = start;
          token->kind = TOK_END;
          return;
        }
        unknown_character(p, token->pos);
        continue;
      }

      "for" / gap name (gap? "," gap? name)? gap "in" [^a-zA-Z0-9_\x80-\xff]
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
      junk           { MAKE(malformed_number(p, token)); }
      "." digits     { MAKE(malformed_number(p, token)); }

      ["]            { MAKE(lex_piece(p, token, token->pos, TOK_STR,
                                      TOK_STR_HEAD)); }
      "`"            { MAKE(lex_raw(p, token)); }
      "'" some* "'"? { MAKE(lex_rune(p, token)); }

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

      "==="  { MAKE(foreign_operator(p, token, TOK_EQ, "write `==`")); }
      "!=="  { MAKE(foreign_operator(p, token, TOK_NE, "write `!=`")); }
      "~="   { MAKE(foreign_operator(p, token, TOK_NE, "write `!=`")); }
      "<>"   { MAKE(foreign_operator(p, token, TOK_NE, "write `!=`")); }
      "->"   { MAKE(foreign_operator(p, token, TOK_DOT,
                      "fields are read as `x.name`; "
                      "a short function is `func(x) => x`")); }
      [^]    {
        p->cursor = c;
        unknown_character(p, token->pos);
        c = p->cursor;
        continue;
      }
    */
  }
}
