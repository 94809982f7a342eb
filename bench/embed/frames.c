// SPDX-License-Identifier: MIT
// A game's host: 60 frames a second, each with 2 ms for scripts. 200 entities
// wait for each frame and then do a little; beside them scripts that never
// stop compute. How far do steps last longer than they should, and does each
// entity have its turn in each frame?
//
//   cc -O2 -std=gnu11 -I. bench/embed/frames.c build/libcspvm.a -lm -pthread
//   ./a.out [FRAMES [TRIES]]     (600, 1; without pauses between the frames)
//
// Times are of the thread's CPU time, so other programs do not count. But a
// step ends by the clock, so they can take turns from entities. Turns are
// counted in frames in which the thread had the CPU all the time, at least a
// quarter of them. What a virtual machine takes from the thread cannot be told
// apart, so a game that misses a goal is tried again, TRIES times at most.
//
// Frames in which there was a collection are told apart. The exit status is 1
// when in each try a step without one is over by more than 1 ms, or an entity
// has less than 90 % of its turns.
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "vm/csp.h"

enum {
  ENTITIES = 200,
  BUDGET_NS = 2000000,
  MOST_OVER_NS = 1000000,
  DISTURBED_NS = 100000,  // without the CPU
  LEAST_SHARE = 90
};

typedef struct Hog {
  const char *name, *text;
} Hog;

static const Hog hogs[] = {
    {"nothing", ""},
    {"an endless loop", "go { for { } }\n"},
    {"sort of a million",
     "import \"rand\"\n"
     "xs := []\nfor i in 1000000 { xs.push(i * 7919 % 1000003) }\n"
     "go { for { rand.shuffle(xs)\n  xs.sort() } }\n"},
    {"a backtracking matcher",
     "// (a*)*b against a...a\n"
     "func star(s, at, more) {\n"
     "  for end := at; end < len(s) && s[end] == \"a\"; {\n"
     "    end++\n"
     "    if star(s, end, more) || more(end) { return true }\n"
     "  }\n"
     "  return false\n}\n"
     "text := \"a\".repeat(30) + \"c\"\n"
     "go { for { star(text, 0, func(at) => text[at] == \"b\") } }\n"},
    {"all of them", NULL},
};
enum { HOGS = sizeof hogs / sizeof *hogs };

static const char entities[] =
    "import \"game\"\n"
    "func entity(id) {\n"
    "  state := {x: id, path: []}\n"
    "  for {\n"
    "    game.wait(id)\n"
    "    for i in 10 { state.path.push(state.x + i) }\n"
    "    if len(state.path) > 100 { state.path = [] }\n"
    "    state.x = (state.x * 31 + 7) % 1000\n"
    "  }\n"
    "}\n"
    "for id in 200 { go entity(id) }\n";

static CspWaker *waiting[ENTITIES];

static CspStatus game_wait(CspCall *call) {
  int64_t id;
  if (!csp_need_int(call, 0, &id)) return CSP_PANIC;
  waiting[id] = csp_waker(call);
  return waiting[id] != NULL ? csp_park(call) : csp_panic_memory(call);
}

static const CspFunction functions[] = {{"wait", "id", game_wait},
                                        {NULL, NULL, NULL}};
static const CspModule module = {.path = "game", .functions = functions};

// --- Memory -----------------------------------------------------------------
// The system clears a page when it is touched first. That takes 16 us on some
// virtual machines, and the step has to wait. So this host has touched its
// memory before: values lie in cells of one mapping, and malloc keeps what it
// has taken from the system.
enum { CELL = 4 << 20, CELLS = 40, WARM = 96 << 20 };

static char *cells;
static bool is_taken[CELLS];

static size_t cells_of(size_t bytes) { return (bytes + CELL - 1) / CELL; }

static void *take_cells(void *arg, size_t bytes, size_t align) {
  (void)arg;
  size_t wanted = cells_of(bytes), run = 0;
  if (align > CELL) return NULL;
  for (size_t i = 0; i < CELLS; i++) {
    run = is_taken[i] ? 0 : run + 1;
    if (run < wanted) continue;
    size_t first = i + 1 - wanted;
    memset(&is_taken[first], true, wanted);
    return cells + first * CELL;
  }
  return NULL;
}

static void give_cells(void *arg, void *block, size_t bytes) {
  (void)arg;
  memset(block, 0, bytes);
  memset(&is_taken[(size_t)((char *)block - cells) / CELL], false,
         cells_of(bytes));
}

