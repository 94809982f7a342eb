// SPDX-License-Identifier: MIT
// The handlers of all opcodes but those of arithmetic, which are in
// handlers_arith.h (opcodes.def says what each means). Included by interp.c
// alone, once, between its macros. A fast path is the case that programs run a
// million times. The rest is a call into access.c, call.c and their
// neighbours.
// clang-format off

// --- Loads and stores -------------------------------------------------------
HANDLER(MOVE) {
  REG_A = REG_B;
  NEXT();
}
HANDLER(LOADI) {
  REG_A = value_from_small(INSTR_SBX(i));
  NEXT();
}
HANDLER(LOADK) {
  REG_A = CONST_BX;
  NEXT();
}
HANDLER(LOADNIL) {
  for (Instr n = 0; n <= B; n++) REG_RANGE(A + n) = VALUE_NIL;
  NEXT();
}
HANDLER(LOADTRUE) {
  REG_A = VALUE_TRUE;
  NEXT();
}
HANDLER(LOADFALSE) {
  REG_A = VALUE_FALSE;
  NEXT();
}
HANDLER(LOADUNDEF) {
  REG_A = VALUE_UNDEF;
  NEXT();
}
HANDLER(GETG) {
  Value v = heap_load(&((ObjCell *)value_obj(CONST_BX))->value);
  if (UNLIKELY(v == VALUE_UNDEF)) {
    TRY(vm_panic(local, g, "`%s` is used before it is set",
                 ((ObjString *)value_obj(CONST_WORD(*pc)))->own));
  }
  REG_A = v;
  pc++;
  NEXT();
}
HANDLER(SETG) {
  heap_store(&local->heap, &((ObjCell *)value_obj(CONST_BX))->value, REG_A);
  NEXT();
}
#define UPVALUE_CELL ((ObjCell *)value_obj(frame_closure(base)->upvalues[B]))
HANDLER(GETUP) {
  REG_A = heap_load(&UPVALUE_CELL->value);
  NEXT();
}
HANDLER(GETUPV) {
  REG_A = frame_closure(base)->upvalues[B];
  NEXT();
}
HANDLER(SETUP) {
  heap_store(&local->heap, &UPVALUE_CELL->value, REG_A);
  NEXT();
}
HANDLER(NEWCELL) {
  ObjCell *cell = (ObjCell *)heap_alloc(&local->heap, sizeof *cell, OBJ_CELL);
  if (UNLIKELY(cell == NULL)) TRY(vm_panic_memory(local, g));
  cell->value = REG_B;
  REG_A = value_from_obj(cell);
  NEXT();
}
HANDLER(GETCELL) {
  REG_A = heap_load(&((ObjCell *)value_obj(REG_B))->value);
  NEXT();
}
HANDLER(SETCELL) {
  heap_store(&local->heap, &((ObjCell *)value_obj(REG_A))->value, REG_B);
  NEXT();
}
HANDLER(CLOSURE) {
  Proto *proto = (Proto *)(uintptr_t)CONST_BX;
  size_t size = sizeof(ObjClosure) + proto->nupvalues * sizeof(Value);
  ObjClosure *made = (ObjClosure *)heap_alloc(&local->heap, size, OBJ_CLOSURE);
  if (UNLIKELY(made == NULL)) TRY(vm_panic_memory(local, g));
  made->obj.aux = proto->nupvalues;
  made->proto = proto;
  for (int n = 0; n < proto->nupvalues; n++) {
    UpvalueFrom from = proto->upvalues[n];
    made->upvalues[n] = from.local ? base[from.index]
                                   : frame_closure(base)->upvalues[from.index];
  }
  REG_A = value_from_obj(made);
  NEXT();
}

// --- Comparisons and jumps --------------------------------------------------
#define TAKE(condition, wanted)                       \
  do {                                                \
    if ((condition) == (bool)(wanted))                \
      pc += 1 + INSTR_J(*pc);                         \
    else                                              \
      pc++;                                           \
  } while (0)
