// SPDX-License-Identifier: MIT
// Where the CPUs lie, from invented machines, and the order of thieves on
// them (row 17).
#include "sched_fixture.h"
#include "tree_fixture.h"
// the fixtures first: cmocka wants its headers before
#include "sched/cpu_count.h"
#include "sched/find_work.h"
#include "sched/idle.h"
#include "sched/internal.h"
#include "sched/runq.h"
#include "sched/steal_order.h"
#include "sched/topology.h"

enum { CPUS = 256 };

// --- Invented machines ------------------------------------------------------
static void put_cache(int cpu, int index, const char *level, const char *list) {
  char path[128];
  const char *folder = "sys/devices/system/cpu/cpu%d/cache/index%d/%s";
  snprintf(path, sizeof path, folder, cpu, index, "level");
  put(path, level);
  snprintf(path, sizeof path, folder, cpu, index, "shared_cpu_list");
  put(path, list);
}

static void put_node(int node, const char *list) {
  char path[128];
  snprintf(path, sizeof path, "sys/devices/system/node/node%d/cpulist", node);
  put(path, list);
}

// CPUs first..last have caches of their own, and share one of level 3.
static void put_cluster(int first, int last) {
  char own[32], all[32];
  snprintf(all, sizeof all, "%d-%d\n", first, last);
  for (int cpu = first; cpu <= last; cpu++) {
    snprintf(own, sizeof own, "%d\n", cpu);
    put_cache(cpu, 0, "1\n", own);
    put_cache(cpu, 1, "1\n", own);
    put_cache(cpu, 2, "2\n", own);
    put_cache(cpu, 3, "3\n", all);
  }
}

// Nodes of so many clusters each, CPUs numbered through.
static void put_machine(int nodes, int clusters, int cpus) {
  for (int node = 0; node < nodes; node++) {
    int first = node * clusters * cpus;
    char list[32];
    snprintf(list, sizeof list, "%d-%d\n", first, first + clusters * cpus - 1);
    put_node(node, list);
    for (int k = 0; k < clusters; k++) {
      put_cluster(first + k * cpus, first + (k + 1) * cpus - 1);
    }
  }
}

static SchedTopology *survey(const char *mask) {
  uint64_t allowed[CPUS / 64];
  assert_true(topology_parse_list(mask, allowed, CPUS));
  SchedTopology *topology = sched_topology_from(&mem_libc, root, allowed, CPUS);
  assert_non_null(topology);
  assert_int_equal(topology->cpus, CPUS);
  return topology;
}

// Checks and frees.
static void expect_counts(SchedTopology *topology, uint32_t nodes,
                          uint32_t domains) {
  assert_int_equal(topology->nodes, nodes);
  assert_int_equal(topology->domains, domains);
  mem_free(topology);
}

static uint32_t node_at(const SchedTopology *topology, int cpu) {
  return topology->places[cpu] & SCHED_NODE_MASK;
}

static uint32_t domain_at(const SchedTopology *topology, int cpu) {
  return topology->places[cpu] >> SCHED_DOMAIN_SHIFT;
}

// --- Lists ------------------------------------------------------------------
static void lists_are_parsed(void **state) {
  (void)state;
  uint64_t set[4];
  assert_true(topology_parse_list("0-3,8-11\n", set, 256));
  assert_int_equal(set[0], 0xF0F);
  assert_true(topology_parse_list("5", set, 256));
  assert_int_equal(set[0], 0x20);
  assert_true(topology_parse_list("0,2-2,63-64,255\n", set, 256));
  assert_true(set[0] == (0x5 | (uint64_t)1 << 63));
  assert_true(set[1] == 1 && set[2] == 0 && set[3] == (uint64_t)1 << 63);
  assert_true(topology_parse_list("\n", set, 256));
  assert_true(set[0] == 0 && set[1] == 0 && set[3] == 0);
  set[1] = 77;
  assert_true(topology_parse_list("60-70,9000", set, 64));  // clipped
  assert_true(set[0] == (uint64_t)0xF << 60 && set[1] == 77);
}

