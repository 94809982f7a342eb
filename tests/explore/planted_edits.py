# SPDX-License-Identifier: MIT
"""Bugs that planted makes by an edit of a copy: most of them keep somebody
waiting, and no state is wrong."""

from mutant_edits import Mutant

EDITS = [Mutant(*row) for row in [
    # --- the cap of blocking calls
    ("past the cap a quick call keeps its P", "progress", "quick_calls_1",
     "syscall.c",
     ("if ((word & P_STATUS_MASK) != P_SYSCALL) return false;",
      "if (rt_load_relaxed(&sched->calls.full)) return false;"),
     ("if ((word & P_STATUS_MASK) != P_SYSCALL) return false;\n"
      "  if (sched->calls.count >= sched->config.syscalls_max) return false;",
      "")),
    ("past the cap the quick way goes on", "syscall", "quick_past_places",
     "syscall.c",
     "if (rt_load_relaxed(&sched->calls.full)) return false;", ""),
    ("a timer of a P in a call is not seen", "progress", "quick_call_and_timer",
     "sysmon.c",
     "int64_t begun = p->sysmon_call_when, first = timers_first(p);\n"
     "  bool work = work_waits(sched, p, now);",
     "int64_t begun = p->sysmon_call_when, first = 0;\n  bool work = false;"),
    # --- work behind a native
    ("a look inside a native wakes nobody", "progress", "native_send",
     "safepoint.c",
     "  serve_others(p, true);\n}", "}"),
    ("a look inside a native leaves its P alone", "alone", "native_posts",
     "safepoint.c",
     "  if (rt_load_relaxed(&p->look) & LOOK_ALONE) alone_end(p);\n", ""),
    ("what was spawned after vain searches wakes nobody", "progress",
     "native_spawn", "safepoint.c",
     "if (rt_load_relaxed(&p->runnext) != NULL) idle_wakep(p->sched);", ""),
    ("sysmon wakes nobody for what waits at a P without looks", "progress",
     "host_native_send", "sysmon.c",
     "  if (runq_length(p) > 0) idle_wakep(sched);\n", ""),
    # --- the network
    ("Gs with short turns do not poll", "progress", "line_pair_1",
     "find_work.c",
     "    poll_between_turns(p);\n", ""),
    ("what runs a line wakes another thread to poll", "progress", "line_alone",
     "idle.c",
     "return leave_pool(sched, was_polling ? timer_is_alone(sched)\n"
     "                                           : idle_timers_alone(sched));",
     "return leave_pool(sched, idle_timers_alone(sched));"),
    ("an event that finds nobody is dropped", "poll", "both_sides", "poll.c",
     "uintptr_t next = ready ? W_READY : W_NONE;", "uintptr_t next = W_NONE;"),
    # --- what is urgent
    ("urgent Gs come last", "progress", "hogs_1", "urgent.c",
     "if (!others_wait(p)) return true;", "return !others_wait(p);"),
    ("urgent Gs leave the others no turn", "progress", "busy_sleepers",
     "urgent.c",
     "if (!others_wait(p)) return true;", "return true;"),
    ("hogs stand still before urgent Gs", "progress", "share_sleepers",
     "urgent.c",
     "  GList one = {0};\n  urgent_lock(p, queue);\n",
     "  GList one = {0};\n"
     "  rt_futex_wait(&p->look, rt_load_relaxed(&p->look),\n"
     "                rt_now() + URGENT_NS);\n"
     "  urgent_lock(p, queue);\n"),
    # --- timers
    ("all timers that are due fire at once", "progress", "many_timers",
     "timer.c",
     "due != 0 && due <= now && count < TIMERS_BATCH;",
     "due != 0 && due <= now;"),
    ("sysmon sleeps whatever is due", "progress",
     "quick_call_and_late_timer",
     "sysmon.c", "    if (due < next) next = due;\n", ""),
    # --- the inbox
    ("posts always flag the first P", "progress", "posts_in_turn", "inbox.c",
     "uint32_t turn = rt_add(&sched->inbox.turn, 1u);", "uint32_t turn = 0;"),
    ("what was posted is taken by a store", "poll", "post_2", "inbox.c",
     "SchedPost *posts = rt_exchange(&sched->inbox.posts, (SchedPost *)NULL);",
     "SchedPost *posts = rt_load_acquire(&sched->inbox.posts);\n"
     "  rt_store_release(&sched->inbox.posts, (SchedPost *)NULL);"),
    # --- cancellation, retake, callbacks
    ("a G that parks is not told that it is cancelled", "cancel", "grace",
     "cancel.c",
     "return g_cancelled(g) != NOT_CANCELLED;\n}\n\nvoid group_forget_chan",
     "return false;\n}\n\nvoid group_forget_chan"),
    ("a call whose P was taken is not counted", "syscall", "quick_lasts",
     "syscall.c", "  count_in(sched, p->m);\n  callback_p_lost(p->m, p);",
     "  callback_p_lost(p->m, p);"),
    ("a callback leaves no thread for the others", "locked", "one_thread",
     "callback.c",
     "if (before == NULL && waits && !reserve(sched)) {", "if (0) {"),
]]
