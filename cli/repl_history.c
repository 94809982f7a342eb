// SPDX-License-Identifier: MIT
// The history of inputs: $XDG_STATE_HOME/cspvm/history, else below
// ~/.local/state. An input is a line there, with \n and \\ for newlines and
// backslashes. Each is added at once, so that several REPLs can share the file;
// what is too old goes when the next one begins. Without such a file there is a
// history of this run alone.
#include "cli/repl_history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 1000, PATH_ROOM = 4096 };

// --- The file ---------------------------------------------------------------
// false: there is no place for it.
static bool find_path(char *path) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int len = -1;
  if (state != NULL && state[0] == '/') {
    len = snprintf(path, PATH_ROOM, "%s/cspvm/history", state);
  } else if (home != NULL && home[0] == '/') {
    len = snprintf(path, PATH_ROOM, "%s/.local/state/cspvm/history", home);
  }
  return len > 0 && len < PATH_ROOM;
}

// The folders on the way to the file.
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL;
       slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

// Another kind of file (a FIFO, /dev/zero) may wait, or have no end. And
// nothing of the terminal's would interrupt that.
static FILE *open_file(const char *path, int flags, const char *mode) {
  struct stat status;
  int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  bool regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  FILE *file = regular ? fdopen(fd, mode) : NULL;
  if (file == NULL && fd >= 0) close(fd);
  return file;
}

static void write_input(FILE *file, const char *input) {
  for (const char *at = input; *at != '\0'; at++) {
    if (*at == '\n' || *at == '\\') {
      fputs(*at == '\n' ? "\\n" : "\\\\", file);
    } else {
      fputc(*at, file);
    }
  }
  fputc('\n', file);
}

// In place: the newline at the end goes, escapes are undone.
static void decode(char *line) {
  char *to = line;
  for (const char *at = line; *at != '\0' && *at != '\n'; at++) {
    bool escape = *at == '\\' && (at[1] == 'n' || at[1] == '\\');
    if (escape) at++;
    *to++ = (char)(escape && *at == 'n' ? '\n' : *at);
  }
  *to = '\0';
}

// How many inputs there were, kept or not.
static int load(History *all, const char *path) {
  HistEvent event;
  char *line = NULL;
  size_t room = 0;
  int count = 0;
  FILE *file = open_file(path, O_RDONLY, "r");
  while (file != NULL && getline(&line, &room, file) > 0) {
    decode(line);
    if (*line != '\0') history(all, &event, H_ENTER, line);
    count++;
  }
  free(line);
  if (file != NULL) fclose(file);
  return count;
}

// A new file that is to take the place of `old`, with its owner and mode. *path
// gets its name.
static FILE *open_beside(const char *old, char *path) {
  struct stat status;
  int len = snprintf(path, PATH_ROOM, "%s.XXXXXX", old);
  if (len >= PATH_ROOM || stat(old, &status) != 0 || !S_ISREG(status.st_mode))
    return NULL;
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd < 0) return NULL;
  bool same = fchown(fd, status.st_uid, status.st_gid) == 0 &&
              fchmod(fd, status.st_mode & 0777) == 0;
  FILE *file = same ? fdopen(fd, "w") : NULL;
  if (file != NULL) return file;
  close(fd);
  unlink(path);
  return NULL;
}

static bool write_all(History *all, FILE *file) {
  HistEvent event;
  for (int more = history(all, &event, H_LAST); more >= 0;
       more = history(all, &event, H_PREV))
    write_input(file, event.str);
  bool written = fflush(file) == 0 && ferror(file) == 0;
  return written && fsync(fileno(file)) == 0;
}

// The old file is there until the new one is whole. Of a symbolic link the file
// is replaced that it leads to.
static void rewrite(History *all, const char *path) {
  char beside[PATH_ROOM];
  char *old = realpath(path, NULL);
  FILE *file = old != NULL ? open_beside(old, beside) : NULL;
  if (file != NULL) {
    bool written = write_all(all, file);
    written = fclose(file) == 0 && written;
    if (!written || rename(beside, old) != 0) unlink(beside);
  }
  free(old);
}

// --- The history ------------------------------------------------------------
History *history_open(void) {
  char path[PATH_ROOM];
  HistEvent event;
  History *all = history_init();
  if (all == NULL) return NULL;
  history(all, &event, H_SETSIZE, KEPT);
  if (!find_path(path)) return all;
  make_folders(path);
  if (load(all, path) > 2 * KEPT) rewrite(all, path);
  return all;
}

void history_close(History *all) { history_end(all); }

void history_keep(History *all, const char *input) {
  char path[PATH_ROOM];
  HistEvent event;
  if (input[strspn(input, " \t\n")] == '\0') return;
  bool same =
      history(all, &event, H_FIRST) >= 0 && strcmp(event.str, input) == 0;
  if (same || history(all, &event, H_ENTER, input) < 0) return;
  if (!find_path(path)) return;
  FILE *file = open_file(path, O_WRONLY | O_APPEND | O_CREAT, "a");
  if (file == NULL) return;
  write_input(file, input);
  fclose(file);
}
