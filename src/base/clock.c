/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - time and randomness, replaceable in tests; see clock.h. */
#include "base/clock.h"
#include "base/arena.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <unistd.h>

static atomic_bool clock_is_fake;
static atomic_bool driven;
static _Atomic int64_t fake_now, fake_skew;
static atomic_bool wire_is_fake;
static _Atomic int64_t wire_now;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static atomic_bool random_is_fake = true; /* the same run each time: tools/run-fuzz --brief */
#else
static atomic_bool random_is_fake;
#endif
static _Atomic uint64_t fake_state;

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

int64_t clock_now(void)
{
    return clock_is_fake ? fake_now + fake_skew : read_clock(CLOCK_REALTIME);
}

int64_t clock_mono(void)
{
    return clock_is_fake ? fake_now : read_clock(CLOCK_MONOTONIC);
}

/* Only the driver may let time pass. */
static void expect_no_driver(void)
{
    assert(!driven && "a wait in driven mode");
}

int64_t clock_wire(void)
{
    if (driven)
        return fake_now;
    return wire_is_fake ? wire_now : read_clock(CLOCK_MONOTONIC);
}

void clock_wire_fake(void)
{
    wire_now = read_clock(CLOCK_MONOTONIC);
    wire_is_fake = true;
}

void clock_wire_advance(int64_t ns)
{
    atomic_fetch_add(&wire_now, ns);
}

int clock_wire_poll(int ms)
{
    return wire_is_fake ? 1 : ms;
}

void clock_wire_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t ns)
{
    const int64_t until = read_clock(CLOCK_MONOTONIC) + ns;
    const struct timespec t = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};

    expect_no_driver();
    pthread_cond_clockwait(c, m, CLOCK_MONOTONIC, &t);
}

void clock_cond_init(pthread_cond_t *c)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}

void clock_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t until)
{
    const struct timespec at = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};
    int64_t now = fake_now;

    expect_no_driver();
    if (!clock_is_fake) {
        pthread_cond_timedwait(c, m, &at);
        return;
    }
    while (now < until && !atomic_compare_exchange_weak(&fake_now, &now, until))
        continue;
}

int64_t clock_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_sleep(int64_t ns)
{
    if (ns <= 0)
        return;
    expect_no_driver();
    if (clock_is_fake) {
        clock_advance(ns);
        return;
    }
    struct timespec t = {.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC};
    while (nanosleep(&t, &t) && errno == EINTR)
        continue;
}

void clock_fake(int64_t now)
{
    fake_now = now;
    clock_is_fake = true;
}

void clock_advance(int64_t ns)
{
    atomic_fetch_add(&fake_now, ns);
}

void clock_skew(int64_t ns)
{
    fake_skew = ns;
}

void clock_drive(int64_t now)
{
    clock_fake(now);
    driven = true;
}

bool clock_is_driven(void)
{
    return driven;
}

void clock_real(void)
{
    driven = false;
    clock_is_fake = false;
    wire_is_fake = false;
    fake_skew = 0;
}

/* SplitMix64: one addition and a scramble per number, good enough for a fixed sequence. */
static uint64_t fake_u64(void)
{
    uint64_t z = atomic_fetch_add(&fake_state, UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void fake_bytes(char *out, size_t len)
{
    while (len) {
        uint64_t word = fake_u64();
        size_t n = len < sizeof(word) ? len : sizeof(word);
        memcpy(out, &word, n);
        out += n;
        len -= n;
    }
}

void random_bytes(void *out, size_t len)
{
    char *at = out;

    if (random_is_fake) {
        fake_bytes(at, len);
        return;
    }
    while (len) {
        ssize_t n = getrandom(at, len, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            /* Without randomness every key would be guessable: there is no sensible way on. */
            fputs("plumb: the system gives no random numbers\n", stderr);
            _exit(FATAL_STATUS);
        }
        at += n;
        len -= (size_t)n;
    }
}

uint64_t random_u64(void)
{
    uint64_t n;

    random_bytes(&n, sizeof(n));
    return n;
}

/* Draws again in the uneven rest of the range, so that every result is equally likely. */
uint64_t random_below(uint64_t bound)
{
    uint64_t uneven = (0 - bound) % bound, n;

    do
        n = random_u64();
    while (n < uneven);
    return n % bound;
}

void random_fake(uint64_t seed)
{
    fake_state = seed;
    random_is_fake = true;
}

void random_real(void)
{
    random_is_fake = false;
}

void clock_stamp(int64_t now, char out[CLOCK_STAMP])
{
    int64_t ns = now % NS_PER_SEC;
    time_t seconds = (time_t)(now / NS_PER_SEC - (ns < 0));
    struct tm tm;

    if (ns < 0)
        ns += NS_PER_SEC;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(out, CLOCK_STAMP, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, CLOCK_STAMP - n, ".%03dZ", (int)(ns / NS_PER_MS) % 1000);
}
