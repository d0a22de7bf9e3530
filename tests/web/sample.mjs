// SPDX-License-Identifier: Apache-2.0
//
// sample.mjs FOLDER [COUNT] - a reference and COUNT (500) objects as a shop might have them, with
// drift here and there: what the browser tests and the pictures of the documentation are made of.
// Always the same files.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folder = process.argv[2];
const count = Number(process.argv[3] ?? 500);

function write(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

// ---- The reference. ----

const parts = {
  platform: {
    networking: ["network-policy", "ingress"],
    storage: ["storage-class", "volume-claim"],
    access: ["role", "role-binding", "service-account"],
  },
  shop: {
    "front-end": ["web-deployment", "web-service", "web-config"],
    checkout: ["cart-deployment", "cart-config"],
    search: ["search-stateful-set"],
  },
  observability: {
    metrics: ["exporter-daemon-set", "alert-rules"],
    logging: ["forwarder-config"],
  },
};

const templates = {
  "network-policy": ["networking.k8s.io/v1", "NetworkPolicy", "spec:\n  podSelector: {}\n  policyTypes:\n  - Ingress\n  - Egress\n"],
  ingress: ["networking.k8s.io/v1", "Ingress", "spec:\n  ingressClassName: edge\n  rules: {{ .spec.rules | toJson }}\n"],
  "storage-class": ["storage.k8s.io/v1", "StorageClass", "provisioner: disk.example.com\nreclaimPolicy: Retain\nallowVolumeExpansion: true\n"],
  "volume-claim": ["v1", "PersistentVolumeClaim", "spec:\n  accessModes:\n  - ReadWriteOnce\n  resources:\n    requests:\n      storage: 20Gi\n"],
  role: ["rbac.authorization.k8s.io/v1", "Role", "rules:\n- apiGroups: ['']\n  resources: [configmaps]\n  verbs: [get, list, watch]\n"],
  "role-binding": ["rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: reader\n"],
  "service-account": ["v1", "ServiceAccount", "automountServiceAccountToken: false\n"],
  "web-deployment": ["apps/v1", "Deployment", "spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: web\n        image: registry.example.com/shop/web:2.4.1\n        resources:\n          limits:\n            cpu: 500m\n            memory: 256Mi\n        securityContext:\n          allowPrivilegeEscalation: false\n          readOnlyRootFilesystem: true\n"],
  "web-service": ["v1", "Service", "spec:\n  type: ClusterIP\n  ports:\n  - name: http\n    port: 80\n    targetPort: 8080\n"],
  "web-config": ["v1", "ConfigMap", "data:\n  banner: Welcome\n  theme: plain\n"],
  "cart-deployment": ["apps/v1", "Deployment", "spec:\n  replicas: {{ .spec.replicas }}\n  strategy:\n    type: Recreate\n"],
  "cart-config": ["v1", "ConfigMap", "data:\n  currency: EUR\n  timeout: 30s\n"],
  "search-stateful-set": ["apps/v1", "StatefulSet", "spec:\n  serviceName: search\n  replicas: 3\n"],
  "exporter-daemon-set": ["apps/v1", "DaemonSet", "spec:\n  updateStrategy:\n    type: RollingUpdate\n"],
  "alert-rules": ["monitoring.example.com/v1", "AlertRules", "spec:\n  groups:\n  - name: shop\n"],
  "forwarder-config": ["v1", "ConfigMap", "data:\n  target: logs.example.com:6514\n"],
};

const described = {
  "web-deployment": "Three copies at least: one may be drained at any time.\nSee the runbook, chapter 4.",
  "alert-rules": "Alerts that the operators on duty rely on.",
};

let metadata = "apiVersion: v2\nparts:\n";
for (const [part, components] of Object.entries(parts)) {
  metadata += `- name: ${part}\n  components:\n`;
  for (const [component, names] of Object.entries(components)) {
    metadata += `  - name: ${component}\n    allOf:\n`;
    for (const name of names) {
      metadata += `    - path: ${part}/${name}.yaml\n`;
      if (described[name]) metadata += `      description: ${JSON.stringify(described[name])}\n`;
    }
  }
}
write("reference/metadata.yaml", metadata);
for (const [part, components] of Object.entries(parts))
  for (const names of Object.values(components))
    for (const name of names) {
      const [api, kind, body] = templates[name];
      write(
        `reference/${part}/${name}.yaml`,
        `apiVersion: ${api}\nkind: ${kind}\nmetadata:\n  name: {{ .metadata.name }}\n` +
          `  namespace: {{ .metadata.namespace }}\n  labels:\n    template: ${name}\n${body}`,
      );
    }

// ---- Objects. ----

// What drifts: a template, and what stands in the object instead.
const drifts = [
  ["web-deployment", /replicas: 3/, "replicas: 2"],
  ["web-deployment", /web:2\.4\.1/, "web:2.4.0"],
  ["web-deployment", /          readOnlyRootFilesystem: true\n/, ""],
  ["web-config", /banner: Welcome/, "banner: <script>document.title = 'taken over'</script>"],
  ["web-config", /theme: plain/, 'theme: "\\e[31mplain\\e[0m \\u202Eevil"'],
  ["cart-config", /timeout: 30s/, "timeout: 90s\n  retries: '5'"],
  ["volume-claim", /20Gi/, "10Gi"],
  ["role", /\[get, list, watch\]/, "[get, list, watch, delete]"],
  ["network-policy", /  - Egress\n/, ""],
  ["search-stateful-set", /replicas: 3/, "replicas: 1"],
  ["forwarder-config", /logs\.example\.com:6514/, "logs.example.org:514"],
  ["storage-class", /Retain/, "Delete"],
];
const spaces = ["shop-berlin", "shop-lisbon", "shop-oslo", "shop-vienna"];
const present = Object.keys(templates).filter((name) => name !== "alert-rules");

const objects = [];
for (let i = 0; i < count; i++) {
  const name = present[i % present.length];
  const [api, kind, body] = templates[name];
  let text = body
    .replace("{{ .spec.rules | toJson }}", "[{host: shop.example.com}]")
    .replace("{{ .spec.replicas }}", "2");
  const known = drifts.filter((d) => d[0] === name);
  const drift = i % 7 === 4 && known.length ? known[Math.floor(i / 105) % known.length] : null;
  if (drift) text = text.replace(drift[1], drift[2]);
  objects.push(
    `apiVersion: ${api}\nkind: ${kind}\nmetadata:\n  name: ${name}-${i}\n` +
      `  namespace: ${spaces[i % spaces.length]}\n  labels:\n    template: ${name}\n${text}`,
  );
}
for (let i = 0; i < 3; i++)
  objects.push(
    `apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: clean-up-${i}\n  namespace: ${spaces[i]}\n`,
  );
write("objects/all.yaml", objects.join("---\n"));
