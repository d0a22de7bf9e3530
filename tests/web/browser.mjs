// SPDX-License-Identifier: Apache-2.0
//
// browser.mjs - Debian's Chromium, and the packages of build/web (tests/web/run puts them there).
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const project = join(dirname(fileURLToPath(import.meta.url)), "../..");
const modules = createRequire(join(project, "build/web/package.json"));

export const axeSource = modules.resolve("axe-core/axe.min.js");

export async function startBrowser() {
  const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const program = programs.find((path) => existsSync(path));
  if (!program) throw new Error("no Chromium: apt-get install chromium");
  const { chromium } = modules("playwright-core");
  return chromium.launch({
    executablePath: program,
    // Containers have little shared memory, and root cannot have a sandbox.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}
