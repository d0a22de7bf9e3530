// SPDX-License-Identifier: Apache-2.0
//
// report.mjs REPORT.html SMALL.html FLEET.html SMALL-FLEET.html [WORD] - the HTML reports in a browser,
// opened from their files: that of the sample and that of a fleet, and small ones for what takes long.
// With WORD only tests that have it in their names. Prints a line per test and, last, "N passed, M failed".
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { axeSource, startBrowser } from "./browser.mjs";
import { addFleetTests } from "./fleet.mjs";
import { background, chip, countOf, search, settle, visible } from "./page.mjs";

const address = "file://" + resolve(process.argv[2]);
const small = "file://" + resolve(process.argv[3]);
const word = process.argv[6] ?? "";
const browser = await startBrowser();
const tests = [];

// options: what the page is opened with; noisy: messages in the console belong to the test; at: the
// page, if not that of the sample.
function test(name, run, options = {}) {
  tests.push({ name, run, options });
}

// ---- What is there. ----

test("the headline and the totals say what was found", async (page) => {
  assert.match(await page.title(), /^objects: \d+ of 500 objects differ, 1 missing from the cluster, 3 not matched by the reference – plumb$/);
  const totals = await page.locator(".totals dd").allInnerTexts();
  assert.equal(Number(totals[0]) + Number(totals[3]), 500);
  assert.equal(totals[1], "1");
  assert.equal(totals[2], "3");
});

test("the tree has every part and component with its findings", async (page) => {
  const parts = await page.locator(".tree > ul > li > a > span:first-child").allInnerTexts();
  assert.deepEqual(parts, ["observability", "platform", "shop", "Not matched by the reference"]);
  assert.equal(await page.locator(".tree ul ul a").count(), 8);
  const findings = await page.locator(".tree > ul > li > a .n").allInnerTexts();
  assert.equal(
    findings.reduce((sum, n) => sum + Number(n), 0),
    await countOf(page, "findings"),
  );
});

// ---- Filter. ----

test("findings are shown first, and the rest on request", async (page) => {
  assert.equal(await visible(page, ".item"), await countOf(page, "findings"));
  for (const status of ["differs", "issue", "unmatched", "same"]) {
    await chip(page, status).click();
    assert.equal(await chip(page, status).getAttribute("aria-pressed"), "true");
    assert.equal(await visible(page, ".item"), await countOf(page, status));
    assert.equal(await visible(page, `.item[data-status="${status}"]`), await countOf(page, status));
  }
  await chip(page, "all").click();
  assert.equal(await visible(page, ".item"), await page.locator(".item").count());
  assert.match(await page.locator("#shown").innerText(), /^504 of 504 shown$/);
});

test("words filter by name, template and value", async (page) => {
  await search(page, "ConfigMap");
  const named = await visible(page, ".item");
  assert.ok(named > 0 && named < (await countOf(page, "findings")));
  await search(page, "ConfigMap BERLIN");
  const both = await visible(page, ".item");
  assert.ok(both > 0 && both < named);
  await search(page, "web:2.4.0");
  assert.ok((await visible(page, '.item[data-status="differs"]')) > 0);
  assert.equal(await visible(page, "#component-platform-storage"), 0);
  await search(page, "no such words");
  assert.equal(await visible(page, ".item"), 0);
  await page.locator("#reset").click();
  assert.equal(await visible(page, ".item"), await page.locator(".item").count());
});

test("the keyboard reaches the filter and leaves it", async (page) => {
  await page.keyboard.press("/");
  await page.keyboard.type("cronjob");
  await settle(page);
  assert.equal(await visible(page, ".item"), 3);
  await page.keyboard.press("Escape");
  assert.equal(await visible(page, ".item"), await countOf(page, "findings"));
});

// ---- Open and close. ----

test("an object opens and closes by mouse and keyboard", async (page) => {
  const item = page.locator('.item[data-status="differs"]').first();
  const summary = item.locator("> details > summary");
  assert.equal(await item.locator(".diff").isVisible(), false);
  await summary.click();
  assert.equal(await item.locator(".diff").isVisible(), true);
  await summary.focus();
  await page.keyboard.press("Enter");
  assert.equal(await item.locator(".diff").isVisible(), false);
});

test("all objects that are shown open and close at once", async (page) => {
  await chip(page, "differs").click();
  await page.locator("#expand").click();
  assert.equal(await page.locator(".item > details[open]:visible").count(), await countOf(page, "differs"));
  assert.equal(await page.locator('.item[data-status="same"] > details[open]').count(), 0);
  await page.locator("#collapse").click();
  assert.equal(await page.locator(".item > details[open]:visible").count(), 0);
});

