/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.h - files that are part of the program.
 *
 *     EMBED(errors_json, "api/rules/errors.json");       at file scope, once per file
 *     str text = EMBEDDED(errors_json);
 *
 * The path is relative to the project. The bytes are followed by a NUL that does not count. The
 * compiler does not report such a file to make as a dependency, so the Makefile lists it ("Embedded
 * files").
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

#define EMBED(name, path)                                                                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global embed_" #name "\n"                                                            \
            ".balign 16\n"                                                                         \
            "embed_" #name ":\n"                                                                   \
            ".incbin \"" path "\"\n"                                                               \
            ".global embed_end_" #name "\n"                                                        \
            "embed_end_" #name ":\n"                                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char embed_##name[], embed_end_##name[]

#define EMBEDDED(name) str_of(embed_##name, (uintptr_t)embed_end_##name - (uintptr_t)embed_##name)