// Loops go on by themselves: no jump to what follows them, too.
#define JUMP_BACK()                                   \
  do {                                                \
    pc += 1 + INSTR_J(*pc);                           \
    SAFEPOINT_NEXT();                                 \
  } while (0)
#define TAKE_BACK(condition, wanted)                  \
  do {                                                \
    if (LIKELY((condition) == (bool)(wanted)))        \
      JUMP_BACK();                                    \
    pc++;                                             \
  } while (0)
#define COMPARE(op, take, xv, yv)                 \
  {                                               \
    Value x = (xv), y = (yv);                     \
    bool yes;                                     \
    if (LIKELY(value_both_small(x, y)))           \
      yes = (int64_t)x op(int64_t) y;             \
    else if (value_both_small_float(x, y))                \
      yes = value_small_float(x) op value_small_float(y);         \
    else                                          \
      JUMP_TO(compare_general);                   \
    take(yes, C);                                 \
    NEXT();                                       \
  }
// Against a constant, which is a float more often than not.
#define COMPARE_K(op, xv, yv)                     \
  {                                               \
    Value x = (xv), y = (yv);                     \
    bool yes;                                     \
    if (LIKELY(value_both_small_float(x, y)))             \
      yes = value_small_float(x) op value_small_float(y);         \
    else if (LIKELY(value_both_small(x, y)))      \
      yes = (int64_t)x op(int64_t) y;             \
    else                                          \
      JUMP_TO(compare_general);                   \
    TAKE(yes, C);                                 \
    NEXT();                                       \
  }
#define SMALL_B value_from_small(INSTR_SB(i))

HANDLER(LT) COMPARE(<, TAKE, REG_A, REG_B)
HANDLER(LE) COMPARE(<=, TAKE, REG_A, REG_B)
HANDLER(LTI) COMPARE(<, TAKE, REG_A, SMALL_B)
HANDLER(LEI) COMPARE(<=, TAKE, REG_A, SMALL_B)
HANDLER(LTK) COMPARE_K(<, REG_A, CONST_B)
HANDLER(LEK) COMPARE_K(<=, REG_A, CONST_B)
HANDLER(GTI) COMPARE(<, TAKE, SMALL_B, REG_A)
HANDLER(GEI) COMPARE(<=, TAKE, SMALL_B, REG_A)
HANDLER(GTK) COMPARE_K(<, CONST_B, REG_A)
HANDLER(GEK) COMPARE_K(<=, CONST_B, REG_A)
HANDLER(LTL) COMPARE(<, TAKE_BACK, REG_A, REG_B)
HANDLER(LEL) COMPARE(<=, TAKE_BACK, REG_A, REG_B)
HANDLER(LTIL) COMPARE(<, TAKE_BACK, REG_A, SMALL_B)
HANDLER(LEIL) COMPARE(<=, TAKE_BACK, REG_A, SMALL_B)

#define EQUAL(yv)                                              \
  {                                                            \
    Value x = REG_A, y = (yv);                                 \
    bool yes;                                                  \
    if (LIKELY(value_both_small(x, y)))                        \
      yes = x == y;                                            \
    else                                                       \
      JUMP_TO(compare_general);                                \
    TAKE(yes, C);                                              \
    NEXT();                                                    \
  }
HANDLER(EQ) EQUAL(REG_B)
HANDLER(EQK) EQUAL(CONST_B)
HANDLER(EQI) EQUAL(SMALL_B)

HANDLER(INCLT) {
  Value x = REG_A, y = REG_B;
  int64_t r;
  if (UNLIKELY(!value_both_small(x, y) ||
               __builtin_add_overflow((int64_t)x, (int64_t)4, &r)))
    JUMP_TO(inclt_general);
  REG_A = (Value)r;
  if (LIKELY(r < (int64_t)y)) JUMP_BACK();
  pc++;
  NEXT();
}
HANDLER(TEST) {
  TAKE(value_truthy(REG_A), B);
  NEXT();
}
HANDLER(NILJ) {
  TAKE(REG_A == VALUE_NIL, B);
  NEXT();
}
HANDLER(DEFJ) {
  TAKE(REG_A != VALUE_UNDEF, true);
  NEXT();
}
HANDLER(JMP) {
  pc += INSTR_SJ(i);
  NEXT();
}
HANDLER(LOOP) {
  pc += INSTR_SJ(i);
  SAFEPOINT_NEXT();
}

