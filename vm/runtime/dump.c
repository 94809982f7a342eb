// SPDX-License-Identifier: MIT
// A dump shows all goroutines as text. It says what each does or waits for and
// since when, and has its stack and the place where it was started. Goroutines
// that differ in their times alone are one entry, with their number and ids.
// Members of a group stand below the owner of the group, indented.
//
// A dump is made in two steps. The first takes ids and places in code, while no
// goroutine runs. That is at a deadlock, or a thread without a P stops the
// world for each piece (dump_piece). Between two pieces goroutines run, so in a
// large dump some have run on since others were looked at. The second step
// makes the text. It needs no stop, as all code stays until dump_free.
#include "vm/runtime/dump.h"

#include <stdlib.h>
#include <time.h>

#include "vm/code/proto.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/unit.h"
#include "vm/interp/call_native.h"
#include "vm/interp/channels.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack_trace.h"
#include "vm/object/value_text.h"
#include "vm/runtime/runtime.h"

// Goroutines with the same state and stack.
typedef struct Alike {
  Trace *trace;           // of the first one
  const char *call;       // the native that blocks, or NULL
  const Instr *group_pc;  // where the group was begun that it belongs to; NULL
  Proto *group_in;
  uint64_t owner;  // of the first one's group
  // The tree, by index + 1, or 0 for none: the owner's entry, the first of
  // those below this one, the next one below the same.
  size_t above, first, next;
  const char *waits;  // for what; NULL means it does not
  uint64_t holder;    // the goroutine that holds that mutex, or 0
  uint8_t state;
  int64_t since, until;  // the earliest and the latest `since`; 0 means unknown
  uint64_t *ids;
  size_t count, room;
} Alike;

struct Dump {
  Alike *all;
  size_t count, room;
  uint32_t *table;  // of indices + 1, by hash; its size is a power of two
  size_t size;
  size_t most;               // entries
  size_t uncounted;          // goroutines that would be further ones
  uint64_t cost, cost_most;  // of this piece, in frames or so: so far, at most
  bool failed;               // out of memory: some are missing
  int64_t now;
  Vm *vm;
};

// --- Taking -----------------------------------------------------------------
static uint64_t mix_alike(uint64_t hash, uint64_t word) {
  return (hash ^ word) * 0x9E3779B97F4A7C15u ^ (hash >> 29);
}

static uint64_t hash_alike(const Alike *alike) {
  const Trace *trace = alike->trace;
  uint64_t hash = mix_alike(alike->state + (uintptr_t)alike->waits,
                            (uintptr_t)trace->created_pc);
  hash = mix_alike(hash, (uintptr_t)alike->group_pc + alike->holder);
  for (uint32_t n = 0; n < trace->count; n++) {
    hash = mix_alike(hash, (uintptr_t)trace->frames[n].pc);
  }
  return hash ^ hash >> 32;
}

static bool are_alike(const Alike *a, const Alike *b) {
  const Trace *x = a->trace, *y = b->trace;
  return a->state == b->state && a->waits == b->waits && a->call == b->call &&
         a->holder == b->holder && a->group_pc == b->group_pc &&
         x->created_in == y->created_in && x->created_pc == y->created_pc &&
         x->elided == y->elided && x->count == y->count &&
         memcmp(x->frames, y->frames, x->count * sizeof(TraceFrame)) == 0;
}

// The entry that is like it, or the free place for it.
static uint32_t *alike_slot(Dump *dump, const Alike *alike) {
  RT_ASSERT(dump->count < dump->size && (dump->size & (dump->size - 1)) == 0);
  for (uint64_t at = hash_alike(alike);; at++) {
    uint32_t *slot = &dump->table[at & (dump->size - 1)];
    if (*slot == 0 || are_alike(&dump->all[*slot - 1], alike)) return slot;
  }
}

static bool dump_grow(Dump *dump) {
  size_t room = dump->room == 0 ? 64 : dump->room * 2;
  Alike *all = mem_resize(dump->vm->memory, dump->all, room * sizeof *all);
  if (all == NULL) return false;
  dump->all = all;
  uint32_t *table = mem_zeroed(dump->vm->memory, room * 2 * sizeof *table);
  if (table == NULL) return false;
  dump->room = room;
  mem_free(dump->table);
  dump->table = table;
  dump->size = room * 2;
  for (size_t n = 0; n < dump->count; n++)
    *alike_slot(dump, &all[n]) = (uint32_t)n + 1;
  return true;
}

