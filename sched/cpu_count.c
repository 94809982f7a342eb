// SPDX-License-Identifier: MIT
// How many CPUs this process may use (row 3). The affinity mask limits it, and
// so does the tightest quota of the cgroup and all that group's ancestors, v1
// and v2, rounded up. Any thread. All paths are below `root`, so that tests
// invent whole trees.
#include "sched/cpu_count.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, NAME_ROOM = 32, CPUS_MAX = 65536 };

// A controller's mount: `at` shows the group `from` and what is below it.
typedef struct Mount {
  const char *at, *from;  // in Mounts.texts; or NULL
} Mount;

// Both kinds of mounts. The kernel writes its list of mounts anew for each
// reader, so it is read once, and only when a line asks for one. The texts lie
// one after the other, as each page of the stack that is new costs a fault.
typedef struct Mounts {
  const char *root;
  bool are_read;
  Mount v1, v2;
  size_t used;  // bytes of texts
  char texts[4 * PATH_ROOM];
} Mounts;

// --- Files ------------------------------------------------------------------
// The kernel gives such a short file with one read. The folder's buffer has
// NAME_ROOM left for the name.
static bool read_text(char *folder, const char *name, char *text, size_t room) {
  char *end = folder + strlen(folder);
  snprintf(end, NAME_ROOM, "/%s", name);
  int file = rt_fd_above_streams(open(folder, O_RDONLY | O_CLOEXEC));
  *end = '\0';
  if (file < 0) return false;
  ssize_t size = read(file, text, room - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  return size > 0;
}

static bool read_number(char *folder, const char *name, double *number) {
  char text[64];
  if (!read_text(folder, name, text, sizeof text)) return false;
  char *end;
  *number = strtod(text, &end);
  return end != text;
}

// --- Quotas -----------------------------------------------------------------
static int rounded_up(double quota, double period, int most) {
  if (!(quota > 0) || !(period > 0)) return most;
  double cpus = quota / period;
  if (cpus >= most) return most;
  int whole = (int)cpus;
  return whole < cpus ? whole + 1 : whole;
}

static int quota_v2(char *folder, int most) {
  char text[128];
  double quota, period;
  if (!read_text(folder, "cpu.max", text, sizeof text)) return most;
  if (sscanf(text, "%lf %lf", &quota, &period) != 2) return most;  // "max ..."
  return rounded_up(quota, period, most);
}

static int quota_v1(char *folder, int most) {
  double quota, period;
  if (!read_number(folder, "cpu.cfs_quota_us", &quota)) return most;
  if (!read_number(folder, "cpu.cfs_period_us", &period)) return most;
  return rounded_up(quota, period, most);  // -1: none
}

// From the group itself up to where the controller is mounted.
static int tightest(const char *root, const Mount *mount, const char *group,
                    bool v2, int most) {
  size_t from = strcmp(mount->from, "/") == 0 ? 0 : strlen(mount->from);
  if (strncmp(group, mount->from, from) == 0) group += from;
  char folder[2 * PATH_ROOM + NAME_ROOM];
  int length =
      snprintf(folder, 2 * PATH_ROOM, "%s%s%s", root, mount->at, group);
  if (length < 0 || length >= 2 * PATH_ROOM) return most;
  size_t top = strlen(root) + strlen(mount->at);
  for (;;) {
    most = v2 ? quota_v2(folder, most) : quota_v1(folder, most);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || (size_t)(slash - folder) < top) return most;
    *slash = '\0';
  }
}

// --- Where things are -------------------------------------------------------
static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
    bool begins = at == list || at[-1] == ',';
    char end = at[length];
    if (begins && (end == '\0' || end == ',' || end == '\n')) return true;
  }
  return false;
}

// The next word of a line, which loses it. NULL: there is none.
static char *mount_word(char **line) {
  char *word;
  do {
    word = strsep(line, " \n");
  } while (word != NULL && *word == '\0');
  return word;
}