// --- Iteration --------------------------------------------------------------
HANDLER(ITER) {
  TRY(iter_start(local, g, REG_WINDOW, REG_B));
  NEXT();
}
HANDLER(NEXT1) {
  Value *state = REG_WINDOW;
  if (LIKELY(state[2] == value_from_small(ITER_INT))) {
    Value at = state[0];
    if (LIKELY((int64_t)at < (int64_t)state[1])) {
      state[0] = at + 4;
      REG_B = at;
      JUMP_BACK();
    }
    pc++;
    NEXT();
  }
  if (LIKELY(state[2] == value_from_small(ITER_LIST))) {
    ObjValues *block = list_block((ObjList *)value_obj(state[0]));
    size_t at = (size_t)value_small(state[1]);
    if (LIKELY(at < values_plain_len(block))) {
      REG_B = heap_load(&block->slots[at]);
      state[1] += 4;
      JUMP_BACK();
    }
    if (UNLIKELY(values_is_ring(block))) JUMP_TO(next_general);
    pc++;
    NEXT();
  }
  if (state[2] == value_from_small(ITER_CHAN) && !local->heap.barrier &&
      g->g.group == NULL &&
      chan_take_quick(local->p, &((ObjChan *)value_obj(state[0]))->chan, &REG_B,
                      VALUE_NIL))
    JUMP_BACK();
  if (state[2] == value_from_small(ITER_STEP) &&
      state[1] != value_from_small(0)) {
    REG_B = state[0];
    state[0] += state[4];
    state[1] -= value_from_small(1);
    JUMP_BACK();
  }
  JUMP_TO(next_general);
}
HANDLER(NEXT2) { JUMP_TO(next_general); }

// --- Containers -------------------------------------------------------------
HANDLER(LIST) {
  ObjList *list = list_new(local, C);
  if (UNLIKELY(list == NULL || !list_append(local, list, base + B, C)))
    TRY(vm_panic_memory(local, g));
  REG_A = value_from_obj(list);
  NEXT();
}
HANDLER(LISTADD) {
  if (UNLIKELY(!list_append(local, (ObjList *)value_obj(REG_A), base + B, C)))
    TRY(vm_panic_memory(local, g));
  NEXT();
}
HANDLER(TUPLE) {
  TRY(tuples_make(local, g, base + B, C, &REG_A));
  NEXT();
}
HANDLER(TUPLEL) {
  TRY(tuples_from(local, g, REG_B, &REG_A));
  CHARGE_NEXT();
}
HANDLER(APART) {
  TRY(tuples_take_apart(local, g, REG_B, REG_WINDOW, C, false));
  NEXT();
}
HANDLER(APARTR) {
  TRY(tuples_take_apart(local, g, REG_B, REG_WINDOW, C, true));
  CHARGE_NEXT();
}
HANDLER(MAP) {
  ObjMap *map = map_new(local, (size_t)INSTR_SBX(i));
  if (UNLIKELY(map == NULL)) TRY(vm_panic_memory(local, g));
  REG_A = value_from_obj(map);
  NEXT();
}
HANDLER(MAPADD) {
  TRY(access_set(local, g, REG_A, REG_B, REG_C));
  CHARGE_NEXT();
}
#define RANGE_LIKE(incl)                                                     \
  {                                                                          \
    Value x = REG_B, y = REG_C;                                              \
    if (UNLIKELY(!value_is_int(x) || !value_is_int(y)))                      \
      TRY(vm_panic(local, g, "a range needs ints, not %s and %s",              \
                   value_type_name(x), value_type_name(y)));                 \
    ObjRange *range = range_new(local, value_int(x), value_int(y), incl);     \
    if (UNLIKELY(range == NULL)) TRY(vm_panic_memory(local, g));               \
    REG_A = value_from_obj(range);                                           \
    NEXT();                                                                  \
  }