static bool add_id(Vm *vm, Alike *alike, uint64_t id, int64_t since) {
  if (alike->count == alike->room) {
    size_t room = alike->room == 0 ? 1 : alike->room * 2;
    uint64_t *ids = mem_resize(vm->memory, alike->ids, room * sizeof *ids);
    if (ids == NULL) return false;
    alike->ids = ids;
    alike->room = room;
  }
  if (alike->count == 0 || since < alike->since) alike->since = since;
  if (alike->count == 0 || since > alike->until) alike->until = since;
  alike->ids[alike->count++] = id;
  return true;
}

// A saved pc mostly stands after the instruction that runs, which is a call or
// an operation that waits. The pc of a goroutine that was stopped at a
// safepoint, or has not begun, stands before its next instruction.
static void correct_top(const Goroutine *g, Trace *trace) {
  if (trace->count == 0) return;
  TraceFrame *top = &trace->frames[0];
  bool before = g_state(&g->g) == G_RUNNING || g->g.preempted;
  if (before || top->pc < top->proto->code) top->pc++;
}

// The group that g was started in, not one that it has begun itself.
static void take_group(Alike *alike, const Goroutine *g) {
  Group *joined = g->g.group;
  while (joined != NULL && joined->owner == &g->g) joined = joined->parent;
  if (joined == NULL) return;
  const ObjGroup *group = obj_group(joined);
  alike->group_in = group->begun_in;
  alike->group_pc = group->begun_pc;
  alike->owner = joined->owner->id;
}

static bool take_goroutine(Dump *dump, const Goroutine *g) {
  GState state = g_state(&g->g);
  Alike alike = {.trace = trace_capture(dump->vm->memory, g),
                 .state = (uint8_t)state};
  if (alike.trace == NULL) return false;
  enum { FRAMES_EACH = 8 };  // that cost as much as all else
  dump->cost += FRAMES_EACH + alike.trace->count + alike.trace->elided;
  take_group(&alike, g);
  correct_top(g, alike.trace);
  bool waits = state == G_WAITING;
  if (waits) {
    alike.waits = channel_wait_name(g);
    alike.holder = lock_holder(g);
  }
  bool calls = g->g.reason == WAIT_IO || g->g.reason == WAIT_SLEEP;
  if (state == G_SYSCALL || (waits && calls)) alike.call = native_blocked_in(g);
  bool fine = dump->count < dump->room || dump_grow(dump);
  uint32_t *slot = fine ? alike_slot(dump, &alike) : NULL;
  bool known = fine && *slot != 0;
  if (fine && !known && dump->count >= dump->most) {
    dump->uncounted++;
    trace_drop(alike.trace);
    return true;
  }
  if (fine && !known) {
    dump->all[dump->count] = alike;
    *slot = (uint32_t)++dump->count;
  } else {
    trace_drop(alike.trace);
  }
  bool timed = waits || state == G_SYSCALL;
  bool added = fine && add_id(dump->vm, &dump->all[*slot - 1], g->g.id,
                              timed ? g->g.since : 0);
  if (fine && !known && !added) {  // no entry is without ids
    dump->count--;
    *slot = 0;
    mem_free(alike.trace);
  }
  return added;
}

static void take_one(void *arg, Goroutine *g) {
  Dump *dump = arg;
  if (!take_goroutine(dump, g)) dump->failed = true;
}

static Dump *dump_new(Vm *vm, size_t most) {
  Dump *dump = mem_zeroed(vm->memory, sizeof *dump);
  if (dump == NULL) return NULL;
  dump->now = rt_now();
  dump->vm = vm;
  dump->most = most;
  // The traces are for us alone.
  // RMW: dump_free may subtract meanwhile. A collection that looks at it
  // (units_mark_roots) stops the world after this
  rt_add(&vm->code_kept, 1u);
  return dump;
}

Dump *dump_take(Vm *vm) {
  Dump *dump = dump_new(vm, SIZE_MAX);
  if (dump != NULL) vm_each_goroutine(vm, take_one, dump);
  return dump;
}

