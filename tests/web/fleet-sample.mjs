// SPDX-License-Identifier: Apache-2.0
//
// fleet-sample.mjs FOLDER [COUNT] - a reference and the folders of COUNT (60) sites, most of which drift
// alike and some of which do not: what the browser tests and the pictures of fleets are made of. Site
// edge-042, or the last one, is an archive that is broken. Always the same files.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folder = process.argv[2];
const count = Number(process.argv[3] ?? 60);

function write(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const meta = (name, space, site) =>
  `metadata:\n  name: ${name}\n  namespace: ${space}\n  labels:\n    site: ${site}\n`;
const deployment = (site, image, replicas) =>
  `apiVersion: apps/v1\nkind: Deployment\n${meta("web", "shop", site)}spec:\n  replicas: ${replicas}\n  template:\n` +
  `    spec:\n      containers:\n      - name: web\n        image: registry.example.com/shop/web:${image}\n`;
const config = (site, banner, theme) =>
  `apiVersion: v1\nkind: ConfigMap\n${meta("web-config", "shop", site)}data:\n  banner: ${banner}\n  theme: ${theme}\n`;
const policy = (site) =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n${meta("closed", "shop", site)}spec:\n  podSelector: {}\n`;
const tuned = (site, profile) =>
  `apiVersion: tuned.example.com/v1\nkind: Profile\n${meta("realtime", "node-tuning", site)}spec:\n  profile: ${profile}\n`;

const own = "{{ .metadata.labels.site }}";
write("reference/web.yaml", deployment(own, "2.4.1", 3));
write("reference/web-config.yaml", config(own, "Welcome", "plain"));
write("reference/policy.yaml", policy(own));
write("reference/tuned.yaml", tuned(own, "low-latency"));
write(
  "reference/metadata.yaml",
  "apiVersion: v2\nparts:\n- name: shop\n  components:\n  - name: front-end\n    allOf:\n    - path: web.yaml\n" +
    "    - path: web-config.yaml\n  - name: access\n    allOf:\n    - path: policy.yaml\n- name: node\n  components:\n" +
    "  - name: tuning\n    allOf:\n    - path: tuned.yaml\n",
);

for (let i = 1; i <= count; i++) {
  const site = "edge-" + String(i).padStart(3, "0");
  if (i === Math.min(42, count)) {
    write(`sites/${site}.tar.gz`, "\x1f\x8b this is not what it seems");
    continue;
  }
  const objects = [
    deployment(site, i % 4 ? "2.4.0" : "2.4.1", i === 7 ? 5 : 3),
    config(
      site,
      i === 13 ? `"<script>document.title = 'taken over'</script>"` : "Welcome",
      i === 13 || i === 31 ? '"plain evil\\u202e"' : "plain",
    ),
    i % 17 ? policy(site) : "",
    tuned(site, i % 9 ? "low-latency" : "balanced"),
  ];
  write(`sites/${site}/all.yaml`, objects.filter(Boolean).join("---\n"));
  if (i === 20) write(`sites/${site}/broken.yaml`, "kind: [\n");
}
