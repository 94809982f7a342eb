// SPDX-License-Identifier: MIT
// Finds the paths that match a pattern. In it `*` matches any text, `?` one
// character, `[a-z]` or `[!a-z]` one of some, and `\` takes the next character
// as it is. None of them matches a slash, nor a name's first dot.
//
// The pattern is taken name by name. One without such characters is looked up,
// any other is compared with what its folder has. Matching goes back to the
// last star only, so it takes the name's length times the pattern's at most.
// What cannot be read matches nothing, but where descriptors or memory are out
// that is an error.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

// --- One name ---------------------------------------------------------------
// A pattern without its end.
typedef struct Pattern {
  const char *data;
  size_t len;
} Pattern;

static bool has_magic(Pattern p) {
  for (size_t i = 0; i < p.len; i++)
    if (strchr("*?[\\", p.data[i]) != NULL) return true;
  return false;
}

// One character of a set at *at, perhaps with a backslash.
static uint32_t set_rune(Pattern p, size_t *at) {
  size_t width;
  if (p.data[*at] == '\\' && *at + 1 < p.len) ++*at;
  uint32_t rune = utf8_at(p.data, p.len, *at, &width);
  *at += width;
  return rune;
}

// Whether rune is in the set that begins after the `[` at *at, which is moved
// past its end. *closed: it has one; else the bracket means itself.
static bool in_brackets(Pattern p, size_t *at, uint32_t rune, bool *closed) {
  size_t i = *at;
  bool not = i < p.len && (p.data[i] == '!' || p.data[i] == '^'), found = false;
  if (not ) i++;
  for (size_t first = i; i < p.len && (p.data[i] != ']' || i == first);) {
    uint32_t low = set_rune(p, &i), high = low;
    if (i + 1 < p.len && p.data[i] == '-' && p.data[i + 1] != ']') {
      i++;
      high = set_rune(p, &i);
    }
    found = found || (low <= rune && rune <= high);
  }
  *closed = i < p.len;
  if (*closed) *at = i + 1;
  return found != not ;
}

// Whether the pattern's character at *at, which is no star, is this one; moves
// on.
static bool match_one(Pattern p, size_t *at, uint32_t rune) {
  char c = p.data[*at];
  if (c == '?') {
    ++*at;
    return true;
  }
  if (c == '[') {
    size_t inside = *at + 1;
    bool closed, found = in_brackets(p, &inside, rune, &closed);
    if (closed) {
      *at = inside;
      return found;
    }
  }
  return set_rune(p, at) == rune;
}

static bool matches(Pattern p, const char *name) {
  size_t len = strlen(name), at = 0, n = 0, width;
  size_t star = SIZE_MAX, star_n = 0;  // after the last star; where it ends
  if (name[0] == '.' && p.data[0] != '.' &&
      !(p.len > 1 && p.data[0] == '\\' && p.data[1] == '.'))
    return false;
  while (n < len) {
    if (at < p.len && p.data[at] == '*') {
      star = ++at;
      star_n = n;
      continue;
    }
    size_t next = at;
    uint32_t rune = utf8_at(name, len, n, &width);
    if (at < p.len && match_one(p, &next, rune)) {
      at = next;
      n += width;
    } else if (star != SIZE_MAX) {
      utf8_at(name, len, star_n, &width);
      star_n += width;
      at = star;
      n = star_n;
    } else {
      return false;
    }
  }
  while (at < p.len && p.data[at] == '*') at++;
  return at == p.len;
}

// --- All names --------------------------------------------------------------
typedef struct Names {
  Csp *csp;
  char **list;
  size_t count, room;
  size_t bytes, most;  // of text; most that there may be
  bool failed;
} Names;

static void names_add(Names *names, const char *a, size_t a_len,
                      const char *b) {
  size_t b_len = strlen(b);
  if (names->count == names->room) {
    size_t room = names->room ? names->room * 2 : 16;
    char **more = csp_alloc(names->csp, names->list, room * sizeof *more);
    names->failed = names->failed || !more;
    if (!more) return;
    names->list = more;
    names->room = room;
  }
  names->bytes += a_len + b_len + sizeof(char *);
  char *text = NULL;
  if (names->bytes <= names->most)
    text = csp_alloc(names->csp, NULL, a_len + b_len + 1);
  names->failed = names->failed || !text;
  if (!text) return;
  if (a_len > 0) memcpy(text, a, a_len);
  memcpy(text + a_len, b, b_len + 1);
  names->list[names->count++] = text;
}

