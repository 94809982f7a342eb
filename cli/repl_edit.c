// SPDX-License-Identifier: MIT
// The line editor, over libedit. It has a history and completion, and shows
// output that comes while a line is edited.
//
// One thread at a time edits, and only that thread draws. It waits for a key or
// for a poke (an eventfd). Other threads leave their output in `pending` while
// a line is edited, and poke. The editing thread then wipes the line off,
// writes the output, and draws the line again below it.
//
// A terminal that cannot move its cursor (TERM=dumb) edits lines by itself, so
// there is no EditLine, and whole lines are read. When output comes in the
// middle of a line, only the prompt is written again, because what was typed so
// far is known to the terminal alone.
#include "cli/repl_edit.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/repl_history.h"
#include "sched/rt.h"

enum { COLUMNS_SHOWN = 80, LINE_STEP = 256 };

struct Editor {
  EditLine *line;  // NULL: a dumb terminal
  History *history;
  Names (*complete)(void *arg, const char *line, size_t len, size_t *from);
  void *arg;
  struct termios terminal;  // as it was
  int poked;                // an eventfd
  uint32_t what;            // atomic: POKE_...
  const char *prompt;
  bool dropped, ended;

  pthread_mutex_t lock;  // guards what follows
  bool editing;
  bool in_line;  // the output's last byte was no newline
  char *pending;
  size_t pending_len;
};

// --- Output -----------------------------------------------------------------
// Lock held. If there is no memory to keep the output, it is written at once,
// wherever the cursor is.
static void keep(Editor *ed, int fd, const char *data, size_t len) {
  char *more = realloc(ed->pending, ed->pending_len + len);
  if (more == NULL) {
    rt_write_all(fd, data, len);
    return;
  }
  memcpy(more + ed->pending_len, data, len);
  ed->pending = more;
  ed->pending_len += len;
  eventfd_write(ed->poked, 1);
}

static void write_to(Editor *ed, int fd, const char *data, size_t len) {
  if (len == 0) return;
  pthread_mutex_lock(&ed->lock);
  if (ed->editing) {
    keep(ed, fd, data, len);
  } else {
    rt_write_all(fd, data, len);
    ed->in_line = data[len - 1] != '\n';
  }
  pthread_mutex_unlock(&ed->lock);
}

void editor_write_out(void *ed, const char *data, size_t len) {
  write_to(ed, STDOUT_FILENO, data, len);
}

void editor_write_err(void *ed, const char *data, size_t len) {
  if (isatty(STDERR_FILENO)) {
    write_to(ed, STDERR_FILENO, data, len);
  } else {
    rt_write_all(STDERR_FILENO, data, len);
  }
}

// Lock held. Whole lines.
static void write_pending(Editor *ed) {
  size_t len = ed->pending_len;
  if (len == 0) return;
  rt_write_all(STDOUT_FILENO, ed->pending, len);
  if (ed->pending[len - 1] != '\n') rt_write_all(STDOUT_FILENO, "\n", 1);
  free(ed->pending);
  ed->pending = NULL;
  ed->pending_len = 0;
}

static void begin_editing(Editor *ed) {
  pthread_mutex_lock(&ed->lock);
  if (ed->in_line) rt_write_all(STDOUT_FILENO, "\n", 1);
  ed->in_line = false;
  ed->editing = true;
  pthread_mutex_unlock(&ed->lock);
}

static void end_editing(Editor *ed) {
  pthread_mutex_lock(&ed->lock);
  write_pending(ed);
  ed->editing = false;
  pthread_mutex_unlock(&ed->lock);
}

// --- Drawing ----------------------------------------------------------------
// On which row of the line's the cursor is.
static int cursor_row(Editor *ed) {
  const LineInfo *info = el_line(ed->line);
  int columns = COLUMNS_SHOWN, row = 0;
  el_get(ed->line, EL_GETTC, "co", &columns);
  if (columns <= 0) columns = COLUMNS_SHOWN;
  int column = (int)strlen(ed->prompt);
  mbstate_t state = {0};
  for (const char *at = info->buffer; at < info->cursor;) {
    wchar_t rune = L'?';
    size_t n = mbrtowc(&rune, at, (size_t)(info->cursor - at), &state);
    if (n == 0 || n > 8) n = 1;
    at += n;
    int width = rune == L'\n' ? columns - column : wcwidth(rune);
    column += width > 0 ? width : 0;
    row += column / columns;
    column %= columns;
  }
  return row;
}

static void write_prompt(Editor *ed) {
  rt_write_all(STDOUT_FILENO, ed->prompt, strlen(ed->prompt));
}

static void wipe_line(Editor *ed) {
  char wipe[32];
  int row = cursor_row(ed);
  int len = row > 0 ? snprintf(wipe, sizeof wipe, "\r\033[%dA\033[J", row)
                    : snprintf(wipe, sizeof wipe, "\r\033[J");
  rt_write_all(STDOUT_FILENO, wipe, (size_t)len);
}