static void clear(Dump *dump) {
  for (size_t n = 0; n < dump->count; n++) {
    trace_drop(dump->all[n].trace);
    mem_free(dump->all[n].ids);
  }
  mem_free(dump->all);
  mem_free(dump->table);
  dump->all = NULL;
  dump->table = NULL;
  dump->count = dump->room = dump->size = dump->uncounted = 0;
}

void dump_free(Dump *dump) {
  clear(dump);
  // RMW: pairs with the load in units_mark_roots, at a later stop
  rt_sub(&dump->vm->code_kept, 1u);
  mem_free(dump);
}

// --- The text ---------------------------------------------------------------
static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static int by_first_id(const void *a, const void *b) {
  return by_number(((const Alike *)a)->ids, ((const Alike *)b)->ids);
}

// Ids mostly come in rising or falling order, as the goroutines were taken.
static void sort_ids(Alike *alike) {
  size_t up = 1, down = 1;
  while (up < alike->count && alike->ids[up - 1] < alike->ids[up]) up++;
  if (up >= alike->count) return;
  while (down < alike->count && alike->ids[down - 1] > alike->ids[down]) down++;
  if (down < alike->count) {
    qsort(alike->ids, alike->count, sizeof *alike->ids, by_number);
    return;
  }
  for (size_t low = 0, high = alike->count - 1; low < high; low++, high--) {
    uint64_t id = alike->ids[low];
    alike->ids[low] = alike->ids[high];
    alike->ids[high] = id;
  }
}

enum { ID_RANGES = 20 };  // shown of those that are alike

// " 2-7, 9, 12-13": ids in order.
static void add_ids(Text *text, const Alike *alike) {
  size_t ranges = 0;
  for (size_t n = 0; n < alike->count; ranges++) {
    size_t last = n;
    while (last + 1 < alike->count &&
           alike->ids[last + 1] == alike->ids[last] + 1)
      last++;
    if (ranges == ID_RANGES) {
      text_addf(text, ", and %zu more", alike->count - n);
      return;
    }
    text_addf(text, "%s%llu", ranges > 0 ? ", " : " ",
              (unsigned long long)alike->ids[n]);
    if (last > n)
      text_addf(text, "-%llu", (unsigned long long)alike->ids[last]);
    n = last + 1;
  }
}

// "chan receive, 3 s", "blocking call os.run, 2 s to 90 s", "mutex, held by
// goroutine 7"
static void add_state(Text *text, const Dump *dump, const Alike *alike) {
  const char *name = g_state_name((GState)alike->state);
  if (alike->waits != NULL) name = alike->waits;
  if (alike->state == G_SYSCALL) name = "blocking call";
  text_addf(text, "%s%s%s", name, alike->call != NULL ? " " : "",
            alike->call != NULL ? alike->call : "");
  if (alike->holder != 0)
    text_addf(text, ", held by goroutine %llu",
              (unsigned long long)alike->holder);
  if (alike->since == 0) return;
  long long longest = (dump->now - alike->since) / 1000000000;
  long long shortest = (dump->now - alike->until) / 1000000000;
  if (longest <= 0) return;
  if (shortest < longest)
    text_addf(text, ", %lld s to %lld s", shortest > 0 ? shortest : 0, longest);
  else
    text_addf(text, ", %lld s", longest);
}

static void add_group(Text *text, const Alike *alike) {
  if (alike->group_pc == NULL) return;
  LineInfo at = proto_line(alike->group_in, alike->group_pc);
  text_addf(text, "  in the group of goroutine %llu at %s:%u:%u\n",
            (unsigned long long)alike->owner, alike->group_in->path->own,
            at.line, at.col);
}

static void add_indented(Text *text, const Text *lines, size_t depth) {
  for (size_t at = 0; at < lines->len;) {
    const char *line = lines->data + at;
    const char *end = memchr(line, '\n', lines->len - at);
    size_t len = end == NULL ? lines->len - at : (size_t)(end - line) + 1;
    for (size_t n = 0; n < depth; n++) text_add(text, "  ", 2);
    text_add(text, line, len);
    at += len;
  }
}