static void names_free(Names *names) {
  for (size_t i = 0; i < names->count; i++) csp_alloc_free(names->list[i]);
  csp_alloc_free(names->list);
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void note_error(Job *job, int error) {
  if (error == ENOMEM || error == EMFILE || error == ENFILE) job->error = error;
}

static int exists_act(Job *job, const CspPlace *at) {
  (void)job;
  struct stat info;
  return fstatat(at->folder, at->name, &info, AT_SYMLINK_NOFOLLOW);
}

// Whether there is such a name; a link that leads nowhere is one, too.
static bool exists(Job *job, const char *path) {
  job_act(job, path, exists_act);
  int error = job->error;
  job->error = 0;
  note_error(job, error);
  return error == 0;
}

// What in the folder (its path, "" for the working one) matches.
static void match_folder(Job *job, const char *folder, Pattern p, Names *out) {
  const char *path = *folder ? folder : ".";
  int fd = csp_open_path(job->csp, path, O_RDONLY | O_DIRECTORY, 0);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (!dir) {
    note_error(job, errno);
    if (fd >= 0) close(fd);
    return;
  }
  struct dirent *entry;
  while (!out->failed && (entry = readdir(dir)) != NULL) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && matches(p, name))
      names_add(out, folder, strlen(folder), name);
  }
  closedir(dir);
}

// The plain name after the folder, if it is there.
static void match_plain(Job *job, const char *folder, Pattern p, Names *out) {
  char *name = alloc_str(job->csp, (Str){p.data, p.len});
  out->failed = out->failed || !name;
  if (!name) return;
  names_add(out, folder, strlen(folder), name);
  csp_alloc_free(name);
  if (out->failed || exists(job, out->list[out->count - 1])) return;
  csp_alloc_free(out->list[--out->count]);
}

// One more name of the pattern for all that matched so far.
static void match_next(Job *job, Pattern p, Names *names) {
  Names next = {.csp = names->csp, .most = names->most};
  for (size_t i = 0; i < names->count && !next.failed; i++) {
    if (has_magic(p)) {
      match_folder(job, names->list[i], p, &next);
    } else {
      match_plain(job, names->list[i], p, &next);
    }
  }
  names_free(names);
  *names = next;
}

// The slashes of the pattern; what they follow must be a folder.
static void match_slashes(Job *job, Pattern p, Names *names) {
  Names next = {.csp = names->csp, .most = names->most};
  struct stat info;
  for (size_t i = 0; i < names->count && !next.failed; i++) {
    const char *path = names->list[i];
    int fd = *path == '\0' ? -1 : csp_open_path(job->csp, path, O_PATH, 0);
    if (*path != '\0' && fd < 0) note_error(job, errno);
    bool is_folder = *path == '\0' || (fd >= 0 && fstat(fd, &info) == 0 &&
                                       S_ISDIR(info.st_mode));
    if (fd >= 0) close(fd);
    if (!is_folder) continue;
    char *slashes = alloc_str(job->csp, (Str){p.data, p.len});
    next.failed = next.failed || !slashes;
    if (slashes) names_add(&next, path, strlen(path), slashes);
    csp_alloc_free(slashes);
  }
  names_free(names);
  *names = next;
}

static void pack(Job *job, Names *names) {
  Buffer out = {.csp = job->csp, .most = job->most};
  if (names->count > 0)
    qsort(names->list, names->count, sizeof *names->list, compare_paths);
  for (size_t i = 0; i < names->count; i++)
    buffer_add(&out, names->list[i], strlen(names->list[i]) + 1);
  job->data = out.data;
  job->len = out.len;
  if (names->failed || out.failed) job->error = ENOMEM;
}

static void glob_work(void *data) {
  Job *job = data;
  Names names = {.csp = job->csp, .most = job->most};
  const char *at = job->path;
  if (*at) names_add(&names, "", 0, "");
  while (*at && names.count > 0 && !names.failed && !job->error) {
    size_t len = *at == '/' ? strspn(at, "/") : strcspn(at, "/");
    Pattern p = {at, len};
    if (*at == '/') {
      match_slashes(job, p, &names);
    } else {
      match_next(job, p, &names);
    }
    at += len;
  }
  pack(job, &names);
  names_free(&names);
}

CspStatus os_glob(CspCall *call) {
  Job *job = job_new(call, "match", 0);
  return job ? job_run(call, job, glob_work, job_done_list) : CSP_PANIC;
}
