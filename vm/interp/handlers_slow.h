// SPDX-License-Identifier: MIT
// Blocks that handlers jump to, once for both dispatch forms: how the loop is
// left, and slow paths. Included by interp.c alone, before handlers.h.
//
// Handlers that only jump need no frame of their own: what calls C stands
// here, and decodes the instruction once more.
// clang-format off

// --- Leaving the loop -------------------------------------------------------
SHARED(switch_away) {
  (void)i, (void)constants, (void)base, (void)pc;
  g = switch_to_next(local);
  if (g == NULL) INTERP_RETURN();
  RELOAD_FRAME();
  NEXT();
}
SHARED_BELOW(look)
// After a panic was raised: the frame that it ends in goes on, if there is one.
#define UNWIND(how)                                 \
  do {                                              \
    (void)i, (void)constants, (void)base, (void)pc; \
    Next follow = (how);                            \
    if (follow == LEFT) JUMP_TO(switch_away);       \
    if (follow == RETURN) INTERP_RETURN();          \
    RELOAD_FRAME();                                 \
    count = charged(local, count);                  \
    GO_ON_IN_FRAME();                               \
  } while (0)
SHARED(throw_panic) { UNWIND(interp_throw(local, g)); }
// After a collection no safepoint comes before the second attempt (limits.c),
// also where the instruction is the first of its function. After a part of the
// work one does, as before any instruction.
SHARED(throw_or_again) {
  if (local->part_done) {
    local->part_done = false;
    RELOAD_FRAME();
    pc--;
    JUMP_TO(look);
  }
  if (!begins_again(local, g)) JUMP_TO(throw_panic);
  RELOAD_FRAME();
  count = charged(local, count);
  NEXT();
}
SHARED(look) {
  (void)i, (void)constants;
  SAVE();
  count = local->vm->safepoint_count;
  Next follow = safepoint(local, g);
  if (UNLIKELY(follow == THROW)) JUMP_TO(throw_panic);
  if (follow == LEFT) JUMP_TO(switch_away);
  if (UNLIKELY(follow == RETURN)) return;
  RELOAD_FRAME();
  count = charged(local, count);
  NEXT();
}

// --- Slow paths of handlers -------------------------------------------------
#define CHARGE() (count = charged(local, count))
// For what is charged seldom: only what is long is. What has looked itself
// leaves half a piece (work_look).
#define CHARGE_LONG() \
  if (UNLIKELY(local->debt >= WORK_PIECE / 2)) CHARGE()
// Code without loops and calls, such as the cases of a switch, has no safepoint
// and may be long. So an opcode that has worked for a while is one when a look
// is due.
#define CHARGE_NEXT()                              \
  do {                                             \
    bool lasted = local->debt >= LASTING;          \
    CHARGE();                                      \
    if (UNLIKELY(lasted && local->overdue))        \
      SAFEPOINT_NEXT();                            \
    NEXT();                                        \
  } while (0)
#define CHARGE_LONG_NEXT()                          \
  do {                                              \
    if (UNLIKELY(local->debt >= WORK_PIECE / 2))    \
      CHARGE_NEXT();                                \
    NEXT();                                         \
  } while (0)
