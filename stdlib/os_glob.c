// SPDX-License-Identifier: MIT
// Finds the paths that match a pattern. In it `*` matches any text, `?` one
// character, `[a-z]` or `[!a-z]` one of some, and `\` takes the next character
// as it is. None of them matches a slash, nor a name's first dot.
//
// The pattern is taken part by part, names and slashes in turn. A name without
// such characters is looked up. Any other name is compared with all that its
// folder has. For that it is split into elements, once. Matching goes back to
// the last star only, so it takes at most the length of the folder's name times
// the number of elements. A folder that cannot be read matches nothing. The
// result then has an error that names the first such folder, beside the paths
// that match. The job fails only when descriptors or memory have run out.
//
// The work is done in pieces. A Glob is the state between two of them.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

// --- Patterns ---------------------------------------------------------------
typedef struct Range {
  uint32_t low, high;
} Range;

typedef enum ElementKind { ANY_TEXT, ANY_ONE, ONE_OF, NONE_OF } ElementKind;

typedef struct Element {
  ElementKind kind;
  const Range *ranges;  // in order, apart from each other
  size_t count;
} Element;

// One part of a pattern.
typedef struct Part {
  Str text;
  Element *elements;  // NULL: it is plain, or slashes
  size_t count;
  Range *ranges;  // of all elements
} Part;

static bool has_magic(Str text) {
  for (size_t i = 0; i < text.len; i++)
    if (strchr("*?[\\", text.data[i]) != NULL) return true;
  return false;
}

// One character of a set at *at, perhaps with a backslash.
static uint32_t set_rune(Str text, size_t *at) {
  size_t width;
  if (text.data[*at] == '\\' && *at + 1 < text.len) ++*at;
  uint32_t rune = utf8_at(text.data, text.len, *at, &width);
  *at += width;
  return rune;
}

static int compare_ranges(const void *a, const void *b) {
  uint32_t x = ((const Range *)a)->low, y = ((const Range *)b)->low;
  return (x > y) - (x < y);
}

// Joins ranges that touch, and returns how many are left.
static size_t join_ranges(Range *ranges, size_t count) {
  size_t last = 0;
  if (count == 0) return 0;
  qsort(ranges, count, sizeof *ranges, compare_ranges);
  for (size_t i = 1; i < count; i++) {
    if (ranges[i].low > ranges[last].high) {
      ranges[++last] = ranges[i];
    } else if (ranges[i].high > ranges[last].high) {
      ranges[last].high = ranges[i].high;
    }
  }
  return last + 1;
}

// Reads the set that begins with the `[` at *at, which is moved past its end.
// The result is false when the set has no end. Then the bracket means itself.
static bool read_set(Str text, size_t *at, Element *set, Range *ranges) {
  size_t i = *at + 1;
  bool not = i < text.len && (text.data[i] == '!' || text.data[i] == '^');
  size_t first = not ? i + 1 : i, count = 0;
  for (i = first; i < text.len && (text.data[i] != ']' || i == first);) {
    uint32_t low = set_rune(text, &i), high = low;
    if (i + 1 < text.len && text.data[i] == '-' && text.data[i + 1] != ']') {
      i++;
      high = set_rune(text, &i);
    }
    if (low <= high) ranges[count++] = (Range){low, high};
  }
  if (i >= text.len) return false;
  *set = (Element){.kind = not ? NONE_OF : ONE_OF,
                   .ranges = ranges,
                   .count = join_ranges(ranges, count)};
  *at = i + 1;
  return true;
}

// Reads an element that is no set.
static Element read_one(Str text, size_t *at, Range *ranges) {
  char c = text.data[*at];
  if (c == '*' || c == '?') {
    ++*at;
    return (Element){.kind = c == '*' ? ANY_TEXT : ANY_ONE};
  }
  uint32_t rune = set_rune(text, at);
  ranges[0] = (Range){rune, rune};
  return (Element){.kind = ONE_OF, .ranges = ranges, .count = 1};
}

static void part_free(Part *part) {
  csp_alloc_free(part->elements);
  csp_alloc_free(part->ranges);
  *part = (Part){0};
}

