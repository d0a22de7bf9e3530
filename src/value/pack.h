/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - a compact serialization of trees.
 *
 * For keeping very many trees that are rarely read. A node takes 32 bytes plus its text. Packed, it
 * takes two or three bytes plus its text, and its key one or two bytes, because trees of one kind
 * use the same keys over and over: these go into a dictionary that all packed trees share.
 *
 *     struct pack_words *words = pack_words_new();
 *     value_pack(words, tree, &buf);              bytes, to be kept anywhere
 *     tree = value_unpack(a, words, bytes);       later, and from any thread
 *
 * Packing and unpacking keep everything but positions and tags. Words are never dropped and there
 * are at most PACK_WORDS_MAX; further keys are written in full. Any thread.
 */
#pragma once

#include "value/value.h"

struct pack_words;

#define PACK_WORDS_MAX 65536
/* Longer keys are written in full each time. */
#define PACK_WORD_LEN_MAX 128

struct pack_words *pack_words_new(void);
void pack_words_free(struct pack_words *w);
/* How many words there are, and how much memory they take. */
size_t pack_words_count(const struct pack_words *w);
size_t pack_words_bytes(const struct pack_words *w);

/* Appends v. */
void value_pack(struct pack_words *w, const struct value *v, struct buf *out);
/*
 * The tree again; it lives as long as a and the words, and shares nothing with bytes. NULL when the
 * bytes are not those of a tree packed with these words.
 */
struct value *value_unpack(struct arena *a, const struct pack_words *w, str bytes);
