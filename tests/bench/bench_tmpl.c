/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_tmpl.c - rendering templates, and reading what they give as YAML.
 *
 * One template like that of a Deployment, of 1.2 KB of output, and ten of the size that real
 * references have, over objects of 1 to 20 KB. A row's bytes are those of the output, so that
 * "MB/s" is comparable; the times per render and the memory are printed below the rows.
 */
#include "bench.h"

#include "text/yaml/yaml.h"
#include "tmpl/tmpl.h"

static const char deployment[] =
    "apiVersion: apps/v1\n"
    "kind: Deployment\n"
    "metadata:\n"
    "  name: {{ .metadata.name }}\n"
    "  namespace: {{ .metadata.namespace }}\n"
    "  labels:\n"
    "    app: guestbook\n"
    "    tier: {{ .metadata.labels.tier }}\n"
    "spec:\n"
    "  replicas: {{ .spec.replicas }}\n"
    "  revisionHistoryLimit: 10\n"
    "  selector:\n"
    "    matchLabels:\n"
    "      app: guestbook\n"
    "      tier: {{ .metadata.labels.tier }}\n"
    "  template:\n"
    "    metadata:\n"
    "      labels:\n"
    "        app: guestbook\n"
    "        tier: {{ .metadata.labels.tier }}\n"
    "    spec:\n"
    "      containers:\n"
    "      {{- range .spec.template.spec.containers }}\n"
    "      - name: {{ .name }}\n"
    "        image: {{ .image }}\n"
    "        imagePullPolicy: IfNotPresent\n"
    "        args: [\"--port=8080\", \"--log=info\", \"--max-connections=512\"]\n"
    "        ports:\n"
    "        - containerPort: {{ .port }}\n"
    "          protocol: TCP\n"
    "        env:\n"
    "        - name: GET_HOSTS_FROM\n"
    "          value: dns\n"
    "        {{- if .region }}\n"
    "        - name: REGION\n"
    "          value: {{ .region | quote }}\n"
    "        {{- end }}\n"
    "        resources:\n"
    "          requests:\n"
    "            cpu: 100m\n"
    "            memory: 100Mi\n"
    "          limits:\n"
    "            memory: {{ .memory | default \"200Mi\" }}\n"
    "        livenessProbe:\n"
    "          httpGet:\n"
    "            path: /healthz\n"
    "            port: {{ .port }}\n"
    "          periodSeconds: 10\n"
    "      {{- end }}\n"
    "      nodeSelector:\n"
    "        node-role.kubernetes.io/worker: \"\"\n"
    "      tolerations:\n"
    "      - key: node-role.kubernetes.io/infra\n"
    "        operator: Exists\n"
    "        effect: NoSchedule\n"
    "      terminationGracePeriodSeconds: 30\n"
    "      serviceAccountName: {{ .metadata.name }}-account\n";

/* An object of about so many bytes: the rest is annotations. */
static str object_text(struct arena *a, size_t bytes)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
                    "  namespace: prod\n  labels: {app: guestbook, tier: frontend}\n"
                    "  annotations:\n"));
    for (size_t i = 0; b.len + 500 < bytes; i++)
        buf_fmt(&b, "    example.com/note-%zu: \"some text that explains entry %zu\"\n", i, i);
    buf_add(&b, STR("    last: \"true\"\n"
                    "spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n"
                    "      - {name: server, image: \"registry.example.com/app:1.2.3\", port: 8080,"
                    " region: eu, memory: 256Mi}\n"));
    return buf_str(&b);
}

/* Templates of the size of real references: loops over maps, conditions, conversions. */
static str reference_text(struct arena *a, size_t parts)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .metadata.name }}\n"
                    "  annotations:\n"
                    "  {{- range $k, $v := .metadata.annotations }}\n"
                    "    {{ $k }}: {{ $v | quote }}\n"
                    "  {{- end }}\ndata:\n"));
    for (size_t i = 0; i < parts; i++)
        buf_fmt(&b,
                "  key-%zu: {{ .metadata.labels.tier | upper }}\n"
                "  {{- if and .spec (gt (int .spec.replicas) %zu) }}\n"
                "  many-%zu: {{ printf \"%%s-%%d\" .metadata.name (int .spec.replicas) }}\n"
                "  {{- else }}\n"
                "  few-%zu: {{ index .metadata.labels \"app\" | trimPrefix \"guest\" }}\n"
                "  {{- end }}\n",
                i, i % 5, i, i);
    buf_add(&b, STR("  containers: |\n{{ toYaml .spec.template.spec.containers | indent 4 }}\n"));
    return buf_str(&b);
}

