// SPDX-License-Identifier: Apache-2.0
//
// page.mjs - what tests ask of every HTML report: what is visible, its chips, its filter.

export const visible = (page, selector) => page.locator(selector + ":visible").count();
export const chip = (page, status) => page.locator(`.chips [data-status="${status}"]`);
export const countOf = async (page, status) => Number(await chip(page, status).locator(".count").innerText());
export const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

// Waits until the page has done what was typed: its timers of up to 60 ms come before this one, however
// busy the machine is.
export const settle = (page) => page.evaluate(() => new Promise((done) => setTimeout(done, 100)));

export async function search(page, text) {
  await page.locator("#find").fill(text);
  await settle(page);
}