HANDLER(RANGE) RANGE_LIKE(false)
HANDLER(RANGEI) RANGE_LIKE(true)

// heap_store, which leaves the barrier to the slow path.
#define QUICK_STORE(slot, v, general)                                   \
  do {                                                                  \
    if (UNLIKELY(local->heap.barrier)) JUMP_TO(general);                    \
    rt_store_release((slot), (v)); /* release: as in heap_store */      \
  } while (0)
// The first element met decides what the place turns into.
HANDLER(GETIDX) {
  const Value *slot = list_slot(REG_B, REG_C, NULL);
  if (LIKELY(slot != NULL)) {
    Value v = heap_load(slot);
    REG_A = v;
    if (value_is_type(v, OBJ_INSTANCE))
      SPECIALISE(GETIDXO);
    else
      SPECIALISE(GETIDXN);
    NEXT();
  }
  JUMP_TO(get_general);
}
HANDLER(GETIDXN) {
  const Value *slot = list_slot(REG_B, REG_C, NULL);
  if (LIKELY(slot != NULL)) {
    REG_A = heap_load(slot);
    NEXT();
  }
  JUMP_TO(get_general);
}
// A loop over a list of structs waits for memory: so the next one is asked for.
HANDLER(GETIDXO) {
  const Value *next;
  const Value *slot = list_slot(REG_B, REG_C, &next);
  if (LIKELY(slot != NULL)) {
    REG_A = heap_load(slot);
    if (next != NULL)
      __builtin_prefetch((void *)(uintptr_t)(heap_load(next) - TAG_OBJ));
    NEXT();
  }
  JUMP_TO(get_general);
}
HANDLER(GETIDXI) {
  const Value *slot = list_slot(REG_B, value_from_small(C), NULL);
  if (LIKELY(slot != NULL)) {
    REG_A = heap_load(slot);
    NEXT();
  }
  JUMP_TO(get_general);
}
HANDLER(GETIDX2) {
  bool found;
  Value v;
  TRY(access_get(local, g, REG_B, REG_C, &v, &found));
  REG_A = v;
  REG_RANGE(A + 1) = value_from_bool(found);
  CHARGE_LONG_NEXT();
}
HANDLER(SETIDX) {
  Value *slot = list_slot(REG_A, REG_B, NULL);
  if (LIKELY(slot != NULL)) {
    QUICK_STORE(slot, REG_C, set_general);
    NEXT();
  }
  JUMP_TO(set_general);
}
HANDLER(SLICE) {
  TRY(access_slice(local, g, REG_B, REG_C, REG_RANGE(C + 1), &REG_A));
  CHARGE_NEXT();
}
HANDLER(GETF) {
  Value x = REG_B;
  if (LIKELY(value_is_type(x, OBJ_INSTANCE))) {
    ObjInstance *instance = (ObjInstance *)value_obj(x);
    // relaxed: a hint, checked right here. Pairs with cache_slot
    uint32_t cache = rt_load_relaxed(CACHE);
    if (LIKELY(cache >> 8 == instance->type->id)) {
      REG_A = heap_load(&instance->fields[cache & 0xff]);
      pc += 2;
      NEXT();
    }
  }
  JUMP_TO(getf_general);
}
HANDLER(GETM) {
  SAVE();
  if (access_calls_error(REG_A, (ObjString *)value_obj(CONST_WORD(*pc))))
    FOLLOW_CALL(call_message(local, g, A));
  TRY(access_field(local, g, REG_A, (ObjString *)value_obj(CONST_WORD(*pc)),
                   CACHE, &REG_A));
  pc += 2;
  NEXT();
}
HANDLER(SETF) {
  Value x = REG_A;
  if (LIKELY(value_is_type(x, OBJ_INSTANCE))) {
    ObjInstance *instance = (ObjInstance *)value_obj(x);
    // relaxed: a hint, checked right here. access.c stores it
    uint32_t cache = rt_load_relaxed(CACHE);
    if (LIKELY(cache >> 8 == instance->type->id)) {
      QUICK_STORE(&instance->fields[cache & 0xff], REG_B, setf_general);
      pc += 2;
      NEXT();
    }
  }
  JUMP_TO(setf_general);
}
HANDLER(IN) {
  bool yes;
  TRY(access_in(local, g, REG_B, REG_C, &yes));
  REG_A = value_from_bool(yes);
  CHARGE_NEXT();
}
HANDLER(IS) {
  REG_A = value_from_bool(access_is(local->vm, REG_B, CONST_WORD(*pc)));
  pc++;
  NEXT();
}
HANDLER(CONCAT) {
  SAVE();
  Next joined = concat_pieces(local, g, A, B);
  if (LIKELY(joined == GO_ON)) CHARGE_NEXT();
  FOLLOW_CALL(joined);
}
HANDLER(NEW) {
  ObjStruct *type = (ObjStruct *)value_obj(CONST_BX);
  size_t n = type->obj.aux;
  ObjInstance *made = (ObjInstance *)heap_alloc(
      &local->heap, sizeof *made + n * sizeof(Value), OBJ_INSTANCE);
  if (UNLIKELY(made == NULL)) TRY(vm_panic_memory(local, g));
  made->obj.aux = (uint16_t)n;
  made->type = type;
  for (size_t f = 0; f < n; f++) {
    made->fields[f] = base[f];
    if (UNLIKELY(base[f] == VALUE_UNDEF)) {
      made->obj.aux = 0;
      TRY(vm_panic(local, g, "%s: argument `%s` is missing", type->name->own,
                   type->fields[f]->own));
    }
  }
  REG_A = value_from_obj(made);
  NEXT();
}