static void garbage_is_no_list(void **state) {
  (void)state;
  static const char *const garbage[] = {
      "a",  "1,",    ",1",    "3-1",  "1-",    "-1",          "1 2",
      " 1", "0-3;4", "1,,",   "1--2", "0-3:1", "99999999999", "70000",
      "+1", "0x3",   "1-2-3", ",",    "1,\n2", "-",
  };
  uint64_t set[4];
  for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
    assert_false(topology_parse_list(garbage[i], set, 256));
  }
}

// --- Machines ---------------------------------------------------------------
static void one_node_one_cache(void **state) {
  (void)state;
  put_machine(1, 1, 8);
  expect_counts(survey("0-7"), 1, 1);
}

static void two_nodes(void **state) {
  (void)state;
  put_machine(2, 1, 4);
  SchedTopology *topology = survey("0-7");
  for (int cpu = 0; cpu < 8; cpu++) {
    assert_int_equal(node_at(topology, cpu), cpu / 4);
    assert_int_equal(domain_at(topology, cpu), cpu / 4);
  }
  assert_int_equal(topology->places[8], SCHED_NO_PLACE);
  expect_counts(topology, 2, 2);
}

static void eight_nodes_of_four_caches(void **state) {
  (void)state;
  put_machine(8, 4, 8);
  SchedTopology *topology = survey("0-255");
  for (int cpu = 0; cpu < 256; cpu++) {
    assert_int_equal(node_at(topology, cpu), cpu / 32);
    assert_int_equal(domain_at(topology, cpu), cpu / 8);
  }
  expect_counts(topology, 8, 32);
}

static void several_caches_in_one_node(void **state) {
  (void)state;
  put_machine(1, 4, 4);
  SchedTopology *topology = survey("0-15");
  for (int cpu = 0; cpu < 16; cpu++) {
    assert_int_equal(node_at(topology, cpu), 0);
    assert_int_equal(domain_at(topology, cpu), cpu / 4);
  }
  expect_counts(topology, 1, 4);
}

