/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_tmpl.c - rendering templates, and reading what they render.
 *
 * The template has the size and the actions of a usual reference: a workload of 1.2 KB with a
 * handful of fields, a condition, a loop and two functions. The larger ones repeat its containers.
 */
#include "bench.h"

#include "text/json.h"
#include "text/yaml.h"
#include "tmpl/tmpl.h"

enum { RENDERS = 2000 }; /* in one round */

static const char head[] =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .metadata.name }}\n"
    "  namespace: frontend\n  labels:\n    app: guestbook\n    tier: frontend\n"
    "    {{- if (.metadata.labels).owner }}\n    owner: {{ .metadata.labels.owner }}\n    {{- end "
    "}}\n"
    "spec:\n  replicas: {{ .spec.replicas }}\n  selector:\n    matchLabels:\n      app: guestbook\n"
    "      tier: frontend\n  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n"
    "      maxSurge: 25%\n      maxUnavailable: 25%\n  template:\n    metadata:\n      labels:\n"
    "        app: guestbook\n        tier: frontend\n    spec:\n"
    "      serviceAccountName: guestbook\n      securityContext:\n        runAsNonRoot: true\n"
    "      terminationGracePeriodSeconds: 30\n      containers:\n";

static const char container[] =
    "      - name: server\n        image: {{ range .spec.containers }}"
    "{{ .image | lower | trimSuffix \".\" }}{{ else }}required{{ end }}\n"
    "        imagePullPolicy: IfNotPresent\n        ports:\n        - containerPort: 8080\n"
    "          name: http\n        env:\n        - name: GET_HOSTS_FROM\n          value: dns\n"
    "        resources:\n          requests:\n            cpu: 100m\n            memory: 100Mi\n"
    "        readinessProbe:\n          httpGet:\n            path: /healthz\n"
    "            port: http\n          periodSeconds: 10\n        volumeMounts:\n"
    "        - name: config\n          mountPath: /etc/guestbook\n          readOnly: true\n";

static const char object[] =
    "{\"metadata\":{\"name\":\"obj-1\",\"labels\":{\"app\":\"guestbook\",\"owner\":\"team-7\"}},"
    "\"spec\":{\"replicas\":3,\"containers\":[{\"image\":\"Registry.Example/guestbook:1.\"}]}}";

struct input {
    struct tmpl_set *set;
    const struct value *data;
    struct arena *arena; /* of one render */
    str output;
    size_t used; /* bytes that one render allocates */
};

static size_t render_round(void *ctx)
{
    struct input *in = ctx;
    struct tmpl_run run = {.data = in->data};
    AUTO_ERR e = {0};

    for (int i = 0; i < RENDERS; i++) {
        struct buf out = buf_new(in->arena, MIB);
        arena_reset(in->arena);
        bench_check(tmpl_execute(in->arena, in->set, STR("t"), &run, &out, &e), &e);
        in->output = buf_str(&out);
    }
    in->used = arena_used(in->arena);
    return 0;
}

static size_t read_round(void *ctx)
{
    struct input *in = ctx;
    struct source src = {.text = in->output};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    for (int i = 0; i < RENDERS; i++) {
        struct value *v;
        arena_reset(a);
        bench_check(yaml_read(a, &src, NULL, &v, &e), &e);
    }
    return 0;
}

static void measure(const char *name, const char *read_name, size_t containers)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA render = arena_new();
    struct buf text = buf_new(a, MIB);
    struct source src = {.text = str_c(object)};
    struct value *data;
    struct input in = {.arena = render};
    AUTO_ERR e = {0};
    struct bench_result r;

    buf_add(&text, str_c(head));
    for (size_t i = 0; i < containers; i++)
        buf_add(&text, str_c(container));
    bench_check(json_read(a, &src, NULL, &data, &e), &e);
    in.data = data;
    in.set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
    bench_check(tmpl_parse(in.set, STR("t"), buf_str(&text), &e), &e);
    render_round(&in);
    r = bench_run(&(struct bench_case){
        .name = name, .bytes = in.output.len * RENDERS, .run = render_round, .ctx = &in});
    printf("    %.2f us and %zu bytes of memory for %zu bytes of text\n",
           1e6 * (double)in.output.len / r.rate, in.used, in.output.len);
    bench_run(&(struct bench_case){
        .name = read_name, .bytes = in.output.len * RENDERS, .run = read_round, .ctx = &in});
}

static void run(void)
{
    measure("template 1 KB", "its output as YAML, 1 KB", 1);
    measure("template 4 KB", "its output as YAML, 4 KB", 6);
    measure("template 16 KB", "its output as YAML, 16 KB", 28);
}

const struct benchmark bench_tmpl = {.name = "tmpl", .help = "rendering templates", .run = run};
