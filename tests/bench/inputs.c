/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - texts to measure with; see bench.h.
 *
 * A pod is made from a template in which a dollar and a letter stand for something that differs
 * from pod to pod; the same numbers come in each run. The list is then written in JSON, or in YAML
 * as a cluster's client shows it: block style, plain scalars where they can be, literal blocks for
 * texts of several lines.
 */
#include "bench.h"

#include "text/json/json.h"

/*
 * $n number of the pod, $h five letters or digits, $u an identifier, $x a digest, $i an address,
 * $r a large number, $t a time of day
 */
static const char pod_template[] =
    "{'metadata':{'name':'web-$h-$n','generateName':'web-7f9c6d5b8-','namespace':'team-$n',"
    "'uid':'$u','resourceVersion':'$r','creationTimestamp':'2026-03-05T$tZ',"
    "'labels':{'app.kubernetes.io/name':'web','app.kubernetes.io/instance':'web-$n',"
    "'app.kubernetes.io/part-of':'shop','pod-template-hash':'7f9c6d5b8','tier':'frontend'},"
    "'annotations':{'checksum/config':'$x','prometheus.io/scrape':'true','prometheus.io/"
    "port':'9113',"
    "'k8s.v1.cni.cncf.io/network-status':'[{\\n    \\\"name\\\": \\\"cluster-net\\\",\\n    "
    "\\\"interface\\\": \\\"eth0\\\",\\n    \\\"ips\\\": [\\n        \\\"$i\\\"\\n    ],\\n    "
    "\\\"default\\\": true\\n}]',"
    "'example.com/description':'Serves the front page, the catalogue and the search for all "
    "regions; "
    "see the runbook before restarting by hand.'},"
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-7f9c6d5b8',"
    "'uid':'$u','controller':true,'blockOwnerDeletion':true}],"
    "'managedFields':[{'manager':'kube-controller-manager','operation':'Update','apiVersion':'v1',"
    "'time':'2026-03-05T$tZ','fieldsType':'FieldsV1','fieldsV1':{'f:metadata':{'f:annotations':{"
    "'.':{},'f:checksum/config':{},'f:prometheus.io/port':{},'f:prometheus.io/scrape':{}},"
    "'f:generateName':{},'f:labels':{'.':{},'f:app.kubernetes.io/instance':{},"
    "'f:app.kubernetes.io/name':{},'f:app.kubernetes.io/part-of':{},'f:pod-template-hash':{},"
    "'f:tier':{}},'f:ownerReferences':{'.':{},'k:{\\\"uid\\\":\\\"$u\\\"}':{}}},"
    "'f:spec':{'f:containers':{'k:{\\\"name\\\":\\\"web\\\"}':{'.':{},'f:args':{},'f:command':{},"
    "'f:env':{'.':{},'k:{\\\"name\\\":\\\"LOG_LEVEL\\\"}':{'.':{},'f:name':{},'f:value':{}},"
    "'k:{\\\"name\\\":\\\"POD_IP\\\"}':{'.':{},'f:name':{},'f:valueFrom':{'.':{},'f:fieldRef':{}}}}"
    ","
    "'f:image':{},'f:imagePullPolicy':{},'f:livenessProbe':{'.':{},'f:failureThreshold':{},"
    "'f:httpGet':{'.':{},'f:path':{},'f:port':{},'f:scheme':{}},'f:periodSeconds':{},"
    "'f:successThreshold':{},'f:timeoutSeconds':{}},'f:name':{},'f:ports':{'.':{},"
    "'k:{\\\"containerPort\\\":8080,\\\"protocol\\\":\\\"TCP\\\"}':{'.':{},'f:containerPort':{},"
    "'f:name':{},'f:protocol':{}}},'f:resources':{'.':{},'f:limits':{'.':{},'f:cpu':{},'f:memory':{"
    "}},"
    "'f:requests':{'.':{},'f:cpu':{},'f:memory':{}}},'f:terminationMessagePath':{},"
    "'f:terminationMessagePolicy':{},'f:volumeMounts':{'.':{},"
    "'k:{\\\"mountPath\\\":\\\"/etc/"
    "web\\\"}':{'.':{},'f:mountPath':{},'f:name':{},'f:readOnly':{}}}}},"
    "'f:dnsPolicy':{},'f:enableServiceLinks':{},'f:restartPolicy':{},'f:schedulerName':{},"
    "'f:securityContext':{},'f:serviceAccount':{},'f:serviceAccountName':{},"
    "'f:terminationGracePeriodSeconds':{},'f:volumes':{'.':{},'k:{\\\"name\\\":\\\"config\\\"}':{"
    "'.':{},'f:configMap':{'.':{},'f:defaultMode':{},'f:name':{}},'f:name':{}}}}}},"
    "{'manager':'kubelet','operation':'Update','apiVersion':'v1','time':'2026-03-05T$tZ',"
    "'fieldsType':'FieldsV1','fieldsV1':{'f:status':{'f:conditions':{"
    "'k:{\\\"type\\\":\\\"ContainersReady\\\"}':{'.':{},'f:lastProbeTime':{},"
    "'f:lastTransitionTime':{},'f:status':{},'f:type':{}},"
    "'k:{\\\"type\\\":\\\"Initialized\\\"}':{'.':{},'f:lastProbeTime':{},"
    "'f:lastTransitionTime':{},'f:status':{},'f:type':{}},'k:{\\\"type\\\":\\\"Ready\\\"}':{'.':{},"
    "'f:lastProbeTime':{},'f:lastTransitionTime':{},'f:status':{},'f:type':{}}},"
    "'f:containerStatuses':{},'f:hostIP':{},'f:phase':{},'f:podIP':{},'f:podIPs':{'.':{},"
    "'k:{\\\"ip\\\":\\\"$i\\\"}':{'.':{},'f:ip':{}}},'f:startTime':{}}},'subresource':'status'}]},"
    "'spec':{'volumes':[{'name':'config','configMap':{'name':'web-config','defaultMode':420}},"
    "{'name':'kube-api-access-$h','projected':{'sources':[{'serviceAccountToken':{"
    "'expirationSeconds':3607,'path':'token'}},{'configMap':{'name':'kube-root-ca.crt','items':[{"
    "'key':'ca.crt','path':'ca.crt'}]}},{'downwardAPI':{'items':[{'path':'namespace','fieldRef':{"
    "'apiVersion':'v1','fieldPath':'metadata.namespace'}}]}}],'defaultMode':420}}],"
    "'containers':[{'name':'web','image':'registry.example.com/shop/web@sha256:$x',"
    "'command':['/bin/sh','-c','set -eu\\necho \\\"starting web on $i\\\"\\n"
    "if [ -f /etc/web/extra.conf ]; then\\n  cp /etc/web/extra.conf /run/web/extra.conf\\nfi\\n"
    "exec /usr/sbin/web --config /etc/web/web.conf --listen 0.0.0.0:8080\\n'],"
    "'args':['--log-format=json','--max-connections=4096','--upstream=http://"
    "api.team-$n.svc:8080'],"
    "'ports':[{'name':'http','containerPort':8080,'protocol':'TCP'}],"
    "'env':[{'name':'LOG_LEVEL','value':'info'},{'name':'POD_IP','valueFrom':{'fieldRef':{"
    "'apiVersion':'v1','fieldPath':'status.podIP'}}},{'name':'RATIO','value':'0.25'}],"
    "'resources':{'limits':{'cpu':'500m','memory':'512Mi'},'requests':{'cpu':'100m',"
    "'memory':'128Mi'}},'volumeMounts':[{'name':'config','readOnly':true,'mountPath':'/etc/web'},"
    "{'name':'kube-api-access-$h','readOnly':true,"
    "'mountPath':'/var/run/secrets/kubernetes.io/serviceaccount'}],"
    "'livenessProbe':{'httpGet':{'path':'/healthz','port':8080,'scheme':'HTTP'},'timeoutSeconds':1,"
    "'periodSeconds':10,'successThreshold':1,'failureThreshold':3},"
    "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
    "'imagePullPolicy':'IfNotPresent','securityContext':{'capabilities':{'drop':['ALL']},"
    "'runAsNonRoot':true,'allowPrivilegeEscalation':false}}],'restartPolicy':'Always',"
    "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','serviceAccountName':'web',"
    "'serviceAccount':'web','nodeName':'worker-$h.example.com','securityContext':{},"
    "'schedulerName':'default-scheduler','tolerations':[{'key':'node.kubernetes.io/not-ready',"
    "'operator':'Exists','effect':'NoExecute','tolerationSeconds':300},"
    "{'key':'node.kubernetes.io/unreachable','operator':'Exists','effect':'NoExecute',"
    "'tolerationSeconds':300}],'priority':0,'enableServiceLinks':true,"
    "'preemptionPolicy':'PreemptLowerPriority'},"
    "'status':{'phase':'Running','conditions':[{'type':'Initialized','status':'True',"
    "'lastProbeTime':null,'lastTransitionTime':'2026-03-05T$tZ'},{'type':'Ready','status':'True',"
    "'lastProbeTime':null,'lastTransitionTime':'2026-03-05T$tZ'},{'type':'ContainersReady',"
    "'status':'True','lastProbeTime':null,'lastTransitionTime':'2026-03-05T$tZ'},"
    "{'type':'PodScheduled','status':'True','lastProbeTime':null,"
    "'lastTransitionTime':'2026-03-05T$tZ'}],'hostIP':'$i','podIP':'$i','podIPs':[{'ip':'$i'}],"
    "'startTime':'2026-03-05T$tZ','containerStatuses':[{'name':'web','state':{'running':{"
    "'startedAt':'2026-03-05T$tZ'}},'lastState':{},'ready':true,'restartCount':0,"
    "'image':'registry.example.com/shop/web:1.27.4','imageID':'registry.example.com/shop/"
    "web@sha256:$x',"
    "'containerID':'cri-o://$x','started':true}],'qosClass':'Burstable'}}";

