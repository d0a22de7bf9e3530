// SPDX-License-Identifier: Apache-2.0
//
// page.mjs - what tests ask of every HTML report: what is visible, its chips, its filter.

export const visible = (page, selector) => page.locator(selector + ":visible").count();
export const chip = (page, status) => page.locator(`.chips [data-status="${status}"]`);
export const countOf = async (page, status) => Number(await chip(page, status).locator(".count").innerText());
export const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

// Until the page has done what was due: it filters 60 ms after the last key, by its own clock, and its timers
// go off in their order however busy the machine is.
export const settle = (page) =>
  page.evaluate(
    () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 100)),
  );

export async function search(page, text) {
  await page.locator("#find").fill(text);
  await settle(page);
}
