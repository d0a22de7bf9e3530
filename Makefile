# SPDX-License-Identifier: Apache-2.0
#
# The only build file. Objects go to build/<variant>/; BUILD picks the variant:
#
#   make BUILD=release|clang|debug|asan|tsan|cover|fuzz
#
# CROSS=aarch64-linux-gnu- compiles for another machine, with the compiler of that prefix.
#
# make help lists the targets.

BUILD ?= release
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)
B := build/$(BUILD)
GEN := build/gen

# ---- Compilers and flags --------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
        -Wimplicit-fallthrough
ifneq ($(CI),)
WARN += -Werror
endif
STD := -std=gnu17 -D_GNU_SOURCE -DPLUMB_VERSION='"$(VERSION)"' -Isrc -I$(GEN)
# -fzero-call-used-regs is left out: it costs 6 % of a comparison, where these two cost 1 %.
HARDEN := -fstack-protector-strong -fstack-clash-protection -fPIE
# All functions of libraries are bound at the start: their calls need no jump by way of a table.
HARDEN += -fno-plt
LINK_HARDEN := -pie -Wl,-z,relro,-z,now
ifeq ($(or $(CROSS),$(shell uname -m)),x86_64)
HARDEN += -fcf-protection
# The 7,000 pointers that depend on where the program is loaded: bits instead of 24 bytes each.
LINK_HARDEN += -Wl,-z,pack-relative-relocs
endif
LIBS := -lcrypto -lcrypt -lz -lm -lpthread

CC_release := $(CROSS)gcc
AR := $(CROSS)ar
# Columns and views of locations are a tenth of what debuggers read, and gdb shows neither.
CFLAGS_release := -O2 -g -gno-column-info -gno-variable-location-views -D_FORTIFY_SOURCE=3 $(HARDEN)
LDFLAGS_release := $(LINK_HARDEN)

CC_debug := gcc
CFLAGS_debug := -O0 -g3
LDFLAGS_debug :=

# Places are enough for what sanitizers report, and quicker to compile; debug is for debuggers.
SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover=all
CC_asan := gcc
CFLAGS_asan := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE_asan)
LDFLAGS_asan := $(SANITIZE_asan)

CC_tsan := gcc
CFLAGS_tsan := -O1 -g1 -fsanitize=thread
LDFLAGS_tsan := -fsanitize=thread

CC_cover := gcc
CFLAGS_cover := -O0 -g --coverage
LDFLAGS_cover := --coverage

SANITIZE_fuzz := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
CC_fuzz := clang
CFLAGS_fuzz := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE_fuzz)
LDFLAGS_fuzz := -fsanitize=fuzzer,address,undefined

CC_clang := clang
CFLAGS_clang := $(filter-out -gno-variable-location-views,$(CFLAGS_release))
LDFLAGS_clang := $(LINK_HARDEN)

CC := $(CC_$(BUILD))
ifeq ($(CC),)
$(error BUILD=$(BUILD) is not one of release, clang, debug, asan, tsan, cover, fuzz)
endif
CFLAGS := $(STD) $(WARN) $(CFLAGS_$(BUILD))
LDFLAGS := $(LDFLAGS_$(BUILD))
# The folder that the compiler believes to be in: what it makes has the same bytes in whatever folder.
HERE := PWD=/proc/self/cwd

# ---- Sources ---------------------------------------------------------------------------------

SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
LIBRARY := $(filter-out src/cli/main.c,$(SOURCES))
UNITS := $(sort $(wildcard tests/unit/*/test_*.c))
SUPPORT := $(sort $(wildcard tests/support/*.c))
VECTORS := $(sort $(wildcard tests/vectors/*.c))
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
WORLDS := $(sort $(wildcard tests/world/*.c))
BENCHES := $(sort $(wildcard tests/bench/*.c))
HEADERS := $(sort $(wildcard src/*/*.h src/*/*/*.h tests/*/*.h))
GENERATED := $(GEN)/unicode_tables.h $(GEN)/report_hashes.h

# A line per file; V=1 shows the commands.
say = $(if $(V),,@echo "$(1) $@" && )
object = $(patsubst %.c,$(B)/obj/%.o,$(1))
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNITS))
FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZERS))

.PHONY: all help deps demo test quick soak check bench fuzz install uninstall static deb image krew sbom test-packages dist clean format golden-accept units \
        programs fuzzers vectors plumb world lengths cover
.DELETE_ON_ERROR:

all: plumb

help:
	@sed -n 's/^#> //p' Makefile

#> make              build build/release/plumb; V=1 shows the commands
#> make demo         install what is missing, build, show the main jobs on bundled examples
#> make test         install what the tests need, build, run everything; ends with a count
#> make quick        release build, unit tests, vectors, golden cases, short worlds: under three minutes
#> make soak         the long runs: simulated days, budgets by seed, a million requests
#> make check        format, layers, banned and unused functions, clang-tidy, cppcheck
#> make bench        measure; prints a table and appends to build/bench.jsonl
#> make fuzz         every fuzz target for FUZZ_SECONDS (300) each
#> make cover        line coverage of the unit, vector and golden tests
#> make install      into $(DESTDIR)$(PREFIX); make uninstall removes it again
#> make static       build/release/plumb-static, which needs no shared library but libc
#> make deb          a Debian package; make image, krew, sbom: an OCI image, a plugin of kubectl, what is inside
#> make test-packages builds, installs, runs and removes them
#> make dist         a source archive in build/
#> make format       let clang-format lay out all sources
#> make lengths      how long the functions are
#> make golden-accept  rewrite the expected outputs of the golden cases, for review
#> make deps         install missing Debian packages

deps:
	@tools/install-deps build test

plumb: $(B)/plumb
units: $(UNIT_PROGRAMS)
vectors: $(B)/vectors
fuzzers: $(FUZZ_PROGRAMS)
programs: plumb units vectors world
world: $(B)/world

# What debuggers read is two thirds of the file, and compresses to half.
$(B)/plumb: $(call object,src/cli/main.c) $(B)/libplumb.a
	$(call say,LD)$(CC) $(LDFLAGS) -Wl,--compress-debug-sections=zlib -o $@ $^ $(LIBS)

$(B)/libplumb.a: $(call object,$(LIBRARY))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# With as few shared libraries as Debian's static archives allow: docs/install.md says why not fewer.
static:
	@tools/install-deps build static
	@$(MAKE) --no-print-directory $(B)/plumb-static
STATIC_LIBS := -Wl,--exclude-libs,ALL -Wl,-Bstatic -larchive -lnettle -llzma -lzstd -llz4 -lbz2 -lacl -lcrypto -lcrypt \
               -lsqlite3 -lz -Wl,-Bdynamic -lm -lpthread
# Libraries that are loaded late are linked in.
STATIC_OBJECTS := $(B)/obj/static/archive.o $(B)/obj/static/db.o
$(B)/plumb-static: $(call object,src/cli/main.c) $(STATIC_OBJECTS) $(B)/libplumb.a
	$(call say,LD)$(CC) $(LDFLAGS) -static-libgcc -o $@ $^ $(STATIC_LIBS)

$(STATIC_OBJECTS): $(B)/obj/static/%.o: src/%/library.c src/%/library.h Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(HERE) $(CC) $(CFLAGS) -DPLUMB_STATIC -c -o $@ $<

# Servers and certificates for tests, and a file system for SQLite that fails.
TEST_LIBS := -lsqlite3 $(LIBS)
$(B)/libsupport.a: $(call object,$(SUPPORT))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

$(call object,$(SUPPORT) $(UNITS) $(VECTORS) $(WORLDS) $(BENCHES)): CFLAGS += -Itests

$(UNIT_PROGRAMS): $(B)/unit/%: $(B)/obj/tests/unit/%.o $(B)/libsupport.a $(B)/libplumb.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka -lssl $(TEST_LIBS)

# Tests that start the program itself.
$(B)/unit/cli/test_live_faults $(B)/unit/cli/test_original_live: | $(B)/plumb

# Programs that need a real control plane: see tests/kube.
$(B)/kube/%: $(B)/obj/tests/kube/%.o $(B)/libsupport.a $(B)/libplumb.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka -lssl $(TEST_LIBS)

$(B)/vectors: $(call object,$(VECTORS)) $(B)/libsupport.a $(B)/libplumb.a
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS)

# Seeded simulations: build/release/world [--seed N | --seeds A-B] [SCENARIO...]
$(B)/world: $(call object,$(WORLDS)) $(B)/libsupport.a $(B)/libplumb.a
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ $(TEST_LIBS)

$(FUZZ_PROGRAMS): $(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/libplumb.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/fuzz/fuzz_yaml_libyaml: LIBS += -lyaml

$(B)/bench: $(call object,$(BENCHES)) $(B)/libsupport.a $(B)/libplumb.a
	$(call say,LD)$(CC) $(LDFLAGS) -o $@ $^ -ljansson -lyaml -lcurl -lssl $(TEST_LIBS)

# Where most of a comparison is spent: worth three percent of its instructions. Loops run for a round
# or two, over few arguments or members: preparing for more of them costs more than it saves.
HOT_release := -O3 -fno-tree-vectorize -fno-move-loop-invariants
HOT := $(wildcard src/base/*.c src/value/*.c src/tmpl/*.c) src/text/yaml/fast.c
$(call object,$(HOT)): CFLAGS += $(HOT_$(BUILD))

$(B)/obj/%.o: %.c Makefile VERSION | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)$(HERE) $(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Embedded files (base/embed.h): the compiler does not report these.
REPORT_CSS := src/report/html/report.css
REPORT_JS := src/report/html/report.js
$(call object,src/arm/rules/read.c): api/rules/errors.json
$(call object,src/operator/detect/lines.c): api/rules/detect.json
$(call object,src/arm/rules/kind_set.c): $(GEN)/kind.rules
$(call object,src/azure/model/data.c): $(GEN)/model.pack
$(call object,src/report/html_page.c): $(REPORT_CSS) $(REPORT_JS)
$(call object,src/cli/cmd/manifests.c): src/cli/cmd/manifests.yaml
$(call object,src/cli/cmd/schema.c): $(wildcard docs/schema/*.json)
$(call object,src/sim/types.c): $(GEN)/sim.types

# How the simulated types behave: the files one behind the other, each after a line with its name.
SIM_TYPES := $(sort $(wildcard api/sim/*.json))
$(GEN)/sim.types: $(SIM_TYPES) $(wildcard api/sim)
	@mkdir -p $(@D)
	awk 'FNR == 1 { print "\f" FILENAME } { print }' $(SIM_TYPES) > $@

# The rules of kinds, in the same form.
KIND_RULES := $(sort $(wildcard api/rules/*.*.json))
$(GEN)/kind.rules: $(KIND_RULES) $(wildcard api/rules)
	@mkdir -p $(@D)
	awk 'FNR == 1 { print "\f" FILENAME } { print }' $(KIND_RULES) > $@

# Unicode tables are generated from the Debian package unicode-data, never kept here.
$(GEN)/unicode_tables.h: $(GEN)/gen-unicode
	$< /usr/share/unicode > $@

$(GEN)/gen-unicode: tools/gen-unicode.c
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -Wextra -o $@ $<

# The model files, packed into the program; MODEL=FOLDER takes them from elsewhere.
MODEL ?= api/model
$(GEN)/model.pack: $(GEN)/gen-model $(wildcard $(MODEL)/*/*.json) $(wildcard $(MODEL) $(MODEL)/*)
	$< $(MODEL) > $@

$(GEN)/gen-model: tools/gen-model.c
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -Wextra -o $@ $< -lz

# The hashes by which the policy of the HTML report allows its look and its script.
sha256_of = $$(sha256sum <$(1) | cut -c 1-64 | tr a-f A-F | basenc -d --base16 | base64)
# Only when it says something else than before; only main.c sees it, so that no test is linked again.
$(call object,src/cli/main.c): $(GEN)/build_info.h
$(GEN)/build_info.h: FORCE
	@mkdir -p $(@D)
	@tools/build-info >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:

$(GEN)/report_hashes.h: $(REPORT_CSS) $(REPORT_JS)
	@mkdir -p $(@D)
	printf '#define REPORT_%s_HASH "sha256-%s"\n' CSS $(call sha256_of,$(REPORT_CSS)) \
	    JS $(call sha256_of,$(REPORT_JS)) > $@

-include $(patsubst %.o,%.d,$(call object,$(SOURCES) $(UNITS) $(SUPPORT) $(WORLDS) $(VECTORS) $(FUZZERS) $(BENCHES)))

# ---- Jobs ------------------------------------------------------------------------------------

demo:
	@tools/install-deps build demo
	@$(MAKE) --no-print-directory plumb
	@PATH="$(CURDIR)/$(B):$$PATH" tools/demo

test:
	@tools/install-deps build test
	@tools/run-tests

quick:
	@tools/install-deps build test
	@tools/run-tests quick

soak:
	@tools/install-deps build test bench
	@$(MAKE) --no-print-directory $(B)/bench $(B)/world units
	@tools/run-soak $(B)

check:
	@$(MAKE) --no-print-directory $(GENERATED)
	@tools/check

bench:
	@tools/install-deps build bench
	@$(MAKE) --no-print-directory $(B)/bench $(B)/plumb
	@$(B)/bench

FUZZ_SECONDS ?= 300
fuzz:
	@tools/install-deps build test
	@tools/run-fuzz $(FUZZ_SECONDS)

cover:
	@tools/install-deps build test
	@tools/run-cover

golden-accept: plumb
	@tests/golden/run --accept $(B)

format:
	clang-format -i $(SOURCES) $(HEADERS) $(UNITS) $(SUPPORT) $(WORLDS) $(VECTORS) $(FUZZERS) $(BENCHES) tools/*.c

lengths:
	@tools/function-lengths $(SOURCES)

install: plumb
	@tools/install-files "$(B)" "$(DESTDIR)" "$(PREFIX)"

uninstall: plumb
	@REMOVE=1 tools/install-files "$(B)" "$(DESTDIR)" "$(PREFIX)"

deb image krew sbom: plumb
	@tools/make-package $@ "$(B)"

test-packages: plumb
	@tools/install-deps packages
	@tools/test-packages "$(B)"

dist:
	@mkdir -p build
	git archive --prefix=plumb-$(VERSION)/ -o build/plumb-$(VERSION).tar.gz HEAD
	@echo build/plumb-$(VERSION).tar.gz

clean:
	rm -rf build
