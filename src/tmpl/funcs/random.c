/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.c - random texts and identifiers. All randomness is base/clock.h's, so that tests can
 * repeat it.
 */
#include "text/codec.h"
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

/* Characters out of set, each as likely as the others: bytes in the uneven rest are drawn again. */
static void fill(char *out, size_t count, str set)
{
    unsigned even = 256 - 256 % (unsigned)set.len;
    unsigned char block[4096];
    size_t done = 0;

    while (done < count) {
        size_t want = count - done < sizeof(block) / 2 ? 2 * (count - done) : sizeof(block);
        random_bytes(block, want);
        for (size_t i = 0; i < want && done < count; i++)
            if (block[i] < even)
                out[done++] = set.ptr[block[i] % set.len];
    }
}

/* Upstream: a negative count gives nothing. */
static bool random_text(struct tmpl_call *c, str set)
{
    int64_t count = arg_int(c, 0);
    char *out;

    if (count <= 0)
        return return_str(c, STR_NONE);
    if (!call_room(c, (size_t)count) || !call_steps(c, RANDOM_STEPS + (uint64_t)count / 16))
        return false;
    out = arena_alloc_text(c->arena, (size_t)count);
    fill(out, (size_t)count, set);
    return return_str(c, str_of(out, (size_t)count));
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool fn_rand_alpha(struct tmpl_call *c)
{
    return random_text(c, STR(LETTERS));
}

static bool fn_rand_alpha_num(struct tmpl_call *c)
{
    return random_text(c, STR(LETTERS DIGITS));
}

static bool fn_rand_ascii(struct tmpl_call *c)
{
    return random_text(c, STR(" !\"#$%&'()*+,-./" DIGITS ":;<=>?@[\\]^_`{|}~" LETTERS));
}

static bool fn_rand_numeric(struct tmpl_call *c)
{
    return random_text(c, STR(DIGITS));
}

static bool fn_rand_bytes(struct tmpl_call *c)
{
    int64_t count = arg_int(c, 0);
    char *bytes;

    if (count < 0)
        return call_fail(c, "runtime error: makeslice: len out of range");
    if (!call_room(c, (size_t)count) || !call_room(c, (size_t)count * 3) ||
        !call_steps(c, RANDOM_STEPS + (uint64_t)count / 16))
        return false;
    bytes = arena_alloc_text(c->arena, (size_t)count);
    random_bytes(bytes, (size_t)count);
    return return_str(c, base64_encode(c->arena, str_of(bytes, (size_t)count)));
}

static bool fn_uuidv4(struct tmpl_call *c)
{
    unsigned char id[16];
    str hex;

    if (!call_steps(c, RANDOM_STEPS))
        return false;
    random_bytes(id, sizeof(id));
    id[6] = (id[6] & 0x0f) | 0x40;
    id[8] = (id[8] & 0x3f) | 0x80;
    hex = hex_encode(c->arena, id, sizeof(id));
    return return_str(c, str_fmt(c->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex.ptr, hex.ptr + 8,
                                 hex.ptr + 12, hex.ptr + 16, hex.ptr + 20));
}

/* Sorted by name. */
const struct tmpl_func tmpl_random_funcs[] = {
    {"randAlpha", "func(int) string", SPRIG, fn_rand_alpha, "Random letters", "{{ randAlpha 8 }}"},
    {"randAlphaNum", "func(int) string", SPRIG, fn_rand_alpha_num, "Random letters and digits",
     "{{ randAlphaNum 8 }}"},
    {"randAscii", "func(int) string", SPRIG, fn_rand_ascii, "Random printable characters",
     "{{ randAscii 8 }}"},
    {"randBytes", "func(int) (string, error)", SPRIG, fn_rand_bytes, "Random bytes, in base 64",
     "{{ randBytes 16 }}"},
    {"randNumeric", "func(int) string", SPRIG, fn_rand_numeric, "Random digits",
     "{{ randNumeric 8 }}"},
    {"uuidv4", "func() string", SPRIG, fn_uuidv4, "A random UUID", "{{ uuidv4 }}"},
    {0},
};
