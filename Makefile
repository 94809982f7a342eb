# SPDX-License-Identifier: MIT
# The whole build. `make help` lists the targets; the settings come first.
.DELETE_ON_ERROR .SUFFIXES:

# ---- settings ---------------------------------------------------------------
# DISPATCH=tail|goto       how the interpreter goes from opcode to opcode: tail,
#                          but goto with SAN=address and all, as clang cannot
#                          compile tail calls with ASan's checks of the C stack
# SAN=address|thread|undefined|all (address and undefined)  DEBUG=1  WERROR=1
# CC=...  PREFIX=...  V=1 (say all)
DISPATCH ?= $(if $(filter address all,$(SAN)),goto,tail)
PREFIX   ?= /usr/local
FILE     ?= examples/fib.csp

CC_tail := clang-19
CC_goto := gcc
ifeq ($(origin CC),default)
CC := $(CC_$(DISPATCH))
endif

PACKAGES := make gcc clang-19 libc6-dev libclang-rt-19-dev re2c lemon \
            libedit-dev libcmocka-dev clang-format python3 valgrind g++ relacy-dev spin \
            pkgconf binutils libuv1-dev locales zlib1g-dev libssl-dev libxxhash-dev openssl curl \
            libsqlite3-dev sqlite3 libc-ares-dev iproute2 procps libpq-dev zip unzip
# Servers and clients of others, which some tests need and are not run without.
PEERS    := redis-server redis-tools nginx-light haproxy nodejs node-ws wrk hey \
            apache2-utils nghttp2-client slowhttptest chromium-headless-shell \
            postgresql libre2-dev pcre2-utils golang-1.19-src
LEMPAR   := /usr/share/lemon/lempar.c
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
LAYERS   := sched vm lang stdlib cli
# Folders, the lowest first: none uses one after it.
ROOMS    := sched $(addprefix vm/,value heap object code interp api native runtime) \
            lang $(addprefix lang/,parse resolve check gen format compile) stdlib cli

# ThreadSanitizer of gcc 12 wants no address randomisation, where it may ask.
WRAP_thread = $(shell setarch -R true 2>/dev/null && echo setarch -R)

# ---- what follows from them -------------------------------------------------
$(if $(filter $(DISPATCH),tail goto),,\
  $(error DISPATCH is tail or goto, not "$(DISPATCH)"))
$(if $(filter-out address thread undefined all,$(SAN)),\
  $(error SAN is address, thread, undefined or all, not "$(SAN)"))
$(if $(filter tail-address tail-all,$(DISPATCH)-$(SAN)),$(if $(findstring -asan-stack=0,$(CFLAGS)),,\
  $(error DISPATCH=tail cannot be compiled with SAN=$(SAN): take DISPATCH=goto, or, \
    without the checks of the C stack, CFLAGS="-O1 -g -mllvm -asan-stack=0")))
SANITIZE := $(if $(SAN),-fsanitize=$(SAN:all=address,undefined))

# Each configuration has a build folder of its own: objects never mix.
CC_WORD := $(filter-out $(CC_$(DISPATCH)),$(notdir $(CC)))
VARIANT := $(strip $(SAN) $(filter-out tail,$(DISPATCH)) $(DEBUG:1=debug) \
                   $(WERROR:1=werror) $(CC_WORD))
SAY      = $(if $(V),,@echo "  $@";)
empty   :=
BUILD   := build$(if $(VARIANT),/$(subst $(empty) $(empty),-,$(VARIANT)))

CFLAGS  ?= $(if $(DEBUG),$(if $(SAN),-O1 -g,-O0 -g3),-O2 -g)
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARN) $(CFLAGS) -pthread \
  -fPIC -fvisibility=hidden -fno-semantic-interposition \
  -I. -I$(BUILD) -MMD -MP \
  -DCSP_DISPATCH_TAIL=$(if $(filter tail,$(DISPATCH)),1,0) $(if $(DEBUG),-DCSP_DEBUG=1) \
  $(if $(WERROR),-Werror) $(if $(SAN),$(SANITIZE) -fno-omit-frame-pointer) \
  $(if $(filter undefined all,$(SAN)),-fno-sanitize-recover=all) \
  $(if $(filter address all thread,$(SAN)),-DRT_THREAD_STACK_KB=4096)
