// SPDX-License-Identifier: Apache-2.0
//
// fleet.mjs - tests of the HTML report of a fleet, run by report.mjs. The page is that of
// fleet-sample.mjs: 60 sites, of which one is broken.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axeSource } from "./browser.mjs";
import { background, chip, countOf, search, visible } from "./page.mjs";

// test(name, run, options) as in report.mjs; at is the address of the page, small that of a small one.
export function addFleetTests(test, at, small) {
  const add = (name, run, options = {}) => test("fleet: " + name, run, { at, ...options });

  add("headline, totals and the tree tell how the sites are", async (page) => {
    assert.match(await page.title(), /^\d+ of 59 sites drift, 1 could not be compared – plumb$/);
    const totals = (await page.locator(".totals dd").allInnerTexts()).map(Number);
    assert.equal(totals[0], 1);
    // An incomplete site without drift is neither as expected nor drifting.
    assert.equal(totals[3], 1);
    assert.equal(totals[0] + totals[1] + totals[2] + totals[3], 60);
    const sections = await page.locator(".tree a > span:first-child").allInnerTexts();
    assert.deepEqual(sections, ["Not compared", "In one site only", "In some sites", "In most sites", "Sites"]);
  });

  add("the matrix has a row per finding and as many cells as sites have it", async (page) => {
    const rows = page.locator(".matrix tbody tr");
    assert.equal(await rows.count(), (await countOf(page, "differs")) + (await countOf(page, "issue")));
    for (const row of await rows.all()) {
      const widths = await row.locator("rect").evaluateAll((all) => all.map((r) => Number(r.getAttribute("width"))));
      assert.equal(
        widths.reduce((sum, n) => sum + n, 0),
        Number(await row.locator("td").nth(2).innerText()),
      );
    }
  });

  add("every column of the matrix has the name of its site, above it", async (page) => {
    const names = page.locator(".columns a");
    assert.equal(await names.count(), 59);
    const strip = await page.locator(".strip").first().boundingBox();
    const width = strip.width / 59;
    for (const at of [0, 7, 58]) {
      const box = await names.nth(at).boundingBox();
      assert.ok(Math.abs(box.x - (strip.x + at * width)) < 2, `column ${at} is at ${box.x}`);
      assert.ok(box.width >= 11);
    }
    // The rarest finding is that of one site, whose name is above its cell.
    const cell = page.locator(".matrix tbody tr").first().locator("rect");
    const column = Number(await cell.getAttribute("x"));
    assert.equal(await names.nth(column).innerText(), await cell.locator("title").evaluate((e) => e.textContent));
  });

  for (const width of [390, 1280, 1920])
    add(
      `headers can be read at ${width} px`,
      async (page) => {
        for (const name of [".brand h1", "#headline", "#matrix", ".totals dt", ".chips button"]) {
          const cut = await page.locator(name).evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length);
          assert.equal(cut, 0, name);
        }
        const dots = await page.locator(".totals i").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()));
        for (const dot of dots) assert.ok(Math.abs(dot.width - dot.height) < 0.5);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      },
      { viewport: { width, height: 1000 } },
    );

  add("incomplete sites are shown on request", async (page) => {
    await chip(page, "incomplete").click();
    assert.equal(await visible(page, ".item"), await countOf(page, "incomplete"));
    assert.match(await page.locator(".item:visible").first().innerText(), /edge-020/);
  });

  add("findings come first, and sites on request", async (page) => {
    assert.equal(await visible(page, ".item"), await countOf(page, "findings"));
    await chip(page, "site").click();
    assert.equal(await visible(page, ".item"), 60);
    await chip(page, "failed").click();
    assert.equal(await visible(page, ".item"), 1);
    assert.match(await page.locator(".item:visible").innerText(), /edge-042/);
    await chip(page, "all").click();
    assert.equal(await visible(page, ".item"), await page.locator(".item").count());
  });

  add("the name of a site finds it and what it has", async (page) => {
    await search(page, "edge-007");
    const shown = await page.locator(".item:visible .who").allTextContents();
    assert.ok(shown.some((text) => /Deployment shop\/web/.test(text)));
    assert.ok(shown.some((text) => /^edge-007/.test(text)));
    await search(page, "no such site");
    assert.equal(await visible(page, ".item"), 0);
    await page.locator("#reset").click();
    assert.equal(await visible(page, ".item"), await page.locator(".item").count());
  });

  add("a finding leads to its sites, and a site to its findings", async (page) => {
    const finding = page.locator("#finding-1");
    await finding.locator("> details > summary").click();
    assert.equal(await finding.locator(".diff").isVisible(), true);
    await finding.locator(".names a").first().click();
    const site = page.locator(".item:target");
    await site.locator(".list a").first().waitFor();
    assert.match(await site.getAttribute("data-status"), /^site/);
    assert.ok((await site.locator(".list a").allInnerTexts()).includes("1"));
  });

  add("markup in a value is text, and characters that act are shown", async (page) => {
    await search(page, "<script>");
    await page.locator("#expand").click();
    assert.match(await page.locator(".diff:visible .a").first().innerText(), /<script>document\.title/);
    assert.equal(await page.locator("script").count(), 1);
    assert.doesNotMatch(await page.title(), /taken over/);
    assert.ok((await page.locator(".diff:visible .ctl").allInnerTexts()).includes("U+202E"));
  });

  add("light and dark follow the system and the button", async (page) => {
    const light = await background(page);
    await page.locator("#theme").click();
    const dark = await background(page);
    assert.notEqual(light, dark);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("#theme").click();
    assert.equal(await background(page), light);
  });

  add(
    "a narrow window has no scroll bar at its foot",
    async (page) => {
      await page.locator("#expand").click();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    },
    { viewport: { width: 360, height: 740 } },
  );

  for (const colorScheme of ["light", "dark"])
    add(
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
}