struct work {
    struct arena *arena; /* of the set and the data */
    struct arena *run;   /* emptied after each render */
    struct tmpl_set *set;
    struct value *data;
    str output;
    size_t rounds, used;
};

static void render_once(struct work *w)
{
    struct tmpl_run run = {.data = w->data};
    struct buf out = buf_new(w->run, TMPL_OUTPUT_MAX);
    AUTO_ERR e = {0};

    bench_check(tmpl_execute(w->run, w->set, STR("t"), &run, &out, &e), &e);
    w->used = arena_used(w->run);
    w->output = buf_str(&out);
}

static size_t render_round(void *ctx)
{
    struct work *w = ctx;

    for (size_t i = 0; i < w->rounds; i++) {
        arena_reset(w->run);
        render_once(w);
    }
    return w->used * w->rounds;
}

static size_t parse_round(void *ctx)
{
    struct work *w = ctx;
    size_t used = 0;

    for (size_t i = 0; i < w->rounds; i++) {
        AUTO_ARENA a = arena_new();
        const struct source src = {.text = w->output};
        struct value *v;
        AUTO_ERR e = {0};
        bench_check(yaml_read(a, &src, NULL, &v, &e), &e);
        used = arena_used(a);
    }
    return used * w->rounds;
}

static struct work work_of(str text, str object)
{
    struct work w = {.arena = arena_new(), .run = arena_new(), .rounds = 2000};
    struct source *src = ARENA_NEW(w.arena, struct source);
    AUTO_ERR e = {0};

    src->text = str_copy(w.arena, object);
    bench_check(yaml_read(w.arena, src, NULL, &w.data, &e), &e);
    w.set = tmpl_new(w.arena, &(struct tmpl_options){.profile = TMPL_KC});
    bench_check(tmpl_parse(w.set, STR("t"), text, &e), &e);
    render_once(&w);
    return w;
}

static struct work work_new(str text, size_t object_bytes)
{
    AUTO_ARENA a = arena_new();

    return work_of(text, object_text(a, object_bytes));
}

/* One row for rendering and one for reading the output, with the time of each. */
static void measure(struct work *w, const char *name)
{
    struct arena *keep = arena_new();
    struct bench_result r;
    str output = str_copy(keep, w->output);
    size_t used = w->used;

    r = bench_run(&(struct bench_case){
        .name = name, .bytes = output.len * w->rounds, .run = render_round, .ctx = w});
    printf("    %zu bytes of output, %.2f us and %zu bytes allocated per render\n", output.len,
           1e6 * (double)output.len / r.rate, used);
    w->output = output;
    r = bench_run(&(struct bench_case){.name = "  its output as yaml",
                                       .bytes = output.len * w->rounds,
                                       .run = parse_round,
                                       .ctx = w});
    printf("    %.2f us per document\n", 1e6 * (double)output.len / r.rate);
    arena_free(keep);
    arena_free(w->run);
    arena_free(w->arena);
}

/* The templates that compare-gen.py writes, each with the first object that fits it. */
static void measure_generated(struct arena *a)
{
    static const char *const kinds[] = {
        "deployment",          "service",      "configmap", "namespace",   "daemonset",
        "statefulset",         "cronjob",      "role",      "rolebinding", "networkpolicy",
        "poddisruptionbudget", "machineconfig"};
    str folder = bench_folder(a), text, object;
    AUTO_ERR e = {0};

    for (size_t i = 0; bench_generate(a, folder, COUNT(kinds)) && i < COUNT(kinds); i++) {
        str t = str_fmt(a, "%.*s/reference/%s-frontend.yaml", STR_ARG(folder), kinds[i]);
        str o = str_fmt(a, "%.*s/resources/0000/%06zu.yaml", STR_ARG(folder), i);
        bench_check(file_read(a, t, &text, &e) && file_read(a, o, &object, &e), &e);
        struct work w = work_of(text, object);
        measure(&w, str_z(a, str_fmt(a, "render %s", kinds[i])));
    }
    bench_folder_remove(a, folder);
}

static void run_tmpl(void)
{
    AUTO_ARENA names = arena_new();
    struct work w = work_new(str_c(deployment), 1 * KIB);

    measure(&w, "render own deployment");
    measure_generated(names);
    for (size_t i = 1; i <= 10; i++) {
        AUTO_ARENA a = arena_new();
        str name = str_fmt(a, "render reference %zu", i);
        w = work_new(reference_text(a, 4 * i), 2 * i * KIB);
        measure(&w, str_z(a, name));
    }
}

const struct benchmark bench_tmpl = {
    .name = "tmpl",
    .help = "rendering templates, and reading what they give as YAML",
    .run = run_tmpl,
};