static void add_alike(Text *text, const Dump *dump, const Alike *alike,
                      size_t depth) {
  Text own = {.memory = dump->vm->memory};
  if (alike->count == 1)
    text_addf(&own, "goroutine %llu [", (unsigned long long)alike->ids[0]);
  else
    text_addf(&own, "%zu goroutines [", alike->count);
  add_state(&own, dump, alike);
  text_addf(&own, "]:");
  if (alike->count > 1) add_ids(&own, alike);
  text_addf(&own, "\n");
  if (alike->trace->count == 0) text_addf(&own, "  not begun\n");
  trace_print_frames(&own, dump->vm, alike->trace);
  add_group(&own, alike);
  text_add(text, "\n", 1);
  if (!own.failed) add_indented(text, &own, depth);
  text_free(&own);
}

// --- The tree ---------------------------------------------------------------
// An owner of a group that was taken, and its entry's index + 1 (0: none).
typedef struct Owner {
  uint64_t id;
  size_t entry;
} Owner;

typedef struct Owners {
  Owner *all;  // by id
  size_t count;
} Owners;

static int by_id(const void *a, const void *b) {
  return by_number(&((const Owner *)a)->id, &((const Owner *)b)->id);
}

static Owner *owner_of(const Owners *owners, uint64_t id) {
  Owner wanted = {.id = id};
  return bsearch(&wanted, owners->all, owners->count, sizeof wanted, by_id);
}

// false: there are none, or there is no memory.
static bool collect_owners(const Dump *dump, Owners *owners) {
  size_t count = 0;
  for (size_t n = 0; n < dump->count; n++)
    count += dump->all[n].group_pc != NULL;
  if (count == 0) return false;
  owners->all = mem_alloc(dump->vm->memory, count * sizeof(Owner));
  if (owners->all == NULL) return false;
  count = 0;
  for (size_t n = 0; n < dump->count; n++)
    if (dump->all[n].group_pc != NULL)
      owners->all[count++] = (Owner){.id = dump->all[n].owner};
  qsort(owners->all, count, sizeof(Owner), by_id);
  for (size_t n = 0; n < count; n++) {
    size_t last = owners->count - 1;
    if (n == 0 || owners->all[last].id != owners->all[n].id)
      owners->all[owners->count++] = owners->all[n];
  }
  return true;
}

// Which entry each owner is in. Without memory: none.
static void find_owners(Dump *dump) {
  Owners owners = {0};
  if (!collect_owners(dump, &owners)) return;
  for (size_t n = 0; n < dump->count; n++)
    for (size_t i = 0; i < dump->all[n].count; i++) {
      Owner *owner = owner_of(&owners, dump->all[n].ids[i]);
      if (owner != NULL) owner->entry = n + 1;
    }
  for (size_t n = 0; n < dump->count; n++) {
    Alike *alike = &dump->all[n];
    size_t entry =
        alike->group_pc == NULL ? 0 : owner_of(&owners, alike->owner)->entry;
    // (goroutines that are alike may have begun their groups in each other)
    if (entry != n + 1) alike->above = entry;
  }
  mem_free(owners.all);
}

// The first of those at the top.
static size_t make_tree(Dump *dump) {
  size_t top = 0;
  find_owners(dump);
  for (size_t n = dump->count; n-- > 0;) {
    Alike *alike = &dump->all[n];
    size_t *list =
        alike->above == 0 ? &top : &dump->all[alike->above - 1].first;
    alike->next = *list;
    *list = n + 1;
  }
  return top;
}

enum { DEPTH_SHOWN = 20 };

typedef struct Printing {
  Text *text;
  Dump *dump;
  size_t most, left;  // entries to be shown, goroutines not shown
} Printing;

static void print_one(Printing *printing, Alike *alike, size_t depth) {
  if (printing->most > 0) {
    printing->most--;
    add_alike(printing->text, printing->dump, alike,
              depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN);
  } else {
    printing->left += alike->count;
  }
}

// An entry and all below it; without recursion, they may nest deeply.
static void print_tree(Printing *printing, size_t root) {
  size_t depth = 0;
  for (size_t at = root; at != 0;) {
    Alike *alike = &printing->dump->all[at - 1];
    size_t below = alike->first;
    if (alike->count > 0) print_one(printing, alike, depth);
    alike->count = 0;
    alike->first = 0;  // it comes by here again on the way back
    if (below != 0) {
      at = below;
      depth++;
    } else if (at == root) {
      return;
    } else if (alike->next != 0) {
      at = alike->next;
    } else {
      at = alike->above;
      depth--;
    }
  }
}

