/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind.h - the rules of one kind: its special cases, as data.
 *
 * A file api/rules/<group>.<Kind>.json is about one kind in all its API versions. Every member but
 * the first two is optional, and a kind without a file behaves as one with an empty file:
 *
 *     {"rules": "kind", "kind": "cache.azure.com/Redis",
 *      "errors":  [{"id": "redis-conflict", "match": {"code": ["Conflict"]},
 *                   "class": "retryable"}],
 *      "owner":   [gates on the owner's body, before a PUT],
 *      "send":    [gates on the resource's own body, before a PUT],
 *      "ready":   [gates on the resource's own body, after a PUT or an observation],
 *      "merge":   [{"at": "properties.subnets", "by": "name"}],
 *      "values":  [{"at": "properties.createMode", "send": {"createOrRecover": "default"}}],
 *      "trim":    [{"at": "properties.ipConfigurations", "max": 2000}],
 *      "naming":  {"equals": "properties.username"},
 *      "delete":  {"query": {"deleteSubscriptions": "true"}},
 *      "secrets": {"calls": {"keys": {"action": "listKeys", "apiVersion": "2021-06-01"}},
 *                  "values": {"primaryKey": {"call": "keys", "at": "primaryKey"}}}}
 *
 * Error rules are those of rules.h; they come after all stages of errors.json and change only what
 * they name. docs/rules.md has the whole schema. Places are dotted paths in an ARM body
 * (value/path.h).
 *
 * Sets of rules never change once loaded and may be used from any thread.
 */
#pragma once

#include "arm/rules/rules.h"
#include "value/path.h"

/* A state that must be reached. A value that is absent, null or empty passes unless required. */
struct kind_gate {
    struct path each; /* a list whose elements are checked one by one; empty: the body itself */
    struct path at;
    struct str_list in, not_in; /* values that pass, or that do not; one of the two is empty */
    bool ignore_case, required;
    str otherwise; /* the message; %s is the value */
};

/* A POST that reads something that GET does not return. */
struct kind_call {
    str name;
    str action;      /* below the id: "listKeys" */
    str api_version; /* empty: the resource's */
    bool pages;      /* the response may have a nextLink */
};

/* Where one exported secret comes from. */
struct kind_secret {
    str name;                     /* the member of operatorSpec.secrets */
    const struct kind_call *call; /* NULL: the resource's body */
    struct path list;             /* a list, whose element that matches where is meant; or empty */
    const struct value *where;    /* members of that element; null matches absent or empty */
    struct path at;
    bool subscription; /* use the subscription of the id instead */
    bool base64;       /* the value is in base64, on top of the encoding of Secrets */
    bool optional;     /* left out if absent; otherwise, absent or empty is an error */
};

/* A list whose elements may belong to others. */
struct kind_merge {
    struct path at;
    str by; /* the member that identifies an element */
};

/* Values that ARM does not know, and what to send instead. */
struct kind_value {
    struct path at;
    const struct value *send; /* maps texts to texts */
};

/* A list that is left out of the status when it is longer than max. */
struct kind_trim {
    struct path at;
    size_t max;
};

/* The name required in Azure, case-insensitively. */
struct kind_naming {
    struct path equals; /* a text in the payload; or empty */
    str is;             /* or this text; empty: no such rule */
    struct path when;   /* the rule applies only if the payload has when_is here; or empty */
    str when_is;
};

struct kind_delete {
    const struct value *query; /* parameters of the DELETE, by name; NULL: none */
};

struct kind_gates {
    struct kind_gate *items;
    size_t len, cap;
};

struct kind_rules {
    str group, kind;           /* cache.azure.com, Redis */
    struct rule_stage *errors; /* NULL: none */
    struct kind_gates owner, send, ready;
    VEC(struct kind_call) calls;
    VEC(struct kind_secret) secrets;
    VEC(struct kind_merge) merges;
    VEC(struct kind_value) values;
    VEC(struct kind_trim) trims;
    struct kind_naming naming;
    struct kind_delete delete;
    const struct value *node; /* the file */
};

struct kind_set;

/* The built-in rules. */
const struct kind_set *kind_set_built_in(void);
/*
 * The built-in rules overlaid with the user's files: if a kind has both, the user's error rules
 * come first, and any other member replaces the built-in one. Sources must live as long as a.
 */
MUST_CHECK bool kind_set_overlay(struct arena *a, const struct source *const *files, size_t count,
                                 struct kind_set **out, struct err *e);
/* The same for the files *.json of a folder; one with general error rules is an error. */
MUST_CHECK bool kind_set_open(struct arena *a, str folder, struct kind_set **out, struct err *e);
/* The same for the keys *.json of a ConfigMap, which is named in errors. */
MUST_CHECK bool kind_set_from_config_map(struct arena *a, str name, const struct value *config_map,
                                         struct kind_set **out, struct err *e);

/*
 * The rules of a kind; NULL: none. The API version does not matter, so that a new version keeps
 * them. The group may lack its ".azure.com". set may be NULL: the built-in one.
 */
const struct kind_rules *kind_rules_find(const struct kind_set *set, str group, str kind);
/* All of a set, sorted by group and kind. */
size_t kind_set_len(const struct kind_set *set);
const struct kind_rules *kind_set_at(const struct kind_set *set, size_t i);

/* Whether text is in a list of a rule; fold: case-insensitive. */
bool kind_lists(const struct str_list *list, str text, bool fold);
/* Reads and checks one file; errors say where. Lives as long as a, as must src. */
MUST_CHECK bool kind_rules_read(struct arena *a, const struct source *src, struct kind_rules **out,
                                struct err *e);