test("a difference has lines of both sides, numbers, and what changed within a line", async (page) => {
  await search(page, "web:2.4.0");
  await page.locator("#expand").click();
  const diff = page.locator(".diff:visible").first();
  const old = diff.locator(".d"), found = diff.locator(".a");
  assert.match(await old.innerText(), /^- +- image: .*web:2\.4\.1/);
  assert.match(await found.innerText(), /^\+ +- image: .*web:2\.4\.0/);
  assert.deepEqual([await old.locator("b").innerText(), await found.locator("b").innerText()], ["1", "0"]);
  assert.ok(Number(await old.getAttribute("data-o")) > 0);
  const colours = await Promise.all(
    [old, found].map((l) => l.evaluate((e) => getComputedStyle(e).backgroundColor)),
  );
  assert.notEqual(colours[0], colours[1]);
});

test("fields, candidates and completeness are told", async (page) => {
  await search(page, "web:2.4.0");
  await page.locator("#expand").click();
  const item = page.locator(".item:visible").first();
  const cells = await item.locator(".fields tbody td").allInnerTexts();
  assert.equal(cells[0], "spec.template.spec.containers[name=web].image");
  assert.equal(cells[1], "changed");
  assert.match(cells[2], /web:2\.4\.1"/);
  assert.match(cells[3], /web:2\.4\.0"/);
  assert.match(await item.locator(".fields .place").nth(1).innerText(), /^objects\/all\.yaml:\d+$/);
  await item.getByText(/^Which template/).click();
  assert.equal(await item.locator(".badge", { hasText: "chosen" }).count(), 1);
  assert.equal(await page.locator(".verdict .badge").first().innerText(), "Complete");
});

test("a closed row says what changed first, and how many objects have the same change", async (page) => {
  await search(page, "web:2.4.0");
  const row = page.locator(".item:visible > details:not([open]) > summary").first();
  assert.match(await row.locator(".change").innerText(), /image: .*web:2\.4\.0", expected .*web:2\.4\.1"/);
  assert.match(await page.locator(".alike").first().innerText(), /^\d+ objects have this change$/);
});

test("objects with the same change stand together, and say it once", async (page) => {
  const first = page.locator(".item:not(.again)[data-alike]:visible").first();
  const group = page.locator(`.item[data-alike="${await first.getAttribute("data-alike")}"]`);
  const count = await group.count();
  assert.ok(count > 1);
  assert.equal(await first.locator(".alike").innerText(), `${count} objects have this change`);
  assert.equal(await group.locator(".change:visible").count(), 1);
  for (let i = 1; i < count; i++)
    assert.equal(await group.nth(i).evaluate((row) => row.previousElementSibling.dataset.alike), await first.getAttribute("data-alike"));
  // Alone, each of them says it.
  await search(page, await group.nth(1).locator("b").first().innerText());
  assert.equal(await group.nth(1).locator(".change:visible").count(), 1);
});

test(
  "few findings are open at once, many are not",
  async (page) => {
    const few = await page.locator('.item[data-status="differs"] > details').count();
    assert.ok(few > 0 && few <= 20);
    assert.equal(await page.locator('.item[data-status="differs"] > details[open]').count(), few);
    await page.goto(address);
    assert.ok((await page.locator('.item[data-status="differs"] > details').count()) > 20);
    assert.equal(await page.locator('.item[data-status="differs"] > details[open]').count(), 0);
  },
  { at: small },
);

test("a search counts what it finds, also under other filters", async (page) => {
  await search(page, "configmap berlin");
  assert.match(await page.locator("#shown").innerText(), /^\d+ of 504 shown, \d+ more under other filters$/);
  assert.match(await page.locator(".component:visible > h3 .n").first().innerText(), /^\d+ of \d+$/);
});

test("differences stand side by side on request", async (page) => {
  await page.locator('.item[data-status="differs"] > details > summary').first().click();
  const run = page.locator(".diff:visible .run").first();
  const places = () =>
    run.locator(".l").evaluateAll((lines) => lines.slice(0, 2).map((line) => line.getBoundingClientRect().left));
  const above = await places();
  assert.equal(above[0], above[1]);
  await page.locator("#split").click();
  assert.equal(await page.locator("#split").getAttribute("aria-pressed"), "true");
  const beside = await places();
  assert.ok(beside[0] < beside[1]);
});

test("the difference can be copied", async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  await page.locator('.item[data-status="differs"] > details > summary').first().click();
  const button = page.locator(".copy:visible").first();
  await button.click();
  await page.waitForFunction(() => [...document.querySelectorAll(".copy")].some((b) => b.textContent === "Copied"));
});

// ---- Links. ----

test("a link to an object opens it, whatever the filter", async (page) => {
  const id = await page.locator('.item[data-status="same"]').nth(200).getAttribute("id");
  await search(page, "nothing at all");
  await page.goto(address + "#" + id);
  const item = page.locator(`[id="${id}"]`);
  await item.locator("> details[open]").waitFor();
  await settle(page);
  assert.equal(await item.isVisible(), true);
  assert.equal(await item.locator("> details").getAttribute("open"), "");
  assert.ok(await item.evaluate((e) => e.getBoundingClientRect().top < innerHeight));
});

test("the tree leads to a component", async (page) => {
  await page.locator('.tree a[href="#component-shop-search"]').click();
  await page.waitForFunction(() => {
    const top = document.getElementById("component-shop-search").getBoundingClientRect().top;
    return top > 0 && top < innerHeight;
  });
});

// ---- Foreign text. ----

test("markup in a value is text", async (page) => {
  await search(page, "<script>");
  await page.locator("#expand").click();
  const line = page.locator(".diff:visible .a", { hasText: "script" }).first();
  assert.equal(
    (await line.innerText()).trim(),
    "+  banner: <script>document.title = 'taken over'</script>",
  );
  assert.equal(await page.locator("script").count(), 1);
  assert.doesNotMatch(await page.title(), /taken over/);
});

test("characters that act are shown instead", async (page) => {
  await search(page, "theme: plain evil");
  await page.locator("#expand").click();
  assert.ok((await page.locator(".diff:visible .ctl").allInnerTexts()).includes("U+202E"));
});

test(
  "the policy of the page lets no other script run",
  async (page) => {
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.body.append(script);
      return window.intruder === true;
    });
    assert.equal(ran, false);
  },
  { noisy: true },
);