// The result is false when there is no memory.
static bool part_read(Csp *csp, Part *part, Str text) {
  *part = (Part){.text = text};
  if (!has_magic(text)) return true;
  part->elements = csp_alloc(csp, NULL, text.len * sizeof(Element));
  part->ranges = csp_alloc(csp, NULL, text.len * sizeof(Range));
  if (part->elements == NULL || part->ranges == NULL) return false;
  Range *ranges = part->ranges;
  bool sets = true;  // after a set without an end there is none that has one
  for (size_t at = 0; at < text.len;) {
    Element *element = &part->elements[part->count++];
    bool is_set = sets && text.data[at] == '[';
    if (is_set) is_set = sets = read_set(text, &at, element, ranges);
    if (!is_set) *element = read_one(text, &at, ranges);
    ranges += element->count;
  }
  return true;
}

static bool element_fits(const Element *element, uint32_t rune) {
  size_t low = 0, high = element->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (element->ranges[middle].high < rune)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < element->count && element->ranges[low].low <= rune;
  return element->kind == ANY_ONE || found == (element->kind == ONE_OF);
}

static bool fits_dot(Str text) {
  return text.data[0] == '.' ||
         (text.len > 1 && text.data[0] == '\\' && text.data[1] == '.');
}

// Adds to *steps how many characters were compared.
static bool matches(const Part *part, const char *name, uint64_t *steps) {
  size_t len = strlen(name), at = 0, n = 0, width;
  // Where the pattern goes on after its last star, and where its text ends.
  size_t star = SIZE_MAX, star_n = 0;
  if (name[0] == '.' && !fits_dot(part->text)) return false;
  while (n < len) {
    ++*steps;
    if (at < part->count && part->elements[at].kind == ANY_TEXT) {
      star = ++at;
      star_n = n;
      continue;
    }
    uint32_t rune = utf8_at(name, len, n, &width);
    if (at < part->count && element_fits(&part->elements[at], rune)) {
      at++;
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
  while (at < part->count && part->elements[at].kind == ANY_TEXT) at++;
  return at == part->count;
}

// --- Pieces -----------------------------------------------------------------
enum {  // ns
  GLOB_PIECE = 1 << 20,
  SYSTEM_NS = 2000,  // of the system
  NAME_NS = 200,
  STEP_NS = 8
};

typedef struct Glob {
  Job job;
  Part part;         // that is being matched
  const char *at;    // in the pattern, after it
  Buffer found;      // the paths that the parts before it match, NUL-terminated
  Buffer next;       // those that it matches, too
  size_t seen;       // bytes of found that were gone through
  const char *path;  // the last of those
  DIR *dir;          // its names; or NULL
  uint64_t took;     // ns, about, in this piece
} Glob;

static void glob_clear(Glob *glob) {
  if (glob->dir != NULL) closedir(glob->dir);
  glob->dir = NULL;
  part_free(&glob->part);
  buffer_free(&glob->next);
}

static void glob_stop(Job *job) {
  Glob *glob = (Glob *)(void *)job;
  glob_clear(glob);
  buffer_free(&glob->found);
}

static void note_error(Job *job, int error) {
  if (error == ENOMEM || error == EMFILE || error == ENFILE) job->error = error;
}

// What is not there, or is no folder, just matches nothing. `other` becomes the
// first folder that could not be read.
static void note_unread(Glob *glob, const char *path, int error) {
  Job *job = &glob->job;
  note_error(job, error);
  if (job->error || job->partial) return;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP) return;
  job->other = alloc_text(job->csp, path);
  job->partial = error;
  if (job->other == NULL) job->error = ENOMEM;
}

static void add_path(Glob *glob, const char *name, size_t len) {
  buffer_add(&glob->next, glob->path, strlen(glob->path));
  buffer_add(&glob->next, name, len);
  buffer_add_char(&glob->next, '\0');
  if (glob->next.failed) glob->job.error = ENOMEM;
}

static int exists_act(Job *job, const CspPlace *at) {
  (void)job;
  struct stat info;
  return fstatat(at->folder, at->name, &info, AT_SYMLINK_NOFOLLOW);
}

// Whether there is such a name. A link that leads nowhere is one, too.
static bool exists(Job *job, const char *path) {
  job_act(job, path, exists_act);
  int error = job->error;
  job->error = 0;
  note_error(job, error);
  return error == 0;
}

// Adds the plain name in the folder glob->path, if it is there.
static void match_plain(Glob *glob) {
  size_t before = glob->next.len;
  add_path(glob, glob->part.text.data, glob->part.text.len);
  if (glob->job.error || exists(&glob->job, glob->next.data + before)) return;
  glob->next.len = before;
}

// Adds slashes, if what they follow is a folder.
static void match_slashes(Glob *glob) {
  struct stat info;
  const char *path = glob->path;
  int fd = *path == '\0' ? -1 : csp_open_path(glob->job.csp, path, O_PATH, 0);
  if (*path != '\0' && fd < 0) note_error(&glob->job, errno);
  bool is_folder = *path == '\0' ||
                   (fd >= 0 && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode));
  if (fd >= 0) close(fd);
  if (is_folder) add_path(glob, glob->part.text.data, glob->part.text.len);
}