static void warm_up(void) {
  enum { PIECES = 16 };
  char *pieces[PIECES];
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  for (int i = 0; i < PIECES; i++) {
    pieces[i] = malloc(WARM / PIECES);
    if (pieces[i] == NULL) exit(2);
    memset(pieces[i], 1, WARM / PIECES);
  }
  for (int i = 0; i < PIECES; i++) free(pieces[i]);
  size_t bytes = (size_t)(CELLS + 1) * CELL;
  char *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (mapped == MAP_FAILED) exit(2);
  cells = mapped + CELL - (uintptr_t)mapped % CELL;
}

// --- A game -----------------------------------------------------------------
static int64_t now_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void load(Csp *csp, const char *text) {
  CspResult result;
  csp_load(csp_host(csp), "frames.csp", text, strlen(text), &result);
  if (result.end == CSP_DONE) return;
  fprintf(stderr, "frames: %s",
          result.message != NULL ? result.message : "it ended\n");
  exit(2);
}

static uint64_t collections(Csp *csp) {
  uint64_t count = 0;
  csp_counter(csp, "collections", &count);
  return count;
}

static Csp *open_game(int hog) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  config.map = take_cells;
  config.unmap = give_cells;
  Csp *csp = csp_new(&config);
  if (csp == NULL) exit(2);
  csp_install_language(csp);
  if (!csp_install_library(csp) || !csp_register(csp, &module)) exit(2);
  load(csp, entities);
  csp_step(csp, -1);  // until all wait
  for (int n = 0; n < HOGS - 1; n++)
    if (n == hog || hogs[hog].text == NULL) load(csp, hogs[n].text);
  return csp;
}

typedef struct Sums {
  int64_t over, over_collecting, used;
  int collecting, undisturbed, turns[ENTITIES];
} Sums;

static void run_frame(Csp *csp, Sums *sums) {
  for (int id = 0; id < ENTITIES; id++) {
    CspWaker *waker = waiting[id];
    waiting[id] = NULL;
    if (waker != NULL) csp_wake(waker, NULL, NULL);
  }
  uint64_t before = collections(csp);
  int64_t wall = now_of(CLOCK_MONOTONIC);
  int64_t cpu = now_of(CLOCK_THREAD_CPUTIME_ID);
  csp_step(csp, BUDGET_NS);
  int64_t took = now_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  int64_t over = took - BUDGET_NS;
  bool disturbed = now_of(CLOCK_MONOTONIC) - wall - took > DISTURBED_NS;
  bool collected = collections(csp) != before;
  int64_t *most = collected ? &sums->over_collecting : &sums->over;
  if (over > *most) *most = over;
  sums->collecting += collected;
  sums->used += took;
  sums->undisturbed += !disturbed;
  for (int id = 0; id < ENTITIES && !disturbed; id++)
    sums->turns[id] += waiting[id] != NULL;
}

static bool run_game(int hog, int frames) {
  Csp *csp = open_game(hog);
  Sums sums = {0};
  for (int n = 0; n < frames; n++) run_frame(csp, &sums);
  csp_free(csp);
  memset(waiting, 0, sizeof waiting);
  int least = sums.undisturbed;
  for (int id = 0; id < ENTITIES; id++)
    if (sums.turns[id] < least) least = sums.turns[id];
  double share = least > 0 ? 100.0 * least / sums.undisturbed : 0;
  printf("%-24s %7.2f ms %9.2f ms %10.2f ms (%d frames) %7.1f %% of %d\n",
         hogs[hog].name, (double)sums.used / frames / 1e6,
         (double)sums.over / 1e6, (double)sums.over_collecting / 1e6,
         sums.collecting, share, sums.undisturbed);
  return sums.over <= MOST_OVER_NS && share >= (double)LEAST_SHARE &&
         sums.undisturbed * 4 >= frames;
}

int main(int argc, char **argv) {
  int frames = argc > 1 ? atoi(argv[1]) : 600;
  int tries = argc > 2 ? atoi(argv[2]) : 1;
  if (frames <= 0 || tries <= 0) return 2;
  warm_up();
  printf("%-24s %10s %12s %25s %18s\n", "beside", "a frame", "at most over",
         "over with a collection", "least turns");
  bool fine = true;
  for (int hog = 0; hog < HOGS; hog++) {
    int left = tries;
    while (left > 0 && !run_game(hog, frames)) left--;
    fine &= left > 0;
  }
  return fine ? 0 : 1;
}
