// SPDX-License-Identifier: Apache-2.0
//
// pictures.mjs REPORT.html FLEET.html FOLDER - the pictures of docs/img: a report light, dark, and as
// printed; that of a fleet light and dark; and both in three widths, to be looked at before a release.
import { join, resolve } from "node:path";
import { startBrowser } from "./browser.mjs";

const [report, fleet, folder] = process.argv.slice(2);
const address = "file://" + resolve(report);
const fleetAddress = "file://" + resolve(fleet);
const browser = await startBrowser();

async function picture(name, scheme, prepare, size = { width: 1280, height: 860 }, at = address) {
  const page = await browser.newPage({ viewport: size, colorScheme: scheme });
  await page.goto(at);
  await prepare(page);
  await page.screenshot({ path: join(folder, name) });
  await page.close();
}

await picture("report-light.png", "light", async () => {});
await picture("report-dark.png", "dark", async (page) => {
  await page.locator("#find").fill("/web-config-");
  await page.waitForTimeout(150);
  await page.locator("#expand").click();
  await page.mouse.move(640, 400);
  await page.getByText("<script>").first().evaluate((line) => line.scrollIntoView({ block: "end" }));
  await page.mouse.wheel(0, 120);
  await page.waitForTimeout(150);
});
await picture(
  "report-print.png",
  "light",
  async (page) => {
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => (document.body.style.padding = "40px"));
  },
  { width: 794, height: 1000 },
);
await picture("fleet-light.png", "light", async () => {}, undefined, fleetAddress);
await picture(
  "fleet-dark.png",
  "dark",
  async (page) => {
    await page.locator("#finding-1 > details > summary").click();
    await page.locator("#finding-2 > details > summary").click();
    await page.locator("#failed").evaluate((section) => section.scrollIntoView());
    await page.waitForTimeout(150);
  },
  undefined,
  fleetAddress,
);
for (const [name, at] of [["report", address], ["fleet", fleetAddress]])
  for (const width of [390, 1280, 1920])
    for (const scheme of ["light", "dark"])
      await picture(`${name}-${width}-${scheme}.png`, scheme, async () => {}, { width, height: 1000 }, at);
await browser.close();
