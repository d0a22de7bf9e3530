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
await browser.close();