// Two threads share levels 1 and 2; the last level is what counts.
static void siblings_are_in_one_domain(void **state) {
  (void)state;
  put_node(0, "0-7\n");
  for (int cpu = 0; cpu < 8; cpu++) {
    char pair[32];
    snprintf(pair, sizeof pair, "%d,%d\n", cpu % 4, cpu % 4 + 4);
    put_cache(cpu, 0, "1\n", pair);
    put_cache(cpu, 1, "2\n", pair);
    put_cache(cpu, 2, "3\n", cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
  }
  SchedTopology *topology = survey("0-7");
  for (int cpu = 0; cpu < 8; cpu++) {
    assert_int_equal(domain_at(topology, cpu), cpu % 4 / 2);
  }
  expect_counts(topology, 1, 2);
}

// The order of the folders says nothing: the level does.
static void the_highest_level_counts(void **state) {
  (void)state;
  put_node(0, "0-3\n");
  for (int cpu = 0; cpu < 4; cpu++) {
    put_cache(cpu, 0, "3\n", cpu < 2 ? "0-1\n" : "2-3\n");
    put_cache(cpu, 1, "1\n", "0-3\n");
    put_cache(cpu, 12, "2\n", "0-3\n");
  }
  expect_counts(survey("0-3"), 1, 2);
}

static void a_cache_is_cut_between_nodes(void **state) {
  (void)state;
  put_node(0, "0-3\n");
  put_node(1, "4-7\n");
  put_cluster(0, 7);
  SchedTopology *topology = survey("0-7");
  for (int cpu = 0; cpu < 8; cpu++) {
    assert_int_equal(domain_at(topology, cpu), cpu / 4);
  }
  expect_counts(topology, 2, 2);
}

// --- What is missing, or wrong ----------------------------------------------
static void nothing_is_one_domain(void **state) {
  (void)state;
  expect_counts(survey("0-15"), 1, 1);
}

static void without_caches_nodes_are_domains(void **state) {
  (void)state;
  put_node(0, "0-3\n");
  put_node(1, "4-7\n");
  expect_counts(survey("0-7"), 2, 2);
  for (int cpu = 0; cpu < 8; cpu++) {  // private ones are as good as none
    char own[32];
    snprintf(own, sizeof own, "%d\n", cpu);
    put_cache(cpu, 0, "1\n", own);
    put_cache(cpu, 1, "2\n", own);
  }
  SchedTopology *topology = survey("0-7");
  for (int cpu = 0; cpu < 8; cpu++) {
    assert_int_equal(domain_at(topology, cpu), cpu / 4);
  }
  expect_counts(topology, 2, 2);
}

static void without_nodes_caches_are_domains(void **state) {
  (void)state;
  put_cluster(0, 3);
  put_cluster(4, 7);
  SchedTopology *topology = survey("0-7");
  assert_int_equal(domain_at(topology, 3), 0);
  assert_int_equal(domain_at(topology, 4), 1);
  assert_int_equal(node_at(topology, 3), node_at(topology, 4));
  expect_counts(topology, 1, 2);
}

static void other_cpus_are_one_domain_of_their_node(void **state) {
  (void)state;
  put_node(0, "0-7\n");
  put_node(1, "8-11\n");  // CPUs 12 and 13 are in none
  put_cluster(0, 3);
  SchedTopology *topology = survey("0-13");
  assert_int_equal(domain_at(topology, 0), domain_at(topology, 3));
  assert_int_equal(domain_at(topology, 4), domain_at(topology, 7));
  assert_int_not_equal(domain_at(topology, 0), domain_at(topology, 4));
  assert_int_equal(node_at(topology, 0), node_at(topology, 4));
  assert_int_equal(domain_at(topology, 12), domain_at(topology, 13));
  assert_int_not_equal(node_at(topology, 12), node_at(topology, 8));
  expect_counts(topology, 3, 4);
}

static void garbage_is_as_if_missing(void **state) {
  (void)state;
  put_machine(2, 1, 4);
  put_node(7, "what 12\n");
  put("sys/devices/system/node/nodes/cpulist", "0-7\n");
  put("sys/devices/system/node/node3x/cpulist", "0-7\n");
  put("sys/devices/system/node/node99999/cpulist", "0-7\n");
  put("sys/devices/system/cpu/cpu0/cache/index/level", "9\n");
  put_cache(0, 7, "high\n", "0-7\n");
  SchedTopology *topology = survey("0-7");
  for (int cpu = 0; cpu < 8; cpu++) {
    assert_int_equal(domain_at(topology, cpu), cpu / 4);
  }
  expect_counts(topology, 2, 2);
}

static void a_bad_list_is_no_cache(void **state) {
  (void)state;
  put_machine(1, 2, 2);
  put_cache(0, 3, "3\n", "0-1,\n");
  put_cache(1, 3, "3\n", "0;1\n");
  SchedTopology *topology = survey("0-3");
  assert_int_equal(domain_at(topology, 0),
                   domain_at(topology, 1));  // the rest of the node
  assert_int_equal(domain_at(topology, 2), domain_at(topology, 3));
  expect_counts(topology, 1, 2);
  put_cache(0, 3, "3\n", "1-2\n");  // it is not in it itself
  put_cache(1, 3, "3\n", "0-1\n");
  topology = survey("0-3");
  assert_int_equal(domain_at(topology, 0), domain_at(topology, 1));
  assert_int_equal(domain_at(topology, 2), domain_at(topology, 3));
  expect_counts(topology, 1, 2);
}

static void a_list_without_end_is_none(void **state) {
  (void)state;
  enum { LONG = 100000 };
  char *text = malloc(LONG + 1);
  for (int i = 0; i < LONG; i += 2) memcpy(text + i, "1,", 2);
  text[LONG] = '\0';
  put_node(0, "0\n");
  put_node(1, text);
  SchedTopology *topology = survey("0-1");
  assert_int_equal(node_at(topology, 0), 0);
  assert_int_not_equal(node_at(topology, 1), 1);
  expect_counts(topology, 2, 2);
  free(text);
}

// --- The mask ---------------------------------------------------------------
static void only_our_cpus_count(void **state) {
  (void)state;
  put_machine(8, 2, 4);
  SchedTopology *topology = survey("2,8-9,13,60-63");
  static const int in[] = {2, 8, 9, 13, 60, 63};
  static const uint32_t nodes[] = {0, 1, 1, 1, 7, 7};
  static const uint32_t domains[] = {0, 1, 1, 2, 3, 3};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(node_at(topology, in[i]), nodes[i]);
    assert_int_equal(domain_at(topology, in[i]), domains[i]);
  }
  assert_int_equal(topology->places[3], SCHED_NO_PLACE);
  assert_int_equal(topology->places[10], SCHED_NO_PLACE);
  expect_counts(topology, 3, 4);
  expect_counts(survey("8-11"), 1, 1);     // a container in one domain
  expect_counts(survey("8-15"), 1, 2);     // ... or one node
  expect_counts(survey("0,16"), 2, 2);     // one CPU of each of two nodes
  expect_counts(survey("8,12"), 1, 1);     // no two share: the node
  expect_counts(survey("200-203"), 1, 1);  // nobody knows them
}