// --- Calls ------------------------------------------------------------------
// Pushes the frame of closure `cl` at window A; the instruction has `words`.
#define ENTER(cl, want, words)                                         \
  do {                                                                 \
    Proto *proto = (cl)->proto;                                        \
    Value *callee = base + A + FRAME_WORDS;                            \
    if (UNLIKELY(callee + proto->nregs > g->limit)) {                  \
      local->grow = proto->nregs;                                      \
      JUMP_TO(grow_stack);                                             \
    }                                                                  \
    callee[-3] = (Value)(uintptr_t)(pc + ((words)-1));                 \
    callee[-2] = (Value)((A + FRAME_WORDS) << 8 | (Instr)(want)) << 2; \
    callee[-1] = value_from_obj(cl);                                   \
    base = callee;                                                     \
    pc = proto->code;                                                  \
    constants = proto->constants;                                      \
    SAFEPOINT_NEXT();                                                  \
  } while (0)
#define FITS(cl, argc)                                          \
  ((cl)->proto->nparams == (argc) &&                            \
   ((cl)->proto->flags & (PROTO_REST | PROTO_DEFAULTS)) == 0)

HANDLER(CALL) {
  Value f = REG_RANGE(A + 2);
  if (LIKELY(value_is_type(f, OBJ_CLOSURE))) {
    ObjClosure *cl = (ObjClosure *)value_obj(f);
    if (LIKELY(FITS(cl, B))) ENTER(cl, WANT, 1);
  }
  JUMP_TO(call_general);
}
HANDLER(CALLK) {
  ObjClosure *cl = (ObjClosure *)value_obj(CONST_WORD(*pc));
  ENTER(cl, WANT, 2);
}
HANDLER(CALLV) {
  SAVE();
  CHARGE();
  int argc = (int)g->multi;
  g->multi = 0;
  FOLLOW_CALL(call_value(local, g, REG_WINDOW, argc, WANT, pc));
}
HANDLER(INVOKE) {
  Value x = REG_RANGE(A + 3);
  if (UNLIKELY(!value_is_obj(x))) JUMP_TO(invoke_general);
  if (value_obj(x)->type != OBJ_INSTANCE) JUMP_TO(invoke_builtin);
  ObjStruct *type = ((ObjInstance *)value_obj(x))->type;
  // acquire: the method's room is there. Pairs with cache_slot
  uint32_t cache = rt_load_acquire(CACHE);
  if (LIKELY(cache >> 8 == type->id)) {
    Value f =
        heap_load(&heap_load(&type->room)->methods[cache & 0xff].function);
    ObjClosure *cl = (ObjClosure *)value_obj(f);
    if (LIKELY(FITS(cl, B + 1))) ENTER(cl, WANT, 3);
  }
  JUMP_TO(invoke_general);
}
HANDLER(INVOKEV) {
  SAVE();
  CHARGE();
  int argc = (int)g->multi;
  g->multi = 0;
  FOLLOW_CALL(call_method(local, g, A, argc, WANT));
}
HANDLER(METHOD) {
  TRY_ONCE(call_find_method(local, g, A, (int)B + 1));
  pc += 2;
  NEXT();
}
HANDLER(SPREAD) {
  TRY_ONCE(call_spread(local, g, (int)A, (int)B, (int)C));
  base = g->base;
  NEXT();
}
HANDLER(NAMED) {
  TRY_ONCE(call_named(local, g, (int)A, (int)B, CONST_WORD(*pc)));
  base = g->base;
  pc++;
  NEXT();
}