/* ---- Pods. ---- */

/* A sequence that is the same in each run. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void add_random(struct buf *out, uint64_t *state, const char *set, size_t count)
{
    size_t choices = strlen(set);

    for (size_t i = 0; i < count; i++)
        buf_char(out, set[next_random(state) % choices]);
}

static void add_uid(struct buf *out, uint64_t *state)
{
    static const size_t parts[] = {8, 4, 4, 4, 12};

    for (size_t i = 0; i < COUNT(parts); i++) {
        if (i)
            buf_char(out, '-');
        add_random(out, state, "0123456789abcdef", parts[i]);
    }
}

static void add_variable(struct buf *out, char name, size_t number, uint64_t *state)
{
    switch (name) {
    case 'n':
        buf_fmt(out, "%zu", number);
        break;
    case 'h':
        add_random(out, state, "bcdfghjklmnpqrstvwxz2456789", 5);
        break;
    case 'u':
        add_uid(out, state);
        break;
    case 'x':
        add_random(out, state, "0123456789abcdef", 64);
        break;
    case 'i':
        buf_fmt(out, "10.128.%u.%u", next_random(state) % 256, next_random(state) % 256);
        break;
    case 'r':
        buf_fmt(out, "%u", 100000000 + next_random(state) % 900000000);
        break;
    case 't':
        buf_fmt(out, "%02u:%02u:%02u", next_random(state) % 24, next_random(state) % 60,
                next_random(state) % 60);
        break;
    default:
        assert(!"unknown variable in the template");
    }
}

/* The template as JSON; there a single quote stands for a double one. */
static void add_pod(struct buf *out, size_t number, uint64_t *state)
{
    for (const char *p = pod_template; *p; p++) {
        if (*p == '$')
            add_variable(out, *++p, number, state);
        else
            buf_char(out, (char)(*p == '\'' ? '"' : *p));
    }
}

