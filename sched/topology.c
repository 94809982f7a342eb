// SPDX-License-Identifier: MIT
// Where the CPUs lie (row 17). sysfs tells which share their last-level cache,
// and which are of one NUMA node. Any thread. It reads files, so it is on no
// path that is taken often. steal_order.c says what it is good for.
//
//   cpu/cpuN/cache/index*/level, shared_cpu_list   the highest level counts
//   node/nodeN/cpulist
//
// A domain is what shares the last-level cache within one node. (A cache that
// spans nodes is cut at their border, as the kernel's domains are. With
// sub-NUMA clusters the own half is the nearer one, and some virtual machines
// claim one cache for all sockets.) Where no cache has two of our CPUs (no
// files, as in many virtual machines, or private caches only) a node is one
// domain, and where no nodes are told all CPUs are of one. Only CPUs of the
// affinity mask count, so a container that has one domain to itself has one
// domain. A file that cannot be read or has garbage is ignored. In the worst
// case all CPUs are one domain, and thieves do not care.
//
// A cache is read once for all that share it: eight domains take some 60 files.
//
// All paths are below `root`, so that tests invent whole machines.
#include "sched/topology.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cpu_count.h"

enum {
  PLACE_PATH_MAX = 4096,
  LIST_TEXT_MAX = 65536,   // bytes of a list; more is as good as no list
  CPU_NUMBER_MAX = 65535,  // above it: garbage
  UNSAID = UINT16_MAX,     // no node, no domain
};

typedef struct Survey {
  const char *root;
  const uint64_t *allowed;
  uint32_t cpus;            // bits of allowed and list
  uint32_t nodes;           // that have CPUs of ours
  uint32_t domains;         // found so far
  uint64_t *list;           // the list read last
  uint16_t *node, *domain;  // of each CPU
  char *text;               // LIST_TEXT_MAX
} Survey;

static bool has_bit(const uint64_t *set, uint32_t cpu) {
  return (set[cpu / 64] >> (cpu % 64) & 1) != 0;
}

static uint32_t words_of(uint32_t cpus) { return (cpus + 63) / 64; }

// --- Text -------------------------------------------------------------------
static bool parse_number(const char **at, uint32_t *number) {
  if (!isdigit((unsigned char)**at)) return false;
  uint32_t value = 0;
  for (; isdigit((unsigned char)**at); (*at)++) {
    value = value * 10 + (uint32_t)(**at - '0');
    if (value > CPU_NUMBER_MAX) return false;
  }
  *number = value;
  return true;
}

bool topology_parse_list(const char *text, uint64_t *set, uint32_t cpus) {
  memset(set, 0, words_of(cpus) * sizeof *set);
  if (*text == '\n' || *text == '\0') return true;  // a node of memory alone
  for (const char *at = text;; at++) {
    uint32_t first, last;
    if (!parse_number(&at, &first)) return false;
    last = first;
    if (*at == '-') {
      at++;
      if (!parse_number(&at, &last) || last < first) return false;
    }
    for (uint32_t cpu = first; cpu <= last && cpu < cpus; cpu++) {
      set[cpu / 64] |= (uint64_t)1 << (cpu % 64);
    }
    if (*at == '\n' || *at == '\0') return true;
    if (*at != ',') return false;
  }
}

// Reads the whole file into s->text. false: it cannot be had, or not whole.
static bool read_file(Survey *s, const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size_t size = 0;
  ssize_t got;
  do {
    got = read(file, s->text + size, LIST_TEXT_MAX - 1 - size);
    if (got > 0) size += (size_t)got;
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(file);
  s->text[size] = '\0';
  return got == 0 && size > 0 && size < LIST_TEXT_MAX - 1;
}

static bool make_path(char *path, const char *folder, const char *name) {
  int length = snprintf(path, PLACE_PATH_MAX, "%s/%s", folder, name);
  return length > 0 && length < PLACE_PATH_MAX;
}

// Into s->list.
static bool read_list(Survey *s, const char *folder, const char *name) {
  char path[PLACE_PATH_MAX];
  return make_path(path, folder, name) && read_file(s, path) &&
         topology_parse_list(s->text, s->list, s->cpus);
}

// Calls fn for each entry "<prefix><number>" of the folder.
static void each_entry(Survey *s, const char *folder, const char *prefix,
                       void (*fn)(Survey *s, const char *entry, uint32_t number,
                                  void *arg),
                       void *arg) {
  DIR *all = opendir(folder);
  if (all == NULL) return;
  size_t skip = strlen(prefix);
  for (struct dirent *one; (one = readdir(all)) != NULL;) {
    if (strncmp(one->d_name, prefix, skip) != 0) continue;
    const char *digits = one->d_name + skip;
    uint32_t number;
    char path[PLACE_PATH_MAX];
    if (!parse_number(&digits, &number) || *digits != '\0') continue;
    if (make_path(path, folder, one->d_name)) fn(s, path, number, arg);
  }
  closedir(all);
}

// --- Nodes ------------------------------------------------------------------
static void add_node(Survey *s, const char *entry, uint32_t number, void *arg) {
  (void)arg;
  if (number >= UNSAID || !read_list(s, entry, "cpulist")) return;
  bool ours = false;
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    if (!has_bit(s->list, cpu) || !has_bit(s->allowed, cpu)) continue;
    if (s->node[cpu] != UNSAID) continue;  // two claim it: the first has it
    s->node[cpu] = (uint16_t)number;
    ours = true;
  }
  s->nodes += ours;
}

