# SPDX-License-Identifier: MIT
# What hosts get: the library, static, shared and as one file, and `make
# install`. A part of the Makefile. All show the functions of vm/csp.h and no
# others. One set of objects serves both libraries and the program: where names
# are hidden, -fPIC costs nothing that could be measured.

VERSION := $(shell sed -n 's/^.define CSP_VERSION "\(.*\)"/\1/p' vm/csp.h)
SONAME  := libcspvm.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY := $(BUILD)/libcspvm.a
# A shared library cannot bring a sanitizer's runtime into a program.
SHARED  := $(if $(SAN),,$(BUILD)/libcspvm.so.$(VERSION))

.PHONY: install uninstall
all: $(LIBRARY) $(SHARED)

# All in one object, where the hidden names become local ones: a host's own
# functions may have the same.
$(BUILD)/libcspvm.o: $(LIB_OBJ) vm/library.mk
	$(SAY) $(LD) -r -o $@ $(LIB_OBJ) && objcopy --localize-hidden $@

$(LIBRARY): $(BUILD)/libcspvm.o
	@rm -f $@
	$(SAY) ar rcs $@ $<

$(SHARED): $(BUILD)/libcspvm.o
	$(SAY) $(LINK) -shared -Wl,-soname,$(SONAME),-Bsymbolic,-z,defs -o $@ $< -lm

# ---- the library as one file ------------------------------------------------
AMALGAMATION := $(BUILD)/amalgamation/cspvm.c
AMALGAMATED  := $(LIB_SRC) $(GEN_OBJ:.o=.c)

.PHONY: amalgamation lint-amalgamation
amalgamation: $(AMALGAMATION)  ## build/amalgamation/cspvm.c and csp.h: the library as one file

$(AMALGAMATION): vm/amalgamate.py $(AMALGAMATED) $(wildcard $(LAYERS:%=%/*.h) $(LAYERS:%=%/*/*.h)) vm/code/opcodes.def vm/api/error_codes.def \
                 $(BUILD)/lang/parse/grammar.h LICENSE
	$(SAY) python3 vm/amalgamate.py --out $(@D) -I $(BUILD) $(AMALGAMATED)

# That names are unique is the script's to find; a compiler says what it missed.
lint-amalgamation: $(AMALGAMATION)
	@for cc in $(CC_tail) $(CC_goto); do \
	  $$cc -std=c11 -Wall -Wextra -Werror -fsyntax-only $< || exit; done

# ---- make install -----------------------------------------------------------
TO = $(DESTDIR)$(PREFIX)

install: all  ## into DESTDIR/PREFIX (default /usr/local)
	install -D -m 755 $(PROGRAM) "$(TO)/bin/cspvm"
	install -D -m 644 vm/csp.h "$(TO)/include/csp.h"
	install -D -m 644 $(LIBRARY) "$(TO)/lib/libcspvm.a"
ifneq ($(SHARED),)
	install -m 644 $(SHARED) "$(TO)/lib/"
	ln -sf $(notdir $(SHARED)) "$(TO)/lib/$(SONAME)"
	ln -sf $(SONAME) "$(TO)/lib/libcspvm.so"
endif
	install -d "$(TO)/lib/cspvm/$(API)"
	install -m 644 $(MODULES) "$(TO)/lib/cspvm/$(API)/"
	install -m 644 $(STATICS) "$(TO)/lib/"
	install -D -m 644 vm/cspvm.pc.in "$(TO)/lib/pkgconfig/cspvm.pc"
	$(foreach n,$(BUILT),sed 's|@NAME@|$n|; s|@LIBS@|$(LIBS_$n)|' vm/cspvm-module.pc.in \
	  > "$(TO)/lib/pkgconfig/cspvm-$n.pc" &&) :
	install -D -m 644 cli/cspvm.1 "$(TO)/share/man/man1/cspvm.1"
	sed -i 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
	  "$(TO)"/lib/pkgconfig/cspvm*.pc "$(TO)/share/man/man1/cspvm.1"
	install -D -m 644 LICENSE "$(TO)/share/doc/cspvm/LICENSE"

uninstall:  ## remove what `make install` put there
	cd "$(TO)" && rm -f bin/cspvm include/csp.h lib/libcspvm.a lib/libcspvm.so \
	  lib/$(SONAME) $(patsubst $(BUILD)/%,lib/%,$(SHARED)) \
	  $(BUILT:%=lib/libcspvm-%.a) $(BUILT:%=lib/pkgconfig/cspvm-%.pc) \
	  lib/pkgconfig/cspvm.pc share/man/man1/cspvm.1 share/doc/cspvm/LICENSE
	cd "$(TO)/lib/cspvm/$(API)" && rm -f $(notdir $(MODULES))
	rmdir "$(TO)/share/doc/cspvm" "$(TO)/lib/cspvm/$(API)" "$(TO)/lib/cspvm"