// Wipes the line off, writes what is pending, draws the line again.
static void redraw(Editor *ed) {
  if (ed->line != NULL) {
    wipe_line(ed);
  } else {
    rt_write_all(STDOUT_FILENO, "\n", 1);
  }
  pthread_mutex_lock(&ed->lock);
  write_pending(ed);
  pthread_mutex_unlock(&ed->lock);
  if (ed->line != NULL) {
    el_set(ed->line, EL_REFRESH);
  } else {
    write_prompt(ed);
  }
}

// --- Keys -------------------------------------------------------------------
static void see_pokes(Editor *ed) {
  eventfd_t count;
  eventfd_read(ed->poked, &count);
  // acquire: pairs with the RMW in editor_poke, whose eventfd was read. A poke
  // that comes after this wakes the editor again
  uint32_t what = rt_exchange(&ed->what, 0u);
  if (what & POKE_END) ed->ended = true;
  if (what & (POKE_DROP | POKE_END)) {
    ed->dropped = true;
    return;
  }
  if (ed->line != NULL && what & POKE_REDRAW) el_set(ed->line, EL_PREP_TERM, 1);
  if (ed->line != NULL && what & POKE_RESIZE) el_resize(ed->line);
  redraw(ed);
}

// 1; at the end 0, after a drop -1.
static int get_byte(Editor *ed, char *byte) {
  struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {ed->poked, POLLIN, 0}};
  for (;;) {
    if (poll(fds, 2, -1) < 0) continue;  // EINTR
    if (fds[1].revents != 0) see_pokes(ed);
    if (ed->dropped) return -1;
    if (fds[0].revents == 0) continue;
    ssize_t n = read(STDIN_FILENO, byte, 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return n > 0;
  }
}

// One code point. Gives 1, at the end 0, after a drop -1.
static int get_key(EditLine *line, wchar_t *key) {
  Editor *ed;
  mbstate_t state = {0};
  el_get(line, EL_CLIENTDATA, &ed);
  for (;;) {
    char byte;
    int end = get_byte(ed, &byte);
    if (end <= 0) return end;
    size_t got = mbrtowc(key, &byte, 1, &state);
    if (got == (size_t)-2) continue;
    if (got == (size_t)-1) *key = (unsigned char)byte;
    return 1;
  }
}

// --- Completion -------------------------------------------------------------
// How many bytes all of them begin with.
static size_t common_length(const Names *names) {
  size_t len = strlen(names->all[0]);
  for (size_t n = 1; n < names->count; n++) {
    size_t same = 0;
    while (same < len && names->all[n][same] == names->all[0][same]) same++;
    len = same;
  }
  return len;
}

// In columns below the line, which is then drawn again.
static void list_names(Editor *ed, const Names *names) {
  int columns = COLUMNS_SHOWN;
  size_t width = 0;
  el_get(ed->line, EL_GETTC, "co", &columns);
  for (size_t n = 0; n < names->count; n++)
    if (strlen(names->all[n]) + 2 > width) width = strlen(names->all[n]) + 2;
  size_t across = (size_t)(columns > 0 ? columns : COLUMNS_SHOWN) / width;
  if (across == 0) across = 1;
  size_t down = (names->count + across - 1) / across;
  fputc('\n', stdout);
  for (size_t row = 0; row < down; row++) {
    for (size_t n = row; n < names->count; n += down)
      fprintf(stdout, "%-*s", n + down < names->count ? (int)width : 0,
              names->all[n]);
    fputc('\n', stdout);
  }
  fflush(stdout);
  el_set(ed->line, EL_REFRESH);
}

void names_free(Names *names) {
  for (size_t n = 0; n < names->count; n++) free(names->all[n]);
  free(names->all);
}

static bool only_spaces(const LineInfo *info) {
  for (const char *at = info->buffer; at < info->cursor; at++)
    if (*at != ' ') return false;
  return true;
}

static unsigned char complete_key(EditLine *line, int key) {
  (void)key;
  Editor *ed;
  el_get(line, EL_CLIENTDATA, &ed);
  const LineInfo *info = el_line(line);
  // at a line's beginning it indents
  if (only_spaces(info))
    return el_insertstr(line, "    ") < 0 ? CC_ERROR : CC_REFRESH;
  size_t len = (size_t)(info->cursor - info->buffer), from = len;
  Names names = ed->complete(ed->arg, info->buffer, len, &from);
  unsigned char end = CC_ERROR;
  if (names.count > 0) {
    size_t typed = len - from, common = common_length(&names);
    if (common > typed) {
      names.all[0][common] = '\0';
      if (el_insertstr(line, names.all[0] + typed) == 0) end = CC_REFRESH;
    } else if (names.count > 1) {
      list_names(ed, &names);
      end = CC_NORM;
    }
  }
  names_free(&names);
  return end;
}

static char *prompt(EditLine *line) {
  Editor *ed;
  el_get(line, EL_CLIENTDATA, &ed);
  return (char *)(uintptr_t)ed->prompt;
}