static void memory_is_no_node(void **state) {
  (void)state;
  put_machine(1, 1, 4);
  put_node(1, "\n");
  expect_counts(survey("0-3"), 1, 1);
}

static void the_first_node_has_it(void **state) {
  (void)state;
  put_node(0, "0-3\n");
  put_node(1, "0-3\n");
  SchedTopology *topology = survey("0-3");
  assert_int_equal(node_at(topology, 0), node_at(topology, 3));
  expect_counts(topology, 1, 1);
}

static void this_machine_has_a_topology(void **state) {
  (void)state;
  uint32_t cpus;
  uint64_t *allowed = cpu_count_affinity(&mem_libc, &cpus);
  assert_non_null(allowed);
  SchedTopology *topology = topology_of_system(&mem_libc);
  assert_non_null(topology);
  assert_true(topology->domains >= 1 && topology->nodes >= 1);
  for (uint32_t cpu = 0; cpu < cpus; cpu++) {
    bool ours = (allowed[cpu / 64] >> (cpu % 64) & 1) != 0;
    bool known =
        cpu < topology->cpus && topology->places[cpu] != SCHED_NO_PLACE;
    assert_int_equal(known, ours);
  }
  mem_free(topology);
  mem_free(allowed);
}

// --- Rings ------------------------------------------------------------------
static uint32_t places[CPUS];
static int here_cpu;

static int here(void) { return here_cpu; }

// Domains of 2 CPUs, nodes of 4.
static SchedTopology pairs_and_fours(void) {
  for (uint32_t i = 0; i < CPUS; i++) places[i] = sched_place(i / 2, i / 4);
  return (SchedTopology){.cpus = CPUS,
                         .domains = CPUS / 2,
                         .nodes = CPUS / 4,
                         .places = places,
                         .here = here};
}

static const SchedTopology flat = {.cpus = 0};

static Sched *new_sched(int procs, const SchedTopology *topology) {
  SchedConfig config = {.procs = procs, .seed = 11, .topology = topology};
  Sched *sched = sched_new(&config);
  assert_non_null(sched);
  return sched;
}

// P i was on CPU i last.
static void note_all(Sched *sched) {
  for (int i = 0; i < sched_procs(sched); i++) {
    here_cpu = i % CPUS;
    steal_order_note_place(sched_p(sched, i));
  }
}

static int distance(const Sched *sched, int a, int b) {
  uint32_t x = sched->steal.locality->places[a],
           y = sched->steal.locality->places[b];
  if (x == y) return 0;
  return (x & SCHED_NODE_MASK) == (y & SCHED_NODE_MASK) ? 1 : 2;
}

// One round of P `me`: each other P once, near ones before far ones.
static void check_round(Sched *sched, int me, uint64_t random) {
  const Rings *rings = steal_order_rings(sched_p(sched, me));
  static bool seen[PROCS_MAX];
  memset(seen, 0, sizeof seen);
  int visited = 0, far = 0;
  for (int ring = 0; ring < RINGS; ring++) {
    OrderWalk walk = steal_order_start_ring(rings, ring, random);
    for (uint32_t at; steal_order_next(&walk, &at); visited++) {
      assert_true(at < (uint32_t)sched_procs(sched) && at != (uint32_t)me);
      assert_false(seen[at]);
      seen[at] = true;
      int now = distance(sched, me, (int)at);
      assert_int_equal(now, ring);
      assert_true(now >= far);
      far = now;
    }
  }
  assert_int_equal(visited, sched_procs(sched) - 1);
}

