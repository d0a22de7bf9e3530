// SPDX-License-Identifier: Apache-2.0
//
// pictures.mjs REPORT.html FOLDER - the pictures of docs/img: light, dark, and as printed.
import { join, resolve } from "node:path";
import { startBrowser } from "./browser.mjs";

const [report, folder] = process.argv.slice(2);
const address = "file://" + resolve(report);
const browser = await startBrowser();

async function picture(name, scheme, prepare, size = { width: 1280, height: 860 }) {
  const page = await browser.newPage({ viewport: size, colorScheme: scheme });
  await page.goto(address);
  await prepare(page);
  await page.screenshot({ path: join(folder, name) });
  await page.close();
}

// The n-th object that differs, opened.
const open = (n) => (page) =>
  page.locator('.item[data-status="differs"] > details > summary').nth(n).click();

await picture("report-light.png", "light", async () => {});
await picture("report-dark.png", "dark", async (page) => {
  await page.locator("#find").fill("web-config");
  await page.waitForTimeout(150);
  await page.locator("#expand").click();
  await page.evaluate(() => scrollTo({ top: 420, behavior: "instant" }));
  await page.waitForTimeout(150);
});
await picture(
  "report-print.png",
  "light",
  async (page) => {
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
  },
  { width: 794, height: 1000 },
);
if (process.env.EXTRA) {
  await picture("extra-open.png", "light", async (page) => {
    await open(0)(page);
    await page.evaluate(() => scrollTo({ top: 420, behavior: "instant" }));
    await page.waitForTimeout(150);
  });
  await picture("extra-narrow.png", "light", async (page) => open(0)(page), { width: 420, height: 900 });
}
await browser.close();
