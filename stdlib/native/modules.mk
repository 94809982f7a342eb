# SPDX-License-Identifier: MIT
# Native modules: NAME.c in this folder becomes $(BUILD)/modules/NAME.so, which
# `import "NAME"` loads. A part of the Makefile. Further sources of the module
# are NAME_*.c. SHARED_NAME has those that it shares with others. Each module
# has a copy of its own of these, and their names have a "_". NAME.csp, the
# module's part in the language, becomes stdlib/native/NAME_csp.h in $(BUILD),
# which NAME.c includes by that path.
#
# A module has three settings here: the header of the library that it needs,
# how it is linked with that, and the Debian package that has both. A module of
# two libraries has two headers. Without one of them it is left out.
# NAME.package tells the runtime why, so that importing the module names the
# package.
HEADER_hash  := openssl/evp.h xxhash.h
LIBS_hash    := -lcrypto -lxxhash
PACKAGE_hash := libssl-dev or libxxhash-dev
SHARED_hash  := given_data
HEADER_tls   := openssl/ssl.h
LIBS_tls     := -lssl -lcrypto
PACKAGE_tls  := libssl-dev
HEADER_zlib  := zlib.h
LIBS_zlib    := -lz
PACKAGE_zlib := zlib1g-dev
SHARED_zlib  := given_data
HEADER_sqlite  := sqlite3.h
LIBS_sqlite    := -lsqlite3
PACKAGE_sqlite := libsqlite3-dev
SHARED_sqlite  := database_rows
HEADER_dns  := ares.h
LIBS_dns    := -lcares
PACKAGE_dns := libc-ares-dev
HEADER_postgres  := postgresql/libpq-fe.h openssl/ssl.h
LIBS_postgres    := -lpq -lssl -lcrypto
PACKAGE_postgres := libpq-dev or libssl-dev
SHARED_postgres  := database_rows

API     := $(shell sed -n 's/^.define CSP_API //p' vm/csp.h)
NATIVE_C := $(patsubst stdlib/native/%.c,%,$(wildcard stdlib/native/*.c))
NATIVES := $(foreach c,$(NATIVE_C),$(if $(findstring _,$(c)),,$(c)))
native_objects = $(patsubst %,$(BUILD)/stdlib/native/%.o,$(1) $(filter $(1)_%,$(NATIVE_C)) $(SHARED_$(1)))
has_header = $(shell $(CC) -E $(addprefix -include ,$(HEADER_$(1))) -x c -o /dev/null /dev/null 2>/dev/null && echo yes)
LEFT_OUT := $(foreach n,$(NATIVES),$(if $(call has_header,$(n)),,$(n)))
BUILT    := $(filter-out $(LEFT_OUT),$(NATIVES))
MODULES  := $(BUILT:%=$(BUILD)/modules/%.so) $(NATIVES:%=$(BUILD)/modules/%.package)
# For hosts that are linked with a module.
STATICS  := $(BUILT:%=$(BUILD)/libcspvm-%.a)

.PHONY: $(LEFT_OUT:%=without-%)
all: $(MODULES) $(STATICS) $(LEFT_OUT:%=without-%)

$(LEFT_OUT:%=without-%): without-%:
	@echo "  the module $* is left out: there is no $(subst .h ,.h or ,$(HEADER_$*)) (package $(PACKAGE_$*), make deps)"

$(BUILD)/modules/%.package: stdlib/native/modules.mk
	@mkdir -p $(@D)
	$(SAY) echo $(PACKAGE_$*) > $@

# Nothing of libcspvm is linked in, as the program exports csp_*.
.SECONDEXPANSION:
$(filter %.so,$(MODULES)): $(BUILD)/modules/%.so: $$(call native_objects,$$*) stdlib/native/modules.mk
	@mkdir -p $(@D)
	$(SAY) $(LINK) -shared -Wl,-soname,$*.so -o $@ $(filter %.o,$^) $(LIBS_$*)

$(STATICS): $(BUILD)/libcspvm-%.a: $$(call native_objects,$$*)
	@rm -f $@
	$(SAY) $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/stdlib/native/%.o: stdlib/native/%.c Makefile
	@mkdir -p $(@D)
	$(SAY) $(CC) $(ALL_CFLAGS) -c -o $@ $<

$(patsubst stdlib/native/%.csp,$(BUILD)/stdlib/native/%.o,$(wildcard stdlib/native/*.csp)): %.o: %_csp.h

$(BUILD)/stdlib/native/%_csp.h: stdlib/native/%.csp stdlib/embed.sh
	@mkdir -p $(@D)
	$(SAY) sh stdlib/embed.sh --header $< > $@

-include $(NATIVE_C:%=$(BUILD)/stdlib/native/%.d)

# ---- test_reach has all of them ---------------------------------------------
# A debug build counts their steps (OWN_CFLAGS), which needs the library's inner
# part. So these are objects of their own.
REACHED := $(sort $(foreach n,$(BUILT),$(call native_objects,$(n))))
ifeq ($(DEBUG)/$(SAN),1/)
REACHED := $(REACHED:$(BUILD)/stdlib/native/%=$(BUILD)/counted/%)
endif
$(BUILD)/tests/unit/test_reach: $(REACHED)
$(BUILD)/tests/unit/test_reach: private LDLIBS := $(INTERNALS) $(foreach n,$(BUILT),$(LIBS_$(n)))

$(BUILD)/counted/%.o: stdlib/native/%.c Makefile | $(patsubst stdlib/native/%.csp,$(BUILD)/stdlib/native/%_csp.h,$(wildcard stdlib/native/*.csp))
	@mkdir -p $(@D)
	$(SAY) $(CC) $(ALL_CFLAGS) $(OWN_CFLAGS) -c -o $@ $<

-include $(NATIVE_C:%=$(BUILD)/counted/%.d)

# ---- test_nth_close has the databases ---------------------------------------
CLOSED := $(filter sqlite postgres,$(BUILT))
$(BUILD)/tests/unit/test_nth_close: $(sort $(foreach n,$(CLOSED),$(call native_objects,$(n))))
$(BUILD)/tests/unit/test_nth_close: private LDLIBS := $(INTERNALS) $(foreach n,$(CLOSED),$(LIBS_$(n)))