// What every return does once the results are in place.
#define POP_FRAME(info)                                \
  do {                                                 \
    pc = (const Instr *)(uintptr_t)base[-3];           \
    base -= (info) >> 10;                              \
    constants = frame_closure(base)->proto->constants; \
  } while (0)
#define INFO_WANT(info) ((info) >> 2 & 0xff)

HANDLER(RET0) {
  Value info = base[-2];
  if (LIKELY(INFO_WANT(info) == 0)) {
    POP_FRAME(info);
    NEXT();
  }
  JUMP_TO(return_general);
}
#define RETURN_ONE(info)                                  \
  do {                                                    \
    Value v = REG_A, *to = base - FRAME_WORDS;            \
    POP_FRAME(info);                                      \
    *to = v;                                              \
    NEXT();                                               \
  } while (0)
HANDLER(RET1) {
  Value info = base[-2];
  if (LIKELY(INFO_WANT(info) == 1)) RETURN_ONE(info);
  if (INFO_WANT(info) == WANT_ALL) {
    g->multi = 1;
    RETURN_ONE(info);
  }
  if (INFO_WANT(info) == 0 && !value_is_error(REG_A)) {
    POP_FRAME(info);
    NEXT();
  }
  JUMP_TO(return_general);
}
HANDLER(RET) {
  SAVE();
  FOLLOW(call_return(local, g, REG_WINDOW, (int)B));
}
// What a call returned is returned, most often one value.
HANDLER(RETV) {
  Value info = base[-2];
  if (LIKELY(g->multi == 1 &&
             (INFO_WANT(info) == 1 || INFO_WANT(info) == WANT_ALL)))
    RETURN_ONE(info);
  JUMP_TO(return_general);
}
HANDLER(PACK) {
  SAVE();
  ObjValues *block = call_pack(local, g, REG_WINDOW, g->multi);
  if (UNLIKELY(block == NULL)) JUMP_TO(throw_panic);
  REG_A = value_from_obj(block);
  NEXT();
}
HANDLER(PICK) {
  if (UNLIKELY(g->multi == 0))
    TRY(vm_panic(local, g,
                 "`?` after a call that returned no value: the function "
                 "must end with `return nil` if nothing went wrong"));
  REG_A = base[A + g->multi - 1];
  NEXT();
}
HANDLER(NEEDERR) {
  if (UNLIKELY(!value_is_error(REG_A)))
    TRY(panic_no_error(local, g, REG_A, B != 0));
  if (B == 0) {
    SAVE();
    places_add(local, g, REG_A);
  }
  NEXT();
}
HANDLER(FIT) {
  if (LIKELY(g->multi == B)) NEXT();
  TRY_ONCE(call_fit(local, g, (int)A, (int)B, C != 0));
  base = g->base;
  NEXT();
}
HANDLER(FILL) {
  TRY_ONCE(call_fill(local, g, (int)A));
  base = g->base;
  NEXT();
}
HANDLER(RETD) {
  SAVE();
  FOLLOW_CALL(call_return_deferred(local, g, pc - 1, REG_WINDOW, (int)B));
}
HANDLER(RETDL) {
  SAVE();
  FOLLOW_CALL(call_return_deferred(local, g, pc - 1, REG_WINDOW, -1));
}
HANDLER(GO) {
  SAVE();
  FOLLOW(task_go(local, g, (int)A, (int)B, C != 0));
}
HANDLER(GOV) {
  SAVE();
  int argc = (int)g->multi;
  g->multi = 0;
  Next gone = task_go(local, g, (int)A, argc, C != 0);
  if (LIKELY(gone == GO_ON)) {
    CHARGE_LONG();
    NEXT();
  }
  FOLLOW(gone);
}
HANDLER(DEFER) {
  g->multi = B;
  JUMP_TO(defer);
}
HANDLER(DEFERV) {
  JUMP_TO(defer);
}
HANDLER(FAIL) {
  SAVE();
  FOLLOW(local->vm->hooks->report_error(local, g, REG_A));
}
HANDLER(RUNMOD) {
  SAVE();
  FOLLOW_CALL(call_module(local, g, (int)A, CONST_BX));
}