/* A short pod, that is the sum of its parts, costs the same to make in both formats. */
static struct value *make_pod(struct arena *a, size_t number, uint64_t *state)
{
    AUTO_ERR e = {0};
    struct buf text = buf_new(a, 1 * MIB);
    struct value *pod;

    add_pod(&text, number, state);
    struct source *src = ARENA_NEW(a, struct source);
    src->text = buf_str(&text);
    bench_check(json_read(a, src, NULL, &pod, &e), &e);
    return pod;
}

/* ---- YAML. ---- */

static void add_yaml(struct buf *out, const struct value *v, size_t indent);

static bool is_plain(str s)
{
    static const char set[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:";

    if (!s.len || (s.ptr[0] >= '0' && s.ptr[0] <= '9') || strchr(" -.:", s.ptr[0]) ||
        s.ptr[s.len - 1] == ':' || s.ptr[s.len - 1] == ' ' || str_contains(s, STR(": ")) ||
        str_contains(s, STR(" #")))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!s.ptr[i] || !strchr(set, s.ptr[i]))
            return false;
    return !str_eq_fold(s, STR("true")) && !str_eq_fold(s, STR("false"));
}

static void add_text(struct buf *out, str s, size_t indent)
{
    str line;

    if (is_plain(s)) {
        buf_add(out, s);
    } else if (str_contains(s, STR("\n"))) {
        buf_add(out, str_has_suffix(s, STR("\n")) ? STR("|") : STR("|-"));
        while (str_next_line(&s, &line)) {
            buf_char(out, '\n');
            buf_repeat(out, ' ', indent);
            buf_add(out, line);
        }
    } else {
        json_write_string(out, s, false);
    }
}

