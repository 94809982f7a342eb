# SPDX-License-Identifier: MIT
# Native modules: NAME.c in this folder becomes $(BUILD)/modules/NAME.so, which
# `import "NAME"` loads. A part of the Makefile. NAME.csp, the module's part in
# the language, becomes stdlib/native/NAME_csp.h in $(BUILD), which NAME.c
# includes by that path. NAME_PART.c is one more part of the module NAME, whose
# own name has no `_`.
#
# A module has three settings here: the header of the library that it needs,
# how it is linked with that, and the Debian package that has both. Without the
# header it is left out. NAME.package tells the runtime why, so that importing
# the module names the package.
HEADER_zlib  := zlib.h
LIBS_zlib    := -lz
PACKAGE_zlib := zlib1g-dev
HEADER_sqlite  := sqlite3.h
LIBS_sqlite    := -lsqlite3
PACKAGE_sqlite := libsqlite3-dev

API     := $(shell sed -n 's/^.define CSP_API //p' vm/csp.h)
SOURCES := $(patsubst stdlib/native/%.c,%,$(wildcard stdlib/native/*.c))
NATIVES := $(foreach s,$(SOURCES),$(if $(findstring _,$(s)),,$(s)))
objects = $(patsubst %,$(BUILD)/stdlib/native/%.o,$(1) $(filter $(1)_%,$(SOURCES)))
has_header = $(shell $(CC) -E -include $(HEADER_$(1)) -x c -o /dev/null /dev/null 2>/dev/null && echo yes)
LEFT_OUT := $(foreach n,$(NATIVES),$(if $(call has_header,$(n)),,$(n)))
BUILT    := $(filter-out $(LEFT_OUT),$(NATIVES))
MODULES  := $(BUILT:%=$(BUILD)/modules/%.so) $(NATIVES:%=$(BUILD)/modules/%.package)
# For hosts that are linked with a module.
STATICS  := $(BUILT:%=$(BUILD)/libcspvm-%.a)

.PHONY: $(LEFT_OUT:%=without-%)
all: $(MODULES) $(STATICS) $(LEFT_OUT:%=without-%)

$(LEFT_OUT:%=without-%): without-%:
	@echo "  the module $* is left out: there is no $(HEADER_$*) (package $(PACKAGE_$*), make deps)"

$(BUILD)/modules/%.package: stdlib/native/modules.mk
	@mkdir -p $(@D)
	$(SAY) echo $(PACKAGE_$*) > $@

# Nothing of libcspvm is linked in, as the program exports csp_*.
define module_rules
$(BUILD)/modules/$(1).so: $(call objects,$(1)) stdlib/native/modules.mk
	@mkdir -p $$(@D)
	$$(SAY) $$(LINK) -shared -Wl,-soname,$(1).so -o $$@ $$(filter %.o,$$^) $$(LIBS_$(1))

$(BUILD)/libcspvm-$(1).a: $(call objects,$(1))
	@rm -f $$@
	$$(SAY) $$(AR) rcs $$@ $$^
endef
$(foreach n,$(BUILT),$(eval $(call module_rules,$(n))))

$(BUILD)/stdlib/native/%.o: stdlib/native/%.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(ALL_CFLAGS) -c -o $@ $<

$(patsubst stdlib/native/%.csp,$(BUILD)/stdlib/native/%.o,$(wildcard stdlib/native/*.csp)): %.o: %_csp.h

$(BUILD)/stdlib/native/%_csp.h: stdlib/native/%.csp stdlib/embed.sh
	@mkdir -p $(@D)
	$(SAY) sh stdlib/embed.sh --header $< > $@

-include $(SOURCES:%=$(BUILD)/stdlib/native/%.d)