// ---- Light, dark, paper, no script, many objects. ----

test("light and dark follow the system, and the choice is kept", async (page) => {
  const light = await background(page);
  // The page is told of the system's choice when it is next drawn.
  const pressed = (value) => page.locator(`#theme[aria-pressed="${value}"]`).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await pressed(true);
  const dark = await background(page);
  assert.notEqual(light, dark);
  await page.emulateMedia({ colorScheme: "light" });
  await pressed(false);
  const button = page.locator("#theme");
  await button.click();
  assert.equal(await background(page), dark);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await page.reload();
  assert.equal(await background(page), dark);
});

test("on paper findings are open and tools are gone", async (page) => {
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 20000);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  assert.equal(await visible(page, ".tools"), 0);
  assert.equal(await visible(page, ".tree"), 0);
  const differing = await page.locator('.item[data-status="differs"]').count();
  assert.equal(await visible(page, ".diff"), differing);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.locator('.item[data-status="differs"] > details[open]').count(), 0);
});

test(
  "without script everything is shown",
  async (page) => {
    assert.equal(await page.locator(".item:visible").count(), await page.locator(".item").count());
    assert.equal(await page.locator(".find:visible").count(), 0);
    await page.locator(".item > details > summary").first().click();
    assert.equal(await page.locator(".body:visible").count() > 0, true);
  },
  { javaScriptEnabled: false, at: small },
);

for (const width of [390, 1280, 1920])
  test(
    `headline, tiles and tree can be read at ${width} px`,
    async (page) => {
      for (const name of [".brand h1", "#headline", ".totals dt", ".chips button", ".tree a"]) {
        const cut = await page.locator(name).evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length);
        assert.equal(cut, 0, name);
      }
      const dots = await page.locator(".totals i").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()));
      for (const dot of dots) assert.ok(Math.abs(dot.width - dot.height) < 0.5);
      const tree = await page.locator(".tree").evaluate((e) => e.scrollHeight <= e.clientHeight);
      assert.ok(tree, "the tree is cut off");
    },
    { viewport: { width, height: 1000 } },
  );

test(
  "a narrow window has no scroll bar at its foot",
  async (page) => {
    await page.locator("#expand").click();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  },
  { viewport: { width: 360, height: 740 } },
);

for (const colorScheme of ["light", "dark"])
  test(
    `no fault of accessibility, ${colorScheme}`,
    async (page) => {
      await page.evaluate(() => document.querySelectorAll(".item:not([hidden]) details").forEach((d) => (d.open = true)));
      await page.evaluate(readFileSync(axeSource, "utf8"));
      const found = await page.evaluate(() =>
        window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }),
      );
      assert.deepEqual(
        found.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")),
        [],
      );
    },
    { colorScheme, at: small },
  );

addFleetTests(test, "file://" + resolve(process.argv[4]), "file://" + resolve(process.argv[5]));

// ---- Running. ----

// Opens the page, runs the test, and checks what holds for all: no message, no connection.
async function runTest({ run, options }) {
  const { noisy, at = address, ...settings } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...settings });
  const messages = [], requests = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    page.on("console", (m) => messages.push(m.text()));
    page.on("pageerror", (e) => messages.push(String(e)));
    page.on("request", (r) => requests.push(r.url()));
    await page.goto(at);
    await run(page);
  } finally {
    await context.close();
  }
  if (!noisy) assert.deepEqual(messages, []);
  const others = requests.filter((url) => ![at, address, "data:"].some((own) => url.startsWith(own)));
  assert.deepEqual(others, []);
}

let passed = 0, failed = 0;
for (const one of tests.filter((each) => each.name.includes(word))) {
  const began = Date.now();
  try {
    await runTest(one);
    passed++;
    console.log("ok      " + one.name + "  (" + (Date.now() - began) + " ms)");
  } catch (error) {
    failed++;
    console.log("FAILED  " + one.name + "\n" + error.stack);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
