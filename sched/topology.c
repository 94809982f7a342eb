// SPDX-License-Identifier: MIT
// Where the CPUs lie (row 17). sysfs tells which CPUs share their last-level
// cache, and which belong to one NUMA node. Any thread may ask. Reading these
// files is slow, so nothing that happens often does it. steal_order.c uses the
// answer to choose near victims first.
//
//   cpu/cpuN/cache/index*/level, shared_cpu_list   the highest level counts
//   node/nodeN/cpulist
//
// A domain has the CPUs of one node that share a last-level cache. A cache that
// spans nodes is cut at their border, as the kernel's domains are. (With
// sub-NUMA clusters the own half of the cache is nearer, and some virtual
// machines claim one cache for all sockets.) If no cache is shared by two of
// our CPUs, each node is one domain. That is so where all caches are private,
// or where there are no files, as in many virtual machines. If there are no
// nodes either, all CPUs are one domain. Only CPUs of the affinity mask count.
// A file that cannot be read, or has garbage, is ignored. In the worst case all
// CPUs are one domain, and thieves treat all victims alike.
//
// A cache is read once for all CPUs that share it. Eight domains take some 60
// files.
//
// All paths are below `root`, so that tests can invent whole machines.
#include "sched/topology.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cpu_count.h"
#include "sched/rt.h"

enum {
  PLACE_PATH_MAX = 4096,
  LIST_TEXT_MAX = 65536,   // bytes of a list; a longer one is ignored
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

// Reads the file into survey->text. false: it cannot be had, or not whole.
static bool read_file(Survey *survey, const char *path) {
  int file = rt_fd_above_streams(open(path, O_RDONLY | O_CLOEXEC));
  if (file < 0) return false;
  size_t size = 0;
  ssize_t got;
  do {
    got = read(file, survey->text + size, LIST_TEXT_MAX - 1 - size);
    if (got > 0) size += (size_t)got;
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(file);
  survey->text[size] = '\0';
  return got == 0 && size > 0 && size < LIST_TEXT_MAX - 1;
}

static bool make_path(char *path, const char *folder, const char *name) {
  int length = snprintf(path, PLACE_PATH_MAX, "%s/%s", folder, name);
  return length > 0 && length < PLACE_PATH_MAX;
}

// Into survey->list.
static bool read_list(Survey *survey, const char *folder, const char *name) {
  char path[PLACE_PATH_MAX];
  return make_path(path, folder, name) && read_file(survey, path) &&
         topology_parse_list(survey->text, survey->list, survey->cpus);
}

// Calls fn for each entry "<prefix><number>" of the folder.
static void each_entry(Survey *survey, const char *folder, const char *prefix,
                       void (*fn)(Survey *survey, const char *entry,
                                  uint32_t number, void *arg),
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
    if (make_path(path, folder, one->d_name)) fn(survey, path, number, arg);
  }
  closedir(all);
}

// --- Nodes ------------------------------------------------------------------
static void add_node(Survey *survey, const char *entry, uint32_t number,
                     void *arg) {
  (void)arg;
  if (number >= UNSAID || !read_list(survey, entry, "cpulist")) return;
  bool ours = false;
  for (uint32_t cpu = 0; cpu < survey->cpus; cpu++) {
    if (!has_bit(survey->list, cpu) || !has_bit(survey->allowed, cpu)) continue;
    // two claim it: the first has it
    if (survey->node[cpu] != UNSAID) continue;
    survey->node[cpu] = (uint16_t)number;
    ours = true;
  }
  survey->nodes += ours;
}

// CPUs that no node claims are one of their own.
static void find_nodes(Survey *survey) {
  char folder[PLACE_PATH_MAX];
  if (make_path(folder, survey->root, "sys/devices/system/node")) {
    each_entry(survey, folder, "node", add_node, NULL);
  }
  bool left = false;
  for (uint32_t cpu = 0; cpu < survey->cpus; cpu++) {
    left |= has_bit(survey->allowed, cpu) && survey->node[cpu] == UNSAID;
  }
  survey->nodes += left;
}

// --- Caches -----------------------------------------------------------------
typedef struct LastCache {
  uint32_t level, index;  // level 0: none yet
} LastCache;

static void compare_level(Survey *survey, const char *entry, uint32_t index,
                          void *arg) {
  LastCache *last = arg;
  char path[PLACE_PATH_MAX];
  if (!make_path(path, entry, "level") || !read_file(survey, path)) return;
  const char *at = survey->text;
  uint32_t level;
  if (!parse_number(&at, &level) || level < last->level) return;
  if (level == last->level && index > last->index) return;  // any, but the same
  *last = (LastCache){level, index};
}

// The CPUs that share the last-level cache of this one, into survey->list.
static bool read_last_cache(Survey *survey, uint32_t cpu) {
  char name[64], folder[PLACE_PATH_MAX];
  LastCache last = {0, UINT32_MAX};
  snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/cache", cpu);
  if (!make_path(folder, survey->root, name)) return false;
  each_entry(survey, folder, "index", compare_level, &last);
  if (last.level == 0) return false;
  snprintf(name, sizeof name, "index%u/shared_cpu_list", last.index);
  return read_list(survey, folder, name) && has_bit(survey->list, cpu);
}

// Makes a new domain of the CPUs in survey->list (NULL: of all) that are ours,
// belong to the node of `cpu`, and are in no domain yet. Gives their number.
static uint32_t add_domain(Survey *survey, const uint64_t *list, uint32_t cpu) {
  if (survey->domains >= UNSAID) return 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < survey->cpus; i++) {
    if (list != NULL && !has_bit(list, i)) continue;
    if (!has_bit(survey->allowed, i) || survey->domain[i] != UNSAID) continue;
    if (survey->node[i] != survey->node[cpu]) continue;
    survey->domain[i] = (uint16_t)survey->domains;
    count++;
  }
  survey->domains++;
  return count;
}