void dump_print(Text *text, Dump *dump, size_t most) {
  for (size_t n = 0; n < dump->count; n++) sort_ids(&dump->all[n]);
  if (dump->count > 0)
    qsort(dump->all, dump->count, sizeof *dump->all, by_first_id);
  Printing printing = {
      .text = text, .dump = dump, .most = most, .left = dump->uncounted};
  for (size_t at = make_tree(dump); at != 0; at = dump->all[at - 1].next)
    print_tree(&printing, at);
  // entries that stand below each other, as both hold several goroutines
  for (size_t n = 0; n < dump->count; n++)
    if (dump->all[n].count > 0) print_one(&printing, &dump->all[n], 0);
  if (printing.left > 0)
    text_addf(text, "\n... and %zu more goroutines\n", printing.left);
  if (dump->failed) text_addf(text, "\n... and others: out of memory\n");
}

// --- At any time ------------------------------------------------------------
// The main goroutine is in each dump, whatever the number of entries.
static void take_main(Dump *dump) {
  Goroutine *g = dump->vm->main;
  GState state = g != NULL ? g_state(&g->g) : G_DEAD;
  if (state != G_DEAD && state != G_IDLE) take_one(dump, g);
}

static void take_more(void *arg, Goroutine *g) {
  Dump *dump = arg;
  if (g != dump->vm->main) take_one(dump, g);
}

static bool take_seen(void *arg, Goroutine *g) {
  Dump *dump = arg;
  take_more(dump, g);
  return dump->cost < dump->cost_most;
}

// What was taken before a P went away is taken again, in one piece.
static void take_again(Dump *dump) {
  clear(dump);
  take_main(dump);
  vm_each_goroutine(dump->vm, take_more, dump);
}

// A piece has some 300 us at first, and some 5 ms at most.
enum { PIECE_FIRST = 1 << 12, PIECE_MOST = 1 << 16 };

static void take_stopped(void *arg) {
  DumpPieces *pieces = arg;
  Vm *vm = &pieces->csp->vm;
  int64_t begun = rt_now();
  if (pieces->dump == NULL) {
    pieces->dump = dump_new(vm, DUMP_ENTRIES);
    if (pieces->dump == NULL) return;
    pieces->dump->cost_most = PIECE_FIRST;
    take_main(pieces->dump);
  }
  Dump *dump = pieces->dump;
  dump->cost = 0;
  WalkEnd end = heap_walk_on(vm, &pieces->walk, take_seen, dump);
  pieces->more = end == WALK_MORE;
  if (end == WALK_LOST) take_again(dump);
  pieces->stopped_ns = rt_now() - begun;
}

bool dump_piece(DumpPieces *pieces) {
  pieces->more = false;
  Sched *sched = pieces->csp->vm.sched;
  pieces->stopped =
      sched_while_stopped(sched, RT_FOREVER, take_stopped, pieces);
  return pieces->more;
}

void dump_drop(DumpPieces *pieces) {
  heap_walk_end(&pieces->csp->vm, &pieces->walk);
  if (pieces->dump != NULL) dump_free(pieces->dump);
  pieces->dump = NULL;
}

char *dump_finish(DumpPieces *pieces, const Memory *memory) {
  Text text = {.memory = memory};
  bool taken = pieces->stopped && pieces->dump != NULL;
  if (taken) dump_print(&text, pieces->dump, SIZE_MAX);
  dump_drop(pieces);
  text_add(&text, "", 1);
  if (taken && !text.failed) return text.data;
  text_free(&text);
  return NULL;
}

// Between two pieces the goroutines may run for as long as a piece takes. Where
// it takes long to stop them, as on a busy machine, there are fewer pieces.
void dump_pieces(DumpPieces *pieces) {
  for (;;) {
    int64_t begun = rt_now();
    if (!dump_piece(pieces)) return;
    if (pieces->csp->config.stepped) continue;  // no thread of its own
    int64_t ns = pieces->stopped_ns;
    Dump *dump = pieces->dump;
    if (rt_now() - begun > 2 * ns && dump->cost_most < PIECE_MOST)
      dump->cost_most *= 2;
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    nanosleep(&pause, NULL);
  }
}

char *csp_dump_goroutines(Csp *csp) {
  DumpPieces pieces = {.csp = csp};
  dump_pieces(&pieces);
  return dump_finish(&pieces, NULL);
}