static void each_once_and_near_ones_first(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  static const int counts[] = {2, 3, 4, 5, 7, 8, 61, 64, 255, 1000, 1024};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    Sched *sched = new_sched(counts[k], &t);
    note_all(sched);
    uint64_t random = 1;
    for (int me = 0; me < counts[k]; me += 1 + counts[k] / 9) {
      for (int i = 0; i < 7; i++) {
        check_round(sched, me, random *= 0x9E3779B97F4A7C15u);
      }
    }
    sched_free(sched);
  }
}

// Sizes of rings from 1 to 1023: the strides fit them all.
static void strides_fit_rings_of_any_size(void **state) {
  (void)state;
  Rings *rings = calloc(1, sizeof *rings);
  bool *seen = malloc(PROCS_MAX);
  for (uint32_t i = 0; i < PROCS_MAX; i++) rings->ids[i] = (uint16_t)i;
  for (uint32_t size = 1; size < PROCS_MAX; size++) {
    rings->end[1] = rings->end[2] = (uint16_t)size;
    for (uint64_t stride = 0; stride < 32; stride++) {
      OrderWalk walk =
          steal_order_start_ring(rings, 1, stride << 32 | size / 2);
      memset(seen, 0, PROCS_MAX);
      uint32_t at, visited = 0;
      for (; steal_order_next(&walk, &at); visited++) {
        assert_false(seen[at]);
        seen[at] = true;
      }
      assert_int_equal(visited, size);
    }
  }
  free(seen);
  free(rings);
}

// Each P of a ring is the first equally often, and each other one the second
// now and then.
static void a_ring_is_random(void **state) {
  (void)state;
  enum { SIZE = 8, DRAWS = 80000 };
  for (uint32_t i = 0; i < CPUS; i++) places[i] = sched_place(i / 9, i / 9);
  SchedTopology t = {
      .cpus = CPUS, .domains = 29, .nodes = 29, .places = places, .here = here};
  Sched *sched = new_sched(20, &t);
  note_all(sched);
  P *p = sched_p(sched, 4);
  const Rings *rings = steal_order_rings(p);
  int first[9] = {0}, second[9][9] = {{0}};
  for (int i = 0; i < DRAWS; i++) {
    OrderWalk walk =
        steal_order_start_ring(rings, RING_DOMAIN, sched_random(p));
    uint32_t a = 0, b = 0;
    assert_true(steal_order_next(&walk, &a));
    assert_true(steal_order_next(&walk, &b));
    assert_true(a < 9 && a != 4 && b < 9 && b != 4);
    first[a]++;
    second[a][b]++;
  }
  for (int a = 0; a < 9; a++) {
    if (a == 4) continue;
    assert_in_range(first[a], DRAWS / SIZE * 9 / 10, DRAWS / SIZE * 11 / 10);
    int others = 0;
    for (int b = 0; b < 9; b++) others += second[a][b] > DRAWS / SIZE / 16;
    assert_int_equal(others, SIZE / 2);  // as many as coprimes of 8
  }
  sched_free(sched);
}

// --- Places -----------------------------------------------------------------
static void rings_follow_a_p_that_moves(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  Sched *sched = new_sched(8, &t);
  note_all(sched);
  const Rings *rings = steal_order_rings(sched_p(sched, 0));
  assert_int_equal(rings->end[RING_DOMAIN], 1);
  assert_int_equal(rings->ids[0], 1);
  here_cpu = 1;
  steal_order_note_place(sched_p(sched, 6));
  rings = steal_order_rings(sched_p(sched, 0));
  assert_int_equal(rings->end[RING_DOMAIN], 2);
  assert_int_equal(rings->ids[1], 6);
  here_cpu = 4;
  steal_order_note_place(sched_p(sched, 0));  // its own move
  rings = steal_order_rings(sched_p(sched, 0));
  assert_int_equal(rings->end[RING_DOMAIN], 2);
  assert_true(rings->ids[0] == 4 && rings->ids[1] == 5);
  uint32_t version = sched->steal.locality->version;
  here_cpu = 5;  // the same domain
  steal_order_note_place(sched_p(sched, 0));
  assert_int_equal(sched->steal.locality->version, version);
  sched_free(sched);
}

