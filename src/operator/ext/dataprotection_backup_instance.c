/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataprotection_backup_instance.c - a backup whose protection failed due to a user error.
 *
 * Once the cause is fixed, Azure must be asked to check again with the action "sync", a separate
 * operation. Its token is kept on the object under the reference operator's name, and each pass
 * polls it once. Whether the protection has settled is a gate in the rules of the kind.
 */
#include "operator/ext/ext_all.h"

#include "object/names.h"
#include "object/object.h"

#define API_VERSION STR("2024-04-01")

static bool failed_by_user(const struct value *body)
{
    const struct value *status =
        value_get(value_get(body, STR("properties")), STR("protectionStatus"));
    str code = value_get_str(value_get(status, STR("errorDetails")), STR("code"));
    AUTO_ARENA a = arena_new();

    return str_eq_fold(value_get_str(status, STR("status")), STR("ProtectionError")) &&
           str_find(str_lower(a, code), STR("usererror")) != STR_NPOS;
}

static struct decision with_token(const struct ext_input *in, struct decision next, str token)
{
    next.annotations = value_object(in->arena);
    value_set_str(in->arena, next.annotations, STR(ANNOTATION_SYNC_TOKEN), token);
    return next;
}

static struct decision begin(const struct ext_input *in, struct decision next)
{
    str url = ext_path(in->arena, in->id, STR("sync"), API_VERSION);
    const struct arm_answer *answer = ext_answer(in, 0);
    struct value *body = value_object(in->arena);
    struct lro sync = {0};

    value_set_str(in->arena, body, STR("syncType"), STR("Default"));
    if (!answer)
        return decision_ask("POST", url, body);
    if (answer->http < 200 || answer->http > 299)
        return decision_refused(in, "asking for a sync of the backup", answer);
    lro_begin(in->arena, &sync, STR("POST"), str_concat(in->arena, in->endpoint, url), answer);
    if (sync.next == LRO_POLL)
        return with_token(in, next, lro_token(in->arena, &sync));
    return next;
}

static struct decision follow(const struct ext_input *in, struct decision next, str token)
{
    const struct arm_answer *answer = ext_answer(in, 0);
    struct lro sync;

    if (!lro_resume(in->arena, token, STR("POST"), in->endpoint, &sync, NULL))
        return with_token(in, next, STR_NONE);
    if (!answer)
        return decision_ask("GET", sync.poll_url, NULL);
    lro_step(in->arena, &sync, answer);
    if (sync.next != LRO_POLL)
        return with_token(in, next, STR_NONE);
    next.retry = sync.wait;
    return next;
}

static struct decision sync_backup(const struct ext_input *in, struct decision next)
{
    str token = object_annotation(in->object, STR(ANNOTATION_SYNC_TOKEN));

    if (token.len)
        return follow(in, next, token);
    return failed_by_user(in->body) ? begin(in, next) : next;
}

const struct azure_ext ext_dataprotection_backup_instance = {
    .kind = "dataprotection.azure.com/BackupVaultsBackupInstance",
    .post_check = sync_backup,
};