# A branch across a line of the cache costs the interpreter up to a third.
OWN_CFLAGS := $(if $(filter tail-x86_64,$(DISPATCH)-$(shell uname -m)),-mbranches-within-32B-boundaries)
# A debug build counts the steps between two looks (vm/heap/work.c).
OWN_CFLAGS += $(if $(DEBUG),$(if $(SAN),,-fsanitize-coverage=trace-pc))
# Some tests contain all of sched/: so they are compiled in a third of the time.
# Most of the rest is for gdb, which gets its part with DEBUG=1.
NO_DEBUG := $(if $(DEBUG)$(SAN),,1)
STRIP    := -Wl,-S
$(BUILD)/tests/%.o: OWN_CFLAGS := $(if $(DEBUG),,-O1) $(if $(NO_DEBUG),-g0)
# `make test` runs the explorers for so short that compiling takes most of it.
EXPLORE_CFLAGS ?= -O0
$(BUILD)/tests/unit/test_explore_%.o: OWN_CFLAGS := $(if $(DEBUG),,$(EXPLORE_CFLAGS)) $(if $(NO_DEBUG),-g0)
# With sanitizers a program has 6 MB of data with addresses, which would all be
# written at each start of one that may be anywhere.
LINK     = $(CC) $(CFLAGS) $(LDFLAGS) -pthread $(SANITIZE) $(if $(SAN),-no-pie)