static void forget_domains(Survey *survey) {
  memset(survey->domain, 0xFF, survey->cpus * sizeof *survey->domain);
  survey->domains = 0;
}

static void find_domains(Survey *survey) {
  bool shared = false;
  for (uint32_t cpu = 0; cpu < survey->cpus; cpu++) {
    if (!has_bit(survey->allowed, cpu) || survey->domain[cpu] != UNSAID)
      continue;
    if (read_last_cache(survey, cpu))
      shared |= add_domain(survey, survey->list, cpu) > 1;
  }
  if (!shared) forget_domains(survey);
  for (uint32_t cpu = 0; cpu < survey->cpus; cpu++) {
    if (!has_bit(survey->allowed, cpu) || survey->domain[cpu] != UNSAID)
      continue;
    add_domain(survey, NULL, cpu);
  }
}

// --- Entry points -----------------------------------------------------------
static bool survey_init(Survey *survey, const Memory *memory) {
  survey->list =
      mem_zeroed(memory, words_of(survey->cpus) * sizeof *survey->list);
  survey->node = mem_alloc(memory, survey->cpus * sizeof *survey->node);
  survey->domain = mem_alloc(memory, survey->cpus * sizeof *survey->domain);
  survey->text = mem_alloc(memory, LIST_TEXT_MAX);
  if (survey->list == NULL || survey->node == NULL || survey->domain == NULL ||
      survey->text == NULL) {
    return false;
  }
  memset(survey->node, 0xFF, survey->cpus * sizeof *survey->node);
  forget_domains(survey);
  return true;
}

static SchedTopology *result_of(const Survey *survey, const Memory *memory) {
  SchedTopology *topology =
      mem_alloc(memory, sizeof *topology + survey->cpus * sizeof(uint32_t));
  if (topology == NULL) return NULL;
  uint32_t *places = (uint32_t *)(void *)(topology + 1);
  for (uint32_t cpu = 0; cpu < survey->cpus; cpu++) {
    places[cpu] = has_bit(survey->allowed, cpu)
                      ? sched_place(survey->domain[cpu], survey->node[cpu])
                      : SCHED_NO_PLACE;
  }
  *topology = (SchedTopology){.cpus = survey->cpus,
                              .domains = survey->domains,
                              .nodes = survey->nodes,
                              .places = places};
  return topology;
}

SchedTopology *sched_topology_from(const Memory *memory, const char *root,
                                   const uint64_t *allowed, uint32_t cpus) {
  Survey survey = {.root = root, .allowed = allowed, .cpus = cpus};
  SchedTopology *result = NULL;
  if (survey_init(&survey, memory)) {
    find_nodes(&survey);
    find_domains(&survey);
    result = result_of(&survey, memory);
  }
  mem_free(survey.list);
  mem_free(survey.node);
  mem_free(survey.domain);
  mem_free(survey.text);
  return result;
}

SchedTopology *topology_of_system(const Memory *memory) {
  uint32_t cpus;
  // Where nobody can say on which CPU a thread is, the rest is of no use.
  uint64_t *allowed = rt_cpu() < 0 ? NULL : cpu_count_affinity(memory, &cpus);
  if (allowed == NULL) return mem_zeroed(memory, sizeof(SchedTopology));
  while (cpus > 64 && allowed[cpus / 64 - 1] == 0) cpus -= 64;
  SchedTopology *topology = sched_topology_from(memory, "", allowed, cpus);
  mem_free(allowed);
  return topology;
}