// --- Making and freeing -----------------------------------------------------
static void set_up(Editor *ed) {
  EditLine *line = ed->line;
  if (line == NULL) return;
  el_set(line, EL_CLIENTDATA, ed);
  el_set(line, EL_PROMPT, prompt);
  el_set(line, EL_EDITOR, "emacs");
  el_set(line, EL_SIGNAL, 0);
  el_set(line, EL_GETCFN, get_key);
  // the form for narrow strings leaks copies of them
  el_wset(line, EL_ADDFN, L"csp-complete", L"complete a name", complete_key);
  el_set(line, EL_BIND, "^I", "csp-complete", NULL);
  el_set(line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_source(line, NULL);
  ed->history = history_open();
  if (ed->history != NULL) el_set(line, EL_HIST, history, ed->history);
}

Editor *editor_new(Names (*complete)(void *arg, const char *line, size_t len,
                                     size_t *from)) {
  const char *name = getenv("TERM");
  bool dumb = name != NULL && strcmp(name, "dumb") == 0;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return NULL;
  Editor *ed = calloc(1, sizeof *ed);
  if (ed == NULL) return NULL;
  setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  tcgetattr(STDIN_FILENO, &ed->terminal);
  pthread_mutex_init(&ed->lock, NULL);
  ed->prompt = "";
  ed->complete = complete;
  ed->poked = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!dumb) ed->line = el_init("cspvm", stdin, stdout, stderr);
  if ((!dumb && ed->line == NULL) || ed->poked < 0) {
    editor_free(ed);
    return NULL;
  }
  set_up(ed);
  return ed;
}

void editor_restore_terminal(Editor *ed) {
  tcsetattr(STDIN_FILENO, TCSADRAIN, &ed->terminal);
}

void editor_free(Editor *ed) {
  if (ed == NULL) return;
  if (ed->line != NULL) el_end(ed->line);
  if (ed->history != NULL) history_close(ed->history);
  if (ed->poked >= 0) close(ed->poked);
  editor_restore_terminal(ed);
  free(ed->pending);
  pthread_mutex_destroy(&ed->lock);
  free(ed);
}

void editor_set_argument(Editor *ed, void *arg) { ed->arg = arg; }

// --- Reading ----------------------------------------------------------------
static EditEnd read_edited(Editor *ed, char **line) {
  int count = 0;
  el_set(ed->line, EL_PREP_TERM, 1);  // before the prompt: it invites keys
  const char *got = el_gets(ed->line, &count);
  if (ed->dropped) {
    const char *shown = ed->ended ? "\n" : "^C\n";
    rt_write_all(STDOUT_FILENO, shown, strlen(shown));
    return EDIT_DROPPED;
  }
  if (got == NULL || count <= 0) return EDIT_END;
  size_t len = (size_t)count;
  if (got[len - 1] == '\n') len--;
  *line = strndup(got, len);
  return *line != NULL ? EDIT_LINE : EDIT_END;
}

// false: out of memory.
static bool add_byte(char **line, size_t len, char byte) {
  if (len % LINE_STEP == 0) {
    char *more = realloc(*line, len + LINE_STEP);
    if (more == NULL) return false;
    *line = more;
  }
  (*line)[len] = byte;
  return true;
}

// On a dumb terminal, which has shown the keys, ^C included. Its Ctrl-D gives
// what was typed so far; a second one ends the line.
static EditEnd read_typed(Editor *ed, char **line) {
  size_t len = 0;
  char byte = '\0';
  int got;
  write_prompt(ed);
  while ((got = get_byte(ed, &byte)) > 0 && byte != '\n')
    if (!add_byte(line, len++, byte)) break;
  bool fine = got > 0 ? byte == '\n' : got == 0 && len > 0;
  if (fine && add_byte(line, len, '\0')) {
    if (got == 0) rt_write_all(STDOUT_FILENO, "\n", 1);
    return EDIT_LINE;
  }
  free(*line);
  *line = NULL;
  if (got == 0) return EDIT_END;
  rt_write_all(STDOUT_FILENO, "\n", 1);
  return EDIT_DROPPED;
}

EditEnd editor_read(Editor *ed, const char *text, char **line) {
  *line = NULL;
  ed->prompt = text;
  ed->dropped = ed->ended;
  // (A poke that came since the last line is seen with the first key: a Ctrl-C
  // before the prompt is not lost.)
  begin_editing(ed);
  EditEnd end = ed->line != NULL ? read_edited(ed, line) : read_typed(ed, line);
  if (end == EDIT_END) rt_write_all(STDOUT_FILENO, "\n", 1);
  end_editing(ed);
  return end;
}

void editor_remember(Editor *ed, const char *input) {
  if (ed->history != NULL) history_keep(ed->history, input);
}

void editor_poke(Editor *ed, uint32_t what) {
  if (ed->line == NULL && what == POKE_RESIZE) return;  // nothing is drawn
  // RMW: bits of earlier pokes stay, until the exchange in see_pokes
  rt_or(&ed->what, what);
  eventfd_write(ed->poked, 1);
}