// --- Channels ---------------------------------------------------------------
// While nobody marks and nobody waits, a channel is a ring. With several Ps the
// quick ways need its lock to be free.
#define QUICK_CHAN(x) (value_is_type(x, OBJ_CHAN) && !local->heap.barrier)
// Before an operation that may block: members of groups may be cancelled.
#define STOP_IF_CANCELLED()                              \
  do {                                                   \
    if (UNLIKELY(g->g.group != NULL)) {                  \
      SAVE();                                            \
      if (group_cancels(local, g)) JUMP_TO(throw_panic);     \
    }                                                    \
  } while (0)
HANDLER(SEND) {
  Value to = REG_A;
  STOP_IF_CANCELLED();
  if (QUICK_CHAN(to) &&
      chan_put_quick(local->p, &((ObjChan *)value_obj(to))->chan, REG_B))
    NEXT();
  SAVE();
  FOLLOW(channel_send(local, g, REG_A, REG_B));
}
HANDLER(RECV) {
  Value from = REG_B, v;
  STOP_IF_CANCELLED();
  if (C <= 1 && QUICK_CHAN(from) &&
      chan_take_quick(local->p, &((ObjChan *)value_obj(from))->chan, &v,
                      VALUE_NIL)) {
    if (C == 1) REG_A = v;
    NEXT();
  }
  SAVE();
  FOLLOW(channel_recv(local, g, i));
}
HANDLER(SELECT) {
  STOP_IF_CANCELLED();
  SAVE();
  FOLLOW(select_run(local, g, i));
}
HANDLER(SELVAL) {
  TRY_ONCE(select_outcome(local, g, REG_WINDOW, &REG_RANGE(B + 1), WANT));
  NEXT();
}

// --- Groups -----------------------------------------------------------------
HANDLER(GROUP) {
  SAVE();
  Next follow = group_open(local, g, i, pc + 1 + INSTR_J(*pc));
  if (UNLIKELY(follow == THROW)) JUMP_TO(throw_panic);
  pc++;
  NEXT();
}
HANDLER(GROUPEND) {
  SAVE();
  FOLLOW(group_close(local, g));
}
HANDLER(GROUPRET) {
  SAVE();
  FOLLOW(group_close(local, g));
}

// --- The interpreter's own frames -------------------------------------------
HANDLER(TRYCALL) {
  SAVE();
  FOLLOW_CALL(call_try(local, g));
}
HANDLER(TRYRET) {
  SAVE();
  FOLLOW(call_try_return(local, g));
}
HANDLER(PANICGO) {
  SAVE();
  FOLLOW_CALL(panic_go(local, g));
}
HANDLER(GOEXIT) {
  SAVE();
  FOLLOW(task_goexit(local, g));
}
