// SPDX-License-Identifier: MIT
// What an access costs: for each line of the arena, which CPU wrote it last,
// which have a copy, and until when it is busy. A cache is as large as memory: a copy is
// lost only by another CPU's write.
//
//   read,  has a copy             a hit
//   read,  has none               from the last writer; a copy more
//   write, last writer, no copies a hit
//   write else                    from the last writer (or all copies are
//                                 called back from there); no copies
// What is no hit begins when the line is free, and not before the store that
// it sees; a write keeps the line busy until it is done, so that those that
// contend for it queue up. It takes effect when it is done.
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

enum { NOBODY = UINT16_MAX, SET_WORDS = (SIM_CPUS + 63) / 64 };

typedef struct Set {  // of CPUs
  uint64_t words[SET_WORDS];
  uint32_t next_free;
} Set;

typedef struct Line {
  int64_t free_at;
  uint16_t owner_1;  // last writer + 1; 0 means nobody has touched it
  uint16_t copies;   // beside the owner's
  uint16_t near[SIM_NEAR];
  uint32_t set;  // 0 means none; they are in near
} Line;

enum { LINES = SIM_ARENA / RT_LINE, SETS = 1 << 18 };

static Line *lines;
static Set *sets;  // [0] is not used
static uint32_t set_count, set_free;
static size_t lines_used;

static void *map(size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) sim_fail("no memory");
  return at;
}

void cache_reset(void) {
  if (lines == NULL) {
    lines = map(LINES * sizeof *lines);
    sets = map(SETS * sizeof *sets);
  }
  memset(lines, 0, lines_used * sizeof *lines);
  memset(sets, 0, (set_count + 1) * sizeof *sets);
  lines_used = 0;
  set_count = set_free = 0;
}

// --- Who has a copy ---------------------------------------------------------
static bool has_copy(const Line *line, uint32_t cpu) {
  if (line->owner_1 == cpu + 1) return true;
  if (line->set != 0) return sets[line->set].words[cpu / 64] >> (cpu % 64) & 1;
  for (uint32_t i = 0; i < line->copies; i++) {
    if (line->near[i] == cpu) return true;
  }
  return false;
}

static uint32_t set_new(void) {
  uint32_t at = set_free;
  if (at != 0) {
    set_free = sets[at].next_free;
  } else {
    at = ++set_count;
    if (at >= SETS) sim_fail("too many shared lines");
  }
  memset(&sets[at], 0, sizeof sets[at]);
  return at;
}

static void set_add(Line *line, uint32_t cpu) {
  sets[line->set].words[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

static void add_copy(Line *line, uint32_t cpu) {
  if (line->set == 0 && line->copies == SIM_NEAR) {
    line->set = set_new();
    for (int i = 0; i < SIM_NEAR; i++) set_add(line, line->near[i]);
  }
  if (line->set != 0) {
    set_add(line, cpu);
  } else {
    line->near[line->copies] = (uint16_t)cpu;
  }
  line->copies++;
}

static void take_over(Line *line, uint32_t cpu) {
  if (line->set != 0) {
    sets[line->set].next_free = set_free;
    set_free = line->set;
    line->set = 0;
  }
  line->copies = 0;
  line->owner_1 = (uint16_t)(cpu + 1);
}

// --- Accesses ---------------------------------------------------------------
static int64_t distance(const Line *line, uint32_t cpu) {
  if (line->owner_1 == 0) return sim.costs.memory;
  uint32_t from = line->owner_1 - 1u;
  // calling back the copies of others is as far as they may be
  if (from == cpu && line->set == 0 && line->copies > 0) from = line->near[0];
  if (from / SIM_LLC == cpu / SIM_LLC && line->set == 0) return sim.costs.llc;
  if (from / SIM_SOCKET == cpu / SIM_SOCKET) return sim.costs.socket;
  return sim.costs.remote;
}

static bool is_hit(const Line *line, uint32_t cpu, SimAccess access) {
  if (access == ACCESS_READ) return has_copy(line, cpu);
  return line->owner_1 == cpu + 1 && line->copies == 0;
}

static void miss(Line *line, SimThread *thread, SimAccess access,
                 int64_t cost) {
  int64_t begin = thread->clock > line->free_at ? thread->clock : line->free_at;
  int64_t done = begin + distance(line, thread->cpu) + cost;
  if (access == ACCESS_READ) {
    if (line->owner_1 == 0) {
      take_over(line, thread->cpu);
    } else {
      add_copy(line, thread->cpu);
    }
    line->free_at = begin + sim.costs.answer;
  } else {
    take_over(line, thread->cpu);
    line->free_at = done;
  }
  sim.misses++;
  sim_charge(done - thread->clock, sim_doing());
  sim_catch_up();
}

void cache_access(size_t line, SimAccess access, int64_t cost) {
  SimThread *thread = sim.current;
  Line *accessed = &lines[line];
  if (line >= lines_used) lines_used = line + 1;
  sim.accesses++;
  sim_doing();  // its CPU
  if (!is_hit(accessed, thread->cpu, access)) {
    sim_catch_up();
    if (!is_hit(accessed, thread->cpu, access)) {
      miss(accessed, thread, access, cost);
      return;
    }
  }
  sim_pass(cost);
  // a hit that writes: nobody may see it before its time
  if (access != ACCESS_READ && thread->clock > accessed->free_at)
    accessed->free_at = thread->clock;
}
