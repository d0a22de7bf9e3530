/* SPDX-License-Identifier: Apache-2.0 */
/* credential_wait.c - gets tokens, blocking; see credential_wait.h. */
#include "support/credential_wait.h"

struct news {
    struct lock lock;
    pthread_cond_t changed;
    bool notified;
};

static void on_news(void *ctx)
{
    struct news *n = ctx;
    AUTO_LOCK guard = lock_take(&n->lock);

    n->notified = true;
    pthread_cond_signal(&n->changed);
}

static void wait_for_news(struct news *n)
{
    AUTO_LOCK guard = lock_take(&n->lock);

    while (!n->notified)
        pthread_cond_wait(&n->changed, &n->lock.mutex);
    n->notified = false;
}

static void fetch(struct credential_fetch *f, struct http_client *http)
{
    int64_t wait = 0;
    bool again = true;

    while (again) {
        bool direct;
        struct http_response response;
        AUTO_ERR failure = {0};
        clock_sleep(wait);
        bool ok = http_send(http, credential_fetch_arena(f), credential_fetch_request(f, &direct),
                            &response, &failure);
        again = credential_fetch_answer(f, &response, ok ? NULL : &failure, &wait);
    }
}

bool credential_wait(struct credential *c, struct http_client *http, struct arena *a, str scope,
                     str *token, str *auxiliary, struct err *e)
{
    struct news news = {.lock = LOCK_INIT, .changed = PTHREAD_COND_INITIALIZER};
    struct credential_wish wish = {.listener = {.tell = on_news, .ctx = &news}};

    for (;;)
        switch (credential_try(c, a, scope, &wish)) {
        case CREDENTIAL_READY:
            *token = wish.token;
            if (auxiliary)
                *auxiliary = wish.auxiliary;
            return true;
        case CREDENTIAL_FETCH:
            fetch(wish.fetch, http);
            break;
        case CREDENTIAL_WAIT:
            wait_for_news(&news);
            break;
        case CREDENTIAL_FAILED:
            (void)err_copy(e, &wish.failure);
            err_clear(&wish.failure);
            return false;
        }
}