SHARED(arith_general) {
  TRY(arith_slow(local, g, base, constants, i));
  CHARGE_NEXT();
}
SHARED(pair_general) {
  TRY(arith_pair(local, g, base, constants, i, *pc));
  pc++;
  CHARGE_NEXT();
}
SHARED(compare_general) {
  SAVE();
  int answer = compare_slow(local, g, base, constants, i);
  if (UNLIKELY(answer < 0)) JUMP_TO(throw_panic);
  if ((Instr)answer == C) {
    int32_t jump = INSTR_J(*pc);
    pc += 1 + jump;
    if (jump < 0) {
      CHARGE_LONG();
      SAFEPOINT_NEXT();
    }
  } else {
    pc++;
  }
  CHARGE_LONG_NEXT();
}
SHARED(inclt_general) {
  SAVE();
  if (UNLIKELY(!arith_op(local, g, OP_ADD, REG_A, value_from_small(1),
                         &REG_A)))
    JUMP_TO(throw_or_again);
  int answer = compare_op(local, g, OP_LT, REG_A, REG_B);
  if (UNLIKELY(answer < 0)) JUMP_TO(throw_panic);
  if (answer != 0) {
    pc += 1 + INSTR_J(*pc);
    SAFEPOINT_NEXT();
  }
  pc++;
  NEXT();
}
SHARED(get_general) {
  Value at = INSTR_OP(i) == OP_GETIDXI ? value_from_small(C) : REG_C;
  TRY(access_get(local, g, REG_B, at, &REG_A, NULL));
  CHARGE_LONG_NEXT();
}
SHARED(set_general) {
  TRY(access_set(local, g, REG_A, REG_B, REG_C));
  CHARGE_NEXT();
}
#define CACHE ((uint32_t *)(uintptr_t)(pc + 1))
SHARED(getf_general) {
  TRY(access_field(local, g, REG_B, (ObjString *)value_obj(CONST_WORD(*pc)),
                   CACHE, &REG_A));
  pc += 2;
  NEXT();
}
SHARED(setf_general) {
  TRY(access_set_field(local, g, REG_A, (ObjString *)value_obj(CONST_WORD(*pc)),
                       CACHE, REG_B));
  pc += 2;
  NEXT();
}
// The stack is too short for the call at pc - 1: makes room, does it again.
SHARED(grow_stack) {
  TRY(stack_reserve(local, g, REG_WINDOW + FRAME_WORDS + local->grow));
  CHARGE();
  base = g->base;
  pc--;
  NEXT();
}
// A call of a native that has a quick form (native_quick.c). What it did is
// charged if it was long. It may write its result where nobody wants one, as
// this word is the call's. What follows a form that answered false reads the
// instruction again, so the call keeps less.
#define QUICK_NATIVE(f, argc, words)                                         \
  do {                                                                       \
    const NativeDef *def = ((ObjNative *)value_obj(f))->def;                 \
    if ((int)C <= def->quick_results &&                                      \
        def->quick(local, def, REG_WINDOW + FRAME_WORDS, (int)(argc), &REG_A)) { \
      pc += (words);                                                         \
      CHARGE_LONG();                                                         \
      NEXT();                                                                \
    }                                                                        \
    i = pc[-1];                                                              \
  } while (0)
SHARED(call_general) {
  Value f = REG_RANGE(A + 2);
  if (LIKELY(value_is_type(f, OBJ_NATIVE))) {
    QUICK_NATIVE(f, B, 0);
    SAVE();
    CHARGE();
    FOLLOW_CALL(call_native(local, g, REG_WINDOW, (int)B, WANT));
  }
  SAVE();
  CHARGE();
  FOLLOW_CALL(call_value(local, g, REG_WINDOW, (int)B, WANT, pc));
}
SHARED(invoke_general) {
  SAVE();
  CHARGE();
  FOLLOW_CALL(call_method(local, g, A, (int)B + 1, WANT));
}
// The receiver is an object, but no instance of a struct.
SHARED(invoke_builtin) {
  ObjType type = value_obj(REG_RANGE(A + 3))->type;
  // relaxed: a hint, checked here. Pairs with the store in cached_method
  uint32_t cache = rt_load_relaxed(CACHE);
  if (LIKELY(cache >> 8 == BUILTIN_ID(type))) {
    Value f = local->vm->methods[type]->methods[cache & 0xff].function;
    if (value_obj(f)->type == OBJ_NATIVE) QUICK_NATIVE(f, B + 1, 2);
  }
  JUMP_TO(invoke_general);
}
// With `multi` arguments.
SHARED(defer) {
  SAVE();
  int argc = (int)g->multi;
  g->multi = 0;
  if (UNLIKELY(!call_defer(local, g, (int)A, argc)))
    UNWIND(call_instead_of_deferring(local, g, (int)A, argc));
  NEXT();
}
SHARED(return_general) {
  SAVE();
  Op op = INSTR_OP(i);
  int n = op == OP_RET0 ? 0 : op == OP_RET1 ? 1 : (int)g->multi;
  FOLLOW(call_return(local, g, base + (n > 0 ? A : 0), n));
}
// A safepoint follows, but not while a function's results stand in `multi`: a
// native has returned, and this instruction comes again to take them. (If it
// does not come again the frame may be another one, without such a register.)
// Nor does one where a step is repeated after a collection, because it would
// forget that (Goroutine.retried).
SHARED(next_general) {
  SAVE();
  const Instr *again = pc - 1;
  Next how = iter_next(local, g, i);
  if (LIKELY(how == RELOAD)) {
    RELOAD_FRAME();
    CHARGE();
    if (pc != again || (base[A + 2] != value_from_small(ITER_FUNC_RESULT) &&
                        g->retried == 0))
      SAFEPOINT_NEXT();
    NEXT();
  }
  FOLLOW(how);
}