// Two mounts have two texts each.
static const char *keep_text(Mounts *mounts, const char *text) {
  char *copy = mounts->texts + mounts->used;
  size_t length = strnlen(text, PATH_ROOM - 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  mounts->used += length + 1;
  RT_ASSERT(mounts->used <= sizeof mounts->texts);
  return copy;
}

static void set_mount(Mounts *mounts, Mount *mount, const char *from,
                      const char *at) {
  RT_ASSERT(mount->at == NULL);
  mount->from = keep_text(mounts, from);
  mount->at = keep_text(mounts, at);
}

// Which of the two a line is of: NULL for neither.
static Mount *kind_of_mount(Mounts *mounts, char *tail) {
  mount_word(&tail);  // the dash
  const char *type = mount_word(&tail);
  mount_word(&tail);  // the source
  const char *options = mount_word(&tail);
  if (options == NULL) return NULL;
  if (strcmp(type, "cgroup2") == 0) return &mounts->v2;
  bool is_v1 = strcmp(type, "cgroup") == 0 && has_word(options, "cpu");
  return is_v1 ? &mounts->v1 : NULL;
}

// The first of each kind counts.
static void take_mount(Mounts *mounts, char *line) {
  // 36 35 98:0 /from /at options [tags...] - type source super-options
  char *tail = strstr(line, " - ");
  Mount *mount = tail != NULL ? kind_of_mount(mounts, tail) : NULL;
  if (mount == NULL || mount->at != NULL) return;
  for (int n = 0; n < 3; n++) mount_word(&line);
  const char *from = mount_word(&line), *at = mount_word(&line);
  if (at != NULL) set_mount(mounts, mount, from, at);
}

static void read_mounts(Mounts *mounts) {
  mounts->are_read = true;
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%s/proc/self/mountinfo", mounts->root);
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t room = 0;
  while (file != NULL && getline(&line, &room, file) >= 0)
    take_mount(mounts, line);
  libc_free(line);  // getline's
  if (file != NULL) fclose(file);
  if (mounts->v1.at == NULL)
    set_mount(mounts, &mounts->v1, "/", "/sys/fs/cgroup/cpu");
  if (mounts->v2.at == NULL)
    set_mount(mounts, &mounts->v2, "/", "/sys/fs/cgroup");
}

// A line of /proc/self/cgroup: "0::/group" or "4:cpu,cpuacct:/group".
static int quota_of_line(Mounts *mounts, char *line, int most) {
  char *controllers = strchr(line, ':');
  char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
  if (group == NULL) return most;
  *controllers++ = '\0';
  *group++ = '\0';
  group[strcspn(group, "\n")] = '\0';
  if (strcmp(group, "/") == 0) group[0] = '\0';
  bool v2 = strcmp(line, "0") == 0 && controllers[0] == '\0';
  if (!v2 && !has_word(controllers, "cpu")) return most;
  if (!mounts->are_read) read_mounts(mounts);
  const Mount *mount = v2 ? &mounts->v2 : &mounts->v1;
  return tightest(mounts->root, mount, group, v2, most);
}

uint64_t *cpu_count_affinity(const Memory *memory, uint32_t *cpus) {
  for (*cpus = 1024; *cpus <= CPUS_MAX; *cpus *= 2) {
    size_t size = *cpus / 8;
    uint64_t *set = mem_zeroed(memory, size);
    if (set == NULL) return NULL;
    if (sched_getaffinity(0, size, (cpu_set_t *)(void *)set) == 0) return set;
    mem_free(set);
    if (errno != EINVAL) return NULL;  // EINVAL: the system has more CPUs
  }
  return NULL;
}

int cpu_count_in_affinity(void) {
  uint64_t set[CPUS_MAX / 64];  // its begin is enough for most systems
  size_t size = 1024 / 8;
  while (sched_getaffinity(0, size, (cpu_set_t *)(void *)set) != 0) {
    size *= 2;  // EINVAL: the system has more CPUs
    if (errno != EINVAL || size > sizeof set) return 1;
  }
  int count = 0;
  for (size_t i = 0; i < size / sizeof *set; i++)
    count += __builtin_popcountll(set[i]);
  return count;
}

// --- Entry points -----------------------------------------------------------
int sched_procs_from(const char *root, int affinity_count) {
  int most = affinity_count;
  Mounts mounts;
  mounts.root = root;
  mounts.are_read = false;
  mounts.v1 = mounts.v2 = (Mount){NULL, NULL};
  mounts.used = 0;
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) >= 0) {
      most = quota_of_line(&mounts, line, most);
    }
    libc_free(line);  // getline's
    fclose(file);
  }
  if (most < 1) most = 1;
  return most > PROCS_MAX ? PROCS_MAX : most;
}

int sched_default_procs(void) {
  return sched_procs_from("", cpu_count_in_affinity());
}
