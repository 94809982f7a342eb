// SPDX-License-Identifier: MIT
// `cspvm fmt` (fmt_files.h): which files, and how they are written.
//
// A file is replaced whole or not at all: the new text goes to a new file in
// the same folder, which then takes the old one's name. What is no file (a
// pipe, a device) stays as it is. No runtime is needed.
#include "cli/fmt_files.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/read_source.h"
#include "lang/format/formatter.h"
#include "lang/source.h"
#include "sched/rt.h"

enum { STATUS_DIFFERS = 1, STATUS_ERROR = 2 };

static const char help[] =
    "usage: cspvm fmt [--check] file.csp or folder...   format in place\n"
    "       cspvm fmt [--check] -                       standard input to "
    "output\n"
    "\n"
    "Of a folder, all *.csp files in and below it (not those that begin with "
    "a dot).\n"
    "  --check   change nothing; name the files that would change, and end "
    "with\n"
    "            status 1 if there are any\n"
    "docs/formatting.md describes the style.\n";

typedef struct Fmt {
  bool check;
  int status;
} Fmt;

static void set_status(Fmt *fmt, int status) {
  if (status > fmt->status) fmt->status = status;
}

// What could not be done with the file, because of errno.
static void failed(Fmt *fmt, const char *what, const char *path) {
  fprintf(stderr, "cspvm: cannot %s %s: %s\n", what, path, strerror(errno));
  set_status(fmt, STATUS_ERROR);
}

// --- writing ----------------------------------------------------------------
// The new file gets what the old one has of mode and owner; if the owner
// cannot be set, it is ours, and no set-id bit is left.
static bool finish_file(int fd, const struct stat *old, const char *text,
                        size_t len) {
  if (rt_write_all(fd, text, len) != 0) return false;
  mode_t mode = old->st_mode & 07777;
  if (fchown(fd, old->st_uid, old->st_gid) != 0) mode &= 0777;
  return fchmod(fd, mode) == 0 && fsync(fd) == 0;
}

static bool replace_by(const char *path, const char *temporary, int fd,
                       const char *text, size_t len) {
  struct stat old;
  bool fine = stat(path, &old) == 0 && finish_file(fd, &old, text, len);
  int error = errno;
  if (close(fd) != 0 && fine) {
    fine = false;
    error = errno;
  }
  if (fine && rename(temporary, path) == 0) return true;
  if (fine) error = errno;
  unlink(temporary);
  errno = error;
  return false;
}

// `path` is no symbolic link.
static bool replace(const char *path, const char *text, size_t len) {
  char *temporary = NULL;
  if (access(path, W_OK) != 0) return false;
  if (asprintf(&temporary, "%s.XXXXXX", path) < 0) return false;
  int fd = mkstemp(temporary);
  bool done = fd >= 0 && replace_by(path, temporary, fd, text, len);
  int error = errno;
  free(temporary);
  errno = error;
  return done;
}

static void rewrite(Fmt *fmt, const char *path, const char *text, size_t len) {
  char *real = realpath(path, NULL);
  if (real == NULL || !replace(real, text, len)) failed(fmt, "write", path);
  free(real);
}

// --- one text ---------------------------------------------------------------
static void deliver(Fmt *fmt, const char *path, const char *text, size_t len,
                    bool changed) {
  if (fmt->check) {
    if (!changed) return;
    puts(path);
    set_status(fmt, STATUS_DIFFERS);
  } else if (strcmp(path, "-") == 0) {
    fwrite(text, 1, len, stdout);
  } else if (changed) {
    rewrite(fmt, path, text, len);
  }
}

static void format_file(Fmt *fmt, const char *path) {
  Source source = {.path = path};
  char *text = NULL, *message = NULL;
  if (!source_read(path, &text, &source.len)) {
    set_status(fmt, STATUS_ERROR);
    return;
  }
  source.text = text;
  size_t len = 0;
  char *formatted = lang_format(&source, &len, &message);
  if (formatted == NULL) {
    fputs(message != NULL ? message : "cspvm: out of memory\n", stderr);
    set_status(fmt, STATUS_ERROR);
  } else {
    bool changed = len != source.len || memcmp(formatted, text, len) != 0;
    deliver(fmt, path, formatted, len, changed);
  }
  free(message);
  free(formatted);
  free(text);
}

// A pipe or a device can be checked, but no file may take its place.
static void format_other(Fmt *fmt, const char *path) {
  if (fmt->check) {
    format_file(fmt, path);
    return;
  }
  fprintf(stderr,
          "cspvm: cannot format %s in place: it is not a regular file\n"
          "Try `cspvm fmt - < %s`.\n",
          path, path);
  set_status(fmt, STATUS_ERROR);
}

// --- folders ----------------------------------------------------------------
static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_script(const FTSENT *entry) {
  size_t len = entry->fts_namelen;
  return len > 4 && strcmp(entry->fts_name + len - 4, ".csp") == 0;
}

static void visit(Fmt *fmt, FTS *walk, FTSENT *entry) {
  bool given = entry->fts_level == FTS_ROOTLEVEL;
  if (!given && entry->fts_name[0] == '.') {
    fts_set(walk, entry, FTS_SKIP);
    return;
  }
  switch (entry->fts_info) {
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
      errno = entry->fts_errno;
      failed(fmt, "read", entry->fts_path);
      break;
    case FTS_F:
      if (given || is_script(entry)) format_file(fmt, entry->fts_path);
      break;
    case FTS_DEFAULT:
      if (given) format_other(fmt, entry->fts_path);
      break;
    default:
      break;
  }
}

static void walk_path(Fmt *fmt, char *path) {
  char *paths[] = {path, NULL};
  FTS *walk =
      fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  if (walk == NULL) {
    failed(fmt, "read", path);
    return;
  }
  errno = 0;
  for (FTSENT *entry; (entry = fts_read(walk)) != NULL; errno = 0) {
    visit(fmt, walk, entry);
  }
  if (errno != 0) failed(fmt, "read", path);
  fts_close(walk);
}

// --- entry ------------------------------------------------------------------
static int usage_error(const char *what, const char *which) {
  fprintf(stderr, "cspvm: %s%s\nTry `cspvm fmt --help`.\n", what, which);
  return STATUS_ERROR;
}

int fmt_main(int argc, char **argv) {
  Fmt fmt = {0};
  int at = 0;
  for (; at < argc && argv[at][0] == '-' && argv[at][1] != '\0'; at++) {
    if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
      fputs(help, stdout);
      return 0;
    }
    if (strcmp(argv[at], "--check") != 0) {
      return usage_error("fmt has no option ", argv[at]);
    }
    fmt.check = true;
  }
  if (at == argc) return usage_error("fmt needs files, folders or -", "");
  for (; at < argc; at++) {
    if (strcmp(argv[at], "-") == 0) {
      format_file(&fmt, "-");
    } else {
      walk_path(&fmt, argv[at]);
    }
  }
  if (fflush(stdout) != 0) {
    errno = errno ? errno : EIO;
    failed(&fmt, "write", "standard output");
  }
  return fmt.status;
}