// CPUs that no node claims are one of their own.
static void find_nodes(Survey *s) {
  char folder[PLACE_PATH_MAX];
  if (make_path(folder, s->root, "sys/devices/system/node")) {
    each_entry(s, folder, "node", add_node, NULL);
  }
  bool left = false;
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    left |= has_bit(s->allowed, cpu) && s->node[cpu] == UNSAID;
  }
  s->nodes += left;
}

// --- Caches -----------------------------------------------------------------
typedef struct LastCache {
  uint32_t level, index;  // level 0: none yet
} LastCache;

static void compare_level(Survey *s, const char *entry, uint32_t index,
                          void *arg) {
  LastCache *last = arg;
  char path[PLACE_PATH_MAX];
  if (!make_path(path, entry, "level") || !read_file(s, path)) return;
  const char *at = s->text;
  uint32_t level;
  if (!parse_number(&at, &level) || level < last->level) return;
  if (level == last->level && index > last->index) return;  // any, but the same
  *last = (LastCache){level, index};
}

// The CPUs that share the last-level cache of this one, into s->list.
static bool read_last_cache(Survey *s, uint32_t cpu) {
  char name[64], folder[PLACE_PATH_MAX];
  LastCache last = {0, UINT32_MAX};
  snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/cache", cpu);
  if (!make_path(folder, s->root, name)) return false;
  each_entry(s, folder, "index", compare_level, &last);
  if (last.level == 0) return false;
  snprintf(name, sizeof name, "index%u/shared_cpu_list", last.index);
  return read_list(s, folder, name) && has_bit(s->list, cpu);
}

// A new domain, of those CPUs of s->list (NULL: of all) that are ours, of the
// node of `cpu`, and in no domain yet. Their number.
static uint32_t add_domain(Survey *s, const uint64_t *list, uint32_t cpu) {
  if (s->domains >= UNSAID) return 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->cpus; i++) {
    if (list != NULL && !has_bit(list, i)) continue;
    if (!has_bit(s->allowed, i) || s->domain[i] != UNSAID) continue;
    if (s->node[i] != s->node[cpu]) continue;
    s->domain[i] = (uint16_t)s->domains;
    count++;
  }
  s->domains++;
  return count;
}

static void forget_domains(Survey *s) {
  memset(s->domain, 0xFF, s->cpus * sizeof *s->domain);
  s->domains = 0;
}

static void find_domains(Survey *s) {
  bool shared = false;
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    if (!has_bit(s->allowed, cpu) || s->domain[cpu] != UNSAID) continue;
    if (read_last_cache(s, cpu)) shared |= add_domain(s, s->list, cpu) > 1;
  }
  if (!shared) forget_domains(s);
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    if (!has_bit(s->allowed, cpu) || s->domain[cpu] != UNSAID) continue;
    add_domain(s, NULL, cpu);
  }
}

// --- Entry points -----------------------------------------------------------
static bool survey_init(Survey *s, const Memory *memory) {
  s->list = mem_zeroed(memory, words_of(s->cpus) * sizeof *s->list);
  s->node = mem_alloc(memory, s->cpus * sizeof *s->node);
  s->domain = mem_alloc(memory, s->cpus * sizeof *s->domain);
  s->text = mem_alloc(memory, LIST_TEXT_MAX);
  if (s->list == NULL || s->node == NULL || s->domain == NULL ||
      s->text == NULL) {
    return false;
  }
  memset(s->node, 0xFF, s->cpus * sizeof *s->node);
  forget_domains(s);
  return true;
}

static SchedTopology *result_of(const Survey *s, const Memory *memory) {
  SchedTopology *t = mem_alloc(memory, sizeof *t + s->cpus * sizeof(uint32_t));
  if (t == NULL) return NULL;
  uint32_t *places = (uint32_t *)(void *)(t + 1);
  for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
    places[cpu] = has_bit(s->allowed, cpu)
                      ? sched_place(s->domain[cpu], s->node[cpu])
                      : SCHED_NO_PLACE;
  }
  *t = (SchedTopology){.cpus = s->cpus,
                       .domains = s->domains,
                       .nodes = s->nodes,
                       .places = places};
  return t;
}

SchedTopology *sched_topology_from(const Memory *memory, const char *root,
                                   const uint64_t *allowed, uint32_t cpus) {
  Survey s = {.root = root, .allowed = allowed, .cpus = cpus};
  SchedTopology *result = NULL;
  if (survey_init(&s, memory)) {
    find_nodes(&s);
    find_domains(&s);
    result = result_of(&s, memory);
  }
  mem_free(s.list);
  mem_free(s.node);
  mem_free(s.domain);
  mem_free(s.text);
  return result;
}

SchedTopology *topology_of_system(const Memory *memory) {
  uint32_t cpus;
  // Where nobody can say on which CPU a thread is, the rest is of no use.
  uint64_t *allowed = rt_cpu() < 0 ? NULL : cpu_count_affinity(memory, &cpus);
  if (allowed == NULL) return mem_zeroed(memory, sizeof(SchedTopology));
  while (cpus > 64 && allowed[cpus / 64 - 1] == 0) cpus -= 64;
  SchedTopology *t = sched_topology_from(memory, "", allowed, cpus);
  mem_free(allowed);
  return t;
}