LIB_SRC  := $(filter-out stdlib/freeze.c,$(wildcard $(patsubst %,%/*.c,$(filter-out cli,$(ROOMS)))))
CLI_SRC  := $(wildcard cli/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
comma := ,
left_out := $(subst $(comma), ,$(WITHOUT))
UNIT_SRC := $(filter-out $(left_out:%=tests/unit/%%),$(UNIT_SRC))
GEN_OBJ  := $(addprefix $(BUILD)/,lang/parse/lexer.o lang/parse/grammar.o stdlib/http_head.o \
              stdlib/stdlib_csp.o stdlib/prelude.o)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o) $(GEN_OBJ)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o) $(BUILD)/cli/doc_table.o
UNIT     := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/unit/%)
C_FILES  := $(wildcard $(foreach d,$(ROOMS) stdlib/native vm tests/unit examples/embed,$d/*.c $d/*.h $d/*.cpp))
PROGRAM  := $(BUILD)/cspvm
# What knows the library's insides (the program, tests) links this.
INTERNALS := $(BUILD)/internals.a

# make uses all cores unless told otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif

# ---- for everyday use -------------------------------------------------------
.PHONY: all run test check proofs explorers lint lint-rooms fmt deps peers help clean bench bench-quick bench-check bench-sched bench-sim coverage fuzz
all: $(PROGRAM)  ## build/cspvm, build/libcspvm.a and build/libcspvm.so.*

run: deps  ## install what is missing, build, run FILE=examples/fib.csp
	@$(MAKE) all >&2
	@$(PROGRAM) $(FILE) $(ARGS)

test: deps  ## install what is missing, build, run all tests
	@$(MAKE) check

check: all $(UNIT)  ## run all tests (RUNFLAGS goes to tests/run; WITHOUT=test_explore,test_gc: not those)
	@$(WRAP_$(SAN)) tests/run --bin $(PROGRAM) --unit $(BUILD)/tests/unit \
	  $(if $(SAN)$(DEBUG),--slow 10) $(WITHOUT:%=--without %) $(RUNFLAGS)

proofs: deps  ## weak memory, models and more schedules of sched/, some minutes
	@$(MAKE) BUILD=$(BUILD)/proofs EXPLORE_CFLAGS=-O1 explorers
	@tests/relacy/run && tests/models/run && \
	  tests/explore/run --schedules 5000000 --unit $(BUILD)/proofs/tests/unit

explorers: $(filter $(BUILD)/tests/unit/test_explore_%,$(UNIT))

lint:  ## format, layers and rooms, what comments name, file sizes, unique names, benchmarks, no warnings from either compiler
	@sh tests/lint.sh $(LAYERS)
	@docs/opcodes.py
	@tests/comments.py $(LAYERS) tests bench examples
	@tests/explore/mutants --check
	@tests/explore/planted check
	@tests/relacy/run --check
	@clang-format --dry-run -Werror $(C_FILES)
	@bench/lint $(CC_tail)
	@$(MAKE) WERROR=1 DISPATCH=tail all lint-rooms
	@$(MAKE) WERROR=1 DISPATCH=goto all lint-amalgamation

lint-rooms: all  # (a part of lint)
	@tests/rooms.py $(BUILD) $(ROOMS)

bench: all  ## measure all beside its peers (with BENCHFLAGS only bench/run)
	@bench/run --bin $(PROGRAM) $(BENCHFLAGS)
	@$(if $(BENCHFLAGS),:,bench/others $(abspath $(PROGRAM)))
bench-quick: all  ## the same, once, and only bench/run
	@bench/run --bin $(PROGRAM) --quick $(BENCHFLAGS)
bench-sched: $(PROGRAM) $(INTERNALS)  ## what the scheduler's operations cost, beside Go (BENCHFLAGS)
	@bench/sched/run --cc "$(CC)" --lib $(INTERNALS) $(BENCHFLAGS)
bench-check: all  ## fail if a program takes 1 % more instructions than it did
	@bench/check --bin $(PROGRAM) --flags "$(CFLAGS) DISPATCH=$(DISPATCH)$(SAN:%= SAN=%)"
fuzz: ; @MAKEFLAGS= tests/fuzz/run $(or $(SECONDS),20) $(TARGET)  ## search for faults with hostile input (TARGET, SECONDS)
coverage: ; @tests/coverage  ## write docs/coverage.md: what the tests run
bench-sim: ; @bench/sim/run --cc $(CC) --out $(BUILD)/sim $(BENCHFLAGS) ## simulate the scheduler on up to 1024 CPUs

fmt:  ## format the C sources in place
	clang-format -i $(C_FILES)

deps:  ## apt-get install the packages that are missing
	@sh tests/deps.sh $(PACKAGES)

peers: | deps  ## the same for programs of others that tests talk to; without them those tests are skipped
	@sh tests/deps.sh $(PEERS)

help:  ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/make \1\t\2/p' Makefile vm/library.mk | expand -t 24

clean:  ## remove build/
	rm -rf build

# ---- the library for hosts, and make install --------------------------------
include vm/library.mk

# ---- modules that are loaded when a script imports them ---------------------
include stdlib/native/modules.mk

# ---- programs ---------------------------------------------------------------
# Native modules call the functions of vm/csp.h, so all are there and exported.
# All else is hidden.
$(PROGRAM): $(CLI_OBJ) $(INTERNALS)
	$(SAY) $(LINK) -o $@ $(CLI_OBJ) -Wl,--whole-archive $(INTERNALS) -Wl,--no-whole-archive \
	  '-Wl,--export-dynamic-symbol=csp_*' -l:libedit.a -l:libtinfo.a -l:libbsd.a -l:libmd.a -lm

$(INTERNALS): $(LIB_OBJ)
	@rm -f $@
	$(SAY) ar rcs $@ $^

$(addprefix $(BUILD)/tests/unit/test_,nth_allocation nth_object nth_close close few_threads server_ends): \
  private LDFLAGS += @tests/unit/failing.opt
$(BUILD)/tests/unit/test_injected: private LDFLAGS += @tests/unit/injected.opt
$(BUILD)/tests/unit/test_quota: private LDFLAGS += @tests/unit/quota.opt
$(BUILD)/tests/unit/test_registered_once: private LDFLAGS += -Wl,--wrap=epoll_ctl
$(BUILD)/tests/unit/test_memory: private LDFLAGS += @tests/unit/memory.opt
$(BUILD)/tests/unit/test_http_times: private LDFLAGS += @tests/unit/clock.opt
$(BUILD)/tests/unit/test_root: private LDFLAGS += @tests/unit/root.opt
$(addprefix $(BUILD)/tests/unit/test_,reach reach_language): private LDFLAGS += $(if $(DEBUG),@tests/unit/reach.opt)
$(BUILD)/tests/unit/test_reach: private LDFLAGS += $(if $(DEBUG),@tests/unit/reach_native.opt)
$(UNIT): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(INTERNALS)
	$(SAY) $(LINK) $(if $(NO_DEBUG),$(STRIP)) -o $@ $^ $(LDLIBS) -lcmocka -lm

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(ALL_CFLAGS) $(OWN_CFLAGS) -c -o $@ $<

# ---- generated code ---------------------------------------------------------
$(BUILD)/%.c: %.re
	@mkdir -p $(@D)
	$(SAY) re2c -W -Werror -i --no-generation-date --no-version -o $@ $<

$(BUILD)/lang/parse/grammar.c: lang/parse/grammar.y
	@mkdir -p $(@D)
	$(SAY) lemon -d$(@D) -T$(LEMPAR) -q -l $<

# The empty recipe matters: without it a new token recompiles the lexer late.
$(BUILD)/lang/parse/grammar.h: $(BUILD)/lang/parse/grammar.c ;

$(BUILD)/stdlib/stdlib_csp.c: stdlib/embed.sh $(filter-out %/prelude.csp,$(wildcard stdlib/*.csp))
	@mkdir -p $(@D)
	$(SAY) sh $^ > $@

$(BUILD)/cli/doc_table.c: cli/doc_table.awk docs/library.md
	@mkdir -p $(@D)
	$(SAY) awk -f $^ > $@

# The library without its prelude compiles the prelude.
$(BUILD)/stdlib/freeze: $(filter-out %/prelude.o,$(LIB_OBJ)) $(BUILD)/stdlib/freeze.o
	$(SAY) $(LINK) -o $@ $^ -lm

$(BUILD)/stdlib/prelude.c: $(BUILD)/stdlib/freeze stdlib/prelude.csp
	$(SAY) $(WRAP_$(SAN)) $^ > $@

$(filter $(BUILD)/lang/%,$(LIB_OBJ)): $(BUILD)/lang/parse/grammar.h
$(GEN_OBJ) $(BUILD)/cli/doc_table.o: %.o: %.c Makefile
	$(SAY) $(CC) $(ALL_CFLAGS) -Wno-unused-parameter -Wno-unused-variable -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(BUILD)/stdlib/freeze.d $(CLI_OBJ:.o=.d) $(UNIT:=.d)