static void add_scalar(struct buf *out, const struct value *v, size_t indent)
{
    if (v->kind == VALUE_STRING)
        add_text(out, value_str(v), indent);
    else if (value_is_number(v))
        buf_add(out, value_text(v));
    else if (v->kind == VALUE_BOOL)
        buf_add(out, v->truth ? STR("true") : STR("false"));
    else
        buf_add(out, v->kind == VALUE_LIST ? STR("[]") : v->kind ? STR("{}") : STR("null"));
}

/* The first member of an object in a list stands behind the dash. */
static void add_members(struct buf *out, const struct value *v, size_t indent)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct value *m = &v->items[i];
        if (i)
            buf_repeat(out, ' ', indent);
        add_text(out, value_key(m), indent);
        buf_char(out, ':');
        if (value_len(m)) {
            buf_char(out, '\n');
            add_yaml(out, m, m->kind == VALUE_LIST ? indent : indent + 2);
        } else {
            buf_char(out, ' ');
            add_scalar(out, m, indent + 2);
            buf_char(out, '\n');
        }
    }
}

static void add_items(struct buf *out, const struct value *v, size_t indent)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct value *item = &v->items[i];
        buf_repeat(out, ' ', indent);
        buf_add(out, STR("- "));
        if (value_len(item) && item->kind == VALUE_OBJECT) {
            add_members(out, item, indent + 2);
        } else {
            add_scalar(out, item, indent + 2);
            buf_char(out, '\n');
        }
    }
}

static void add_yaml(struct buf *out, const struct value *v, size_t indent)
{
    if (v->kind == VALUE_LIST) {
        add_items(out, v, indent);
        return;
    }
    buf_repeat(out, ' ', indent);
    add_members(out, v, indent);
}

/* ---- Lists. ---- */

static void add_pod_json(struct buf *out, const struct value *pod, size_t number)
{
    AUTO_ERR e = {0};

    if (number)
        buf_char(out, ',');
    bench_check(json_write(out, pod, &json_exact, &e), &e);
}

static void add_pod_yaml(struct buf *out, const struct value *pod, size_t number)
{
    (void)number;
    buf_add(out, STR("- "));
    add_members(out, pod, 2);
}

/* Pods until the text has so many bytes; it is never freed. */
static void add_pods(struct buf *out, size_t bytes,
                     void (*add)(struct buf *, const struct value *, size_t))
{
    AUTO_ARENA a = arena_new();
    uint64_t state = 1;

    for (size_t i = 0; out->len < bytes; i++) {
        add(out, make_pod(a, i, &state), i);
        arena_reset(a);
    }
}

str bench_podlist_json(size_t bytes)
{
    static str made;
    static size_t made_bytes;

    if (made_bytes == bytes)
        return made;
    struct buf out = buf_new(arena_new(), 2 * bytes + 1 * MIB);
    buf_add(&out,
            STR("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                "\"1\"},\"items\":["));
    add_pods(&out, bytes, add_pod_json);
    buf_add(&out, STR("]}\n"));
    made = buf_str(&out);
    made_bytes = bytes;
    return made;
}

str bench_podlist_yaml(size_t bytes)
{
    static str made;
    static size_t made_bytes;

    if (made_bytes == bytes)
        return made;
    struct buf out = buf_new(arena_new(), 2 * bytes + 1 * MIB);
    buf_add(&out,
            STR("apiVersion: v1\nkind: PodList\nmetadata:\n  resourceVersion: \"1\"\nitems:\n"));
    add_pods(&out, bytes, add_pod_yaml);
    made = buf_str(&out);
    made_bytes = bytes;
    return made;
}