static void unknown_cpus_are_one_domain(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  Sched *sched = new_sched(6, &t);
  assert_int_equal(steal_order_rings(sched_p(sched, 0))->end[RING_DOMAIN], 5);
  static const int unknown[] = {-1, CPUS, 1 << 30};
  for (int i = 0; i < 3; i++) {
    here_cpu = unknown[i];
    steal_order_note_place(sched_p(sched, i));
    check_round(sched, i, 5);
  }
  here_cpu = 0;
  steal_order_note_place(sched_p(sched, 5));
  assert_int_equal(steal_order_rings(sched_p(sched, 0))->end[RING_DOMAIN], 4);
  assert_int_equal(steal_order_rings(sched_p(sched, 5))->end[RING_DOMAIN], 0);
  check_round(sched, 5, 9);
  sched_free(sched);
}

static void other_procs_make_other_rings(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  Sched *sched = new_sched(8, &t);
  note_all(sched);
  check_round(sched, 2, 3);
  sched->ps.count = 3;
  steal_order_of_procs(sched);
  check_round(sched, 2, 3);
  sched->ps.count = 8;
  steal_order_of_procs(sched);
  check_round(sched, 2, 3);
  sched_free(sched);
}

static void one_domain_has_the_plain_order(void **state) {
  (void)state;
  Sched *sched = new_sched(4, &flat);
  assert_null(steal_order_locality(sched));
  sched_free(sched);
  SchedTopology t = pairs_and_fours();
  sched = new_sched(1, &t);  // nobody to steal from
  assert_null(steal_order_locality(sched));
  sched_free(sched);
  put_machine(1, 1, 4);
  SchedTopology *one = survey("0-3");
  sched = new_sched(4, one);
  assert_null(steal_order_locality(sched));
  sched_free(sched);
  mem_free(one);
}

// --- Thieves ----------------------------------------------------------------
enum { THIEF_ROUNDS = 60 };

// Ps 0 to 4 are taken, each at its place; the first one's M looks for work.
static void open_thief(M *m, P *ps[5]) {
  Sched *sched = m->sched;
  for (int i = 0; i < 5; i++) ps[i] = idle_get_p(sched, sched_p(sched, i));
  if (steal_order_locality(sched) != NULL) note_all(sched);
  idle_take_p(m, ps[0]);
  m->spinning = true;
  sched->spinning = 1;
}

// P 0 has nothing, Ps 1 (same domain), 2 (same node) and 4 (the other node)
// have one G each; Ps from 5 on are idle. How often P 0 took them from near to
// far.
static int from_near_to_far(const SchedTopology *topology, int procs) {
  Sched *sched = new_sched(procs, topology);
  P *ps[5];
  M m = {.sched = sched};
  open_thief(&m, ps);
  here_cpu = 0;
  G gs[3];
  int ordered = 0;
  for (int round = 0; round < THIEF_ROUNDS; round++) {
    static const int at[] = {1, 2, 4};
    memset(gs, 0, sizeof gs);
    for (int i = 0; i < 3; i++) {
      gs[i].status = G_RUNNABLE;
      runq_put(ps[at[i]], &gs[i]);
    }
    bool inherit, in_order = true;
    for (int i = 0; i < 3; i++) {
      G *g = find_work_next(&m, &inherit);
      assert_true(g >= gs && g < gs + 3);
      in_order &= g == &gs[i];
    }
    ordered += in_order;
  }
  sched_free(sched);
  return ordered;
}

static void a_thief_takes_near_gs_first(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  static const int procs[] = {5, 10, 100};  // 10 and more: most Ps are idle
  for (int i = 0; i < 3; i++) {
    assert_int_equal(from_near_to_far(&t, procs[i]), THIEF_ROUNDS);
    // The test can tell: the plain order is another one most of the time.
    assert_true(from_near_to_far(&flat, procs[i]) < THIEF_ROUNDS / 2);
  }
}

// The thief itself says where it is: on another CPU it takes other Gs.
static void a_thief_looks_from_where_it_is(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  Sched *sched = new_sched(5, &t);
  P *ps[5];
  M m = {.sched = sched};
  open_thief(&m, ps);
  for (int round = 0; round < THIEF_ROUNDS; round++) {
    G near = {.status = G_RUNNABLE}, far = {.status = G_RUNNABLE};
    runq_put(ps[1], &near);
    runq_put(ps[4], &far);
    here_cpu = round % 2 == 0 ? 1 : 4;
    bool inherit;
    G *g = find_work_next(&m, &inherit);
    assert_ptr_equal(g, here_cpu == 1 ? &near : &far);
    assert_non_null(find_work_next(&m, &inherit));
  }
  sched_free(sched);
}

