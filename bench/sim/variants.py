# SPDX-License-Identifier: MIT
"""Other ways for sched/, as small edits of a copy: what the simulation
compares. An edit whose text is not found, or found twice, is an error, so that
a change of sched/ is noticed here.

VARIANTS: name -> (what it is, [(file, text, what takes its place)],
settings of the simulation). GROUPS: what is compared with what."""

_SPAWN_ALWAYS = ("lifecycle.c", "sched->config.futile_max = FUTILE_MAX;",
                 "sched->config.futile_max = UINT32_MAX;")
_WALK = "OrderWalk walk = steal_order_start(&sched->steal.order, sched_random(p));"

VARIANTS = {
    "as now": ("sched/ as it is", []),

    # --- without what the simulation led to
    "all Ps": ("a search walks over all Ps, even if most are idle", [
        ("find_work.c",
         "return 2 * rt_load_relaxed(&sched->idle_count) >= "
         "(uint32_t)procs_now(sched);",
         "return rt_load_relaxed(&sched->idle_count) == UINT32_MAX;"),
    ]),
    "an M each": ("a list made ready wakes a thread for each of its Gs", [
        ("proc.c", "for (; count > 0 && global_count(sched) != 0; count--) {",
         "for (; count > 0; count--) {"),
    ]),

    # --- the order of victims
    "linear": ("victims from the thief's neighbour on, one by one", [
        ("find_work.c", _WALK, """OrderWalk walk = {
        sched->steal.order.count, sched->steal.order.count,
        .at = (uint32_t)(p->id + 1) % sched->steal.order.count, .stride = 1};"""),
    ]),
    "from 0": ("victims from P 0 on, one by one", [
        ("find_work.c", _WALK, """OrderWalk walk = {
        sched->steal.order.count, sched->steal.order.count, .stride = 1};"""),
    ]),
    "random": ("each victim is drawn anew, so some come twice and some never", [
        ("steal_order.h", "  walk->at += walk->stride;\n",
         """  walk->stride = (walk->stride ^ walk->at << 16) * 1664525 + 1013904223;
  walk->at = (uint32_t)((uint64_t)walk->stride * walk->count >> 32);
"""),
    ]),

    "rings": ("near Ps first, the 8 of the last-level cache, then the 64 of "
              "the socket, then the rest", [], ["rings=1"]),

    # --- who is woken
    "spawn wakes": ("a spawn wakes one if none spins, even after searches in "
                    "vain", [_SPAWN_ALWAYS]),
    "Go": ("as Go, spawn and ready wake one if none spins", [
        _SPAWN_ALWAYS,
        ("proc.c", """  if (runq_fill_next(p, g)) return;
  bool displaced = runq_put_next(p, g, false);
  if (displaced && !p->single) idle_wake_for_queue(p->sched);""",
         """  runq_put_next(p, g, true);
  if (!p->single) idle_wakep(p->sched);"""),
    ]),
    "always": ("each spawn, and each ready that displaces, wakes one, also "
               "while others spin", [
        _SPAWN_ALWAYS,
        ("idle.c", "  if (rt_load_seq(&sched->spinning) != 0 ||\n"
                   "      rt_load_seq(&sched->idle_count) == 0) {\n"
                   "    return;\n"
                   "  }", "  if (rt_load_seq(&sched->idle_count) == 0) return;"),
        ("idle.c", """    uint32_t none = 0;
    if (!rt_cas(&sched->spinning, &none, 1u)) return NULL;""",
         "    rt_add(&sched->spinning, 1u);"),
    ]),
    "no spinning": ("an M that runs out of work parks after one look, and "
                    "only those woken search", [
        ("find_work.c", "if (2 * spinning >= busy) return false;",
         "if (spinning + busy < UINT32_MAX) return false;"),
    ]),
    "all spin": ("no limit to those that search", [
        ("find_work.c", "if (2 * spinning >= busy) return false;",
         "if (spinning + busy == UINT32_MAX) return false;"),
    ]),
    "more spin": ("as now, but for each 8 busy Ps one more may be woken to "
                  "search", [
        ("idle.c", """    uint32_t none = 0;
    if (!rt_cas(&sched->spinning, &none, 1u)) return NULL;""",
         """    uint32_t some = rt_load_relaxed(&sched->spinning);
    if (some > ((uint32_t)procs_now(sched) - rt_load_relaxed(&sched->idle_count)) / 8 ||
        !rt_cas(&sched->spinning, &some, some + 1)) return NULL;"""),
        ("idle.c", "  if (rt_load_seq(&sched->spinning) != 0 ||\n      ",
         """  if (rt_load_seq(&sched->spinning) >
          ((uint32_t)procs_now(sched) - rt_load_relaxed(&sched->idle_count)) / 8 ||
      """),
    ]),

    # --- crowding, and the channels' lock
    "no rests": ("no M rests, whatever crowds", [
        ("crowd.h", "return p->crowding - p->window.events >= CROWD_EVENTS && "
         "crowd_is_thick(m);",
         "return p->crowding == UINT32_MAX && crowd_is_thick(m);"),
    ]),
    "no backoff": ("an M that waits for a channel's lock looks at it after "
                   "each pause", [
        ("rt.c", "    if (pauses > SPIN_MOST) pauses = SPIN_MOST;",
         "    pauses = 1;"),
    ]),
    # --- the global queue
    "share of 8": ("a P takes at least 8 Gs from the global queue at once, if "
                   "there are so many", [
        ("global.c", "  if (share > length) share = length;",
         """  if (share < 8 && max == 0) share = 8;
  if (share > length) share = length;"""),
    ]),
}

# title -> (variants, workloads, numbers of Ps beside the usual)
GROUPS = {
    "The order of victims": (
        ["linear", "from 0", "random", "rings"],
        ["forkjoin-1us", "forkjoin-10us", "pingpong-full"], []),
    "Who is woken": (
        ["spawn wakes", "Go", "always", "more spin", "no spinning",
         "all spin"],
        ["forkjoin-1us", "forkjoin-10us", "pingpong-half", "fanin",
         "bursts", "thin-chan", "thin-spawn", "thin-sleep", "thin-few"], []),
    "What was changed": (
        ["all Ps", "an M each"],
        ["forkjoin-10us", "bursts", "bursts-half", "thin-chan", "thin-spawn",
         "thin-sleep", "thin-few"], [1024]),
    "Crowding": (
        ["no rests", "no backoff"],
        ["short-fanin", "short-fan", "short-pingpong", "short-buffered",
         "short-lock", "short-ring", "short-spawn", "short-book",
         "pipeline-3us", "pipeline-10us", "fanin", "forkjoin-1us"], [2]),
    "What could be": (
        ["share of 8"],
        ["bursts", "bursts-half", "forkjoin-1us"], [1024]),
}