// Opens the folder glob->path. The empty path is the working folder.
static void glob_open(Glob *glob) {
  const char *path = *glob->path ? glob->path : ".";
  int fd = csp_open_path(glob->job.csp, path, O_RDONLY | O_DIRECTORY, 0);
  glob->dir = fd < 0 ? NULL : fdopendir(fd);
  if (glob->dir != NULL) return;
  note_unread(glob, path, errno);
  if (fd >= 0) close(fd);
}

// Looks at one name of the folder that is open.
static void match_name(Glob *glob) {
  const struct dirent *entry = readdir(glob->dir);
  uint64_t steps = 0;
  if (entry == NULL) {
    closedir(glob->dir);
    glob->dir = NULL;
    return;
  }
  const char *name = entry->d_name;
  if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
      matches(&glob->part, name, &steps))
    add_path(glob, name, strlen(name));
  glob->took += NAME_NS + steps * STEP_NS;
}

// Looks at one path that the parts before it match.
static void match_path(Glob *glob) {
  glob->path = glob->found.data + glob->seen;
  glob->seen += strlen(glob->path) + 1;
  glob->took += SYSTEM_NS;
  if (*glob->part.text.data == '/') {
    match_slashes(glob);
  } else if (glob->part.elements != NULL) {
    glob_open(glob);
  } else {
    match_plain(glob);
  }
}

// Goes to the pattern's next part. The result is false when there is none, or
// when the job has failed.
static bool glob_next(Glob *glob) {
  if (glob->part.text.len > 0) {
    Buffer found = glob->found;
    glob->found = glob->next;
    glob->next = found;
    glob->next.len = glob->seen = 0;
  } else if (*glob->at != '\0') {
    buffer_add_char(&glob->found, '\0');  // the working folder
    if (glob->found.failed) glob->job.error = ENOMEM;
  }
  part_free(&glob->part);
  if (*glob->at == '\0' || glob->found.len == 0) return false;
  size_t len =
      *glob->at == '/' ? strspn(glob->at, "/") : strcspn(glob->at, "/");
  if (!part_read(glob->job.csp, &glob->part, (Str){glob->at, len}))
    glob->job.error = ENOMEM;
  glob->at += len;
  return !glob->job.error;
}

// Does a little. The result is false when that was the last.
static bool glob_step(Glob *glob) {
  if (glob->dir != NULL) {
    match_name(glob);
  } else if (glob->seen < glob->found.len) {
    match_path(glob);
  } else {
    return glob_next(glob);
  }
  return !glob->job.error;
}

static void glob_begin(Glob *glob) {
  Job *job = &glob->job;
  csp_alloc_free(job->other);
  job->other = NULL;
  job->partial = 0;
  csp_alloc_free(job->data);
  job->data = NULL;
  glob->at = job->path;
  glob->seen = 0;
  glob->found = glob->next = (Buffer){.csp = job->csp, .most = job->most};
}

static void glob_work(void *data) {
  Glob *glob = data;
  Job *job = &glob->job;
  glob->took = 0;
  if (!job->more) glob_begin(glob);
  do {
    job->more = glob_step(glob);
  } while (job->more && glob->took < GLOB_PIECE);
  if (job->more) return;
  glob_clear(glob);
  job->data = glob->found.data;
  job->len = glob->found.len;
}

static CspStatus glob_done(CspCall *call, void *data) {
  Job *job = data;
  char *unread = job->other;
  job->other = NULL;
  if (job->partial && !job->error) {
    job->verb = "list";
    csp_alloc_free(job->path);
    job->path = unread;
  } else {
    csp_alloc_free(unread);
  }
  return job_done_list(call, job);
}

CspStatus os_glob(CspCall *call) {
  Str pattern;
  if (!need_str(call, 0, &pattern)) return CSP_PANIC;
  Glob *glob = job_new_sized(call, sizeof *glob, "match", pattern);
  if (glob == NULL) return CSP_PANIC;
  glob->job.stop = glob_stop;
  return job_run(call, &glob->job, glob_work, glob_done);
}