// What sits in runnext is for the last round, near or far.
static void runnext_is_for_the_last_round(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  Sched *sched = new_sched(5, &t);
  P *ps[5];
  M m = {.sched = sched};
  open_thief(&m, ps);
  here_cpu = 0;
  for (int round = 0; round < THIEF_ROUNDS; round++) {
    G next = {.status = G_RUNNABLE}, far = {.status = G_RUNNABLE};
    runq_put_next(ps[1], &next, false);
    runq_put(ps[4], &far);
    bool inherit;
    assert_ptr_equal(find_work_next(&m, &inherit), &far);
    assert_ptr_equal(find_work_next(&m, &inherit), &next);
  }
  sched_free(sched);
}

// --- Whole runtimes ---------------------------------------------------------
static uint32_t moves;  // atomic

// Each look finds the thread elsewhere, now and then nowhere.
static int anywhere(void) { return (int)(rt_add(&moves, 1u) * 7 % 300); }

static void busy(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 20; task->i++) {
    spin_ns(500);
    CO_YIELD;
  }
  rt_add(&task->shared->counts[0], (uint64_t)1);
  CO_END;
}

static void start_busy(P *p, Task *task) {
  static const int sizes[] = {9, 1, 16, 3};
  CO_BEGIN;
  for (task->n = 0; task->n < 4; task->n++) {
    for (task->i = 0; task->i < 100; task->i++) {
      Task *child = &task->shared->tasks[1 + task->n * 100 + task->i];
      child->body = busy;
      task_go(p, child);
    }
    while (count_of(task->shared, 0) < 50 + 100 * (uint64_t)task->n) CO_YIELD;
    p = sched_set_procs(p, &task->g, sizes[task->n]);
    assert_non_null(p);
    if (sizes[task->n] > 1) assert_non_null(steal_order_locality(p->sched));
    CO_YIELD;
  }
  CO_END;
}

static void all_run_wherever_they_are(void **state) {
  (void)state;
  SchedTopology t = pairs_and_fours();
  t.here = anywhere;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 401);
    sched_free(shared.sched);
    shared.sched = new_sched(some_procs[k], &t);
    for (int i = 0; i < 401; i++) {
      shared.tasks[i].g.resume = task_resume_once;  // it may change its P
    }
    assert_int_equal(shared_run(&shared, start_busy), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 0), 400);
    shared_free(&shared);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, drop_root)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_parsed),
      cmocka_unit_test(garbage_is_no_list),
      TEST(one_node_one_cache),
      TEST(two_nodes),
      TEST(eight_nodes_of_four_caches),
      TEST(several_caches_in_one_node),
      TEST(siblings_are_in_one_domain),
      TEST(the_highest_level_counts),
      TEST(a_cache_is_cut_between_nodes),
      TEST(nothing_is_one_domain),
      TEST(without_caches_nodes_are_domains),
      TEST(without_nodes_caches_are_domains),
      TEST(other_cpus_are_one_domain_of_their_node),
      TEST(garbage_is_as_if_missing),
      TEST(a_bad_list_is_no_cache),
      TEST(a_list_without_end_is_none),
      TEST(only_our_cpus_count),
      TEST(memory_is_no_node),
      TEST(the_first_node_has_it),
      cmocka_unit_test(this_machine_has_a_topology),
      cmocka_unit_test(each_once_and_near_ones_first),
      cmocka_unit_test(strides_fit_rings_of_any_size),
      cmocka_unit_test(a_ring_is_random),
      cmocka_unit_test(rings_follow_a_p_that_moves),
      cmocka_unit_test(unknown_cpus_are_one_domain),
      cmocka_unit_test(other_procs_make_other_rings),
      TEST(one_domain_has_the_plain_order),
      cmocka_unit_test(a_thief_takes_near_gs_first),
      cmocka_unit_test(a_thief_looks_from_where_it_is),
      cmocka_unit_test(runnext_is_for_the_last_round),
      cmocka_unit_test(all_run_wherever_they_are),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
