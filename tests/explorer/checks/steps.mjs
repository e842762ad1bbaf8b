// Steps that the checks of the explorer share.

import assert from "node:assert/strict";

/** Presses Tab until an element that fits has the focus. */
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  assert.fail(`Tab does not reach ${selector}`);
}

/** Puts the caret to the line of the sum. */
export async function toSum(page) {
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
}

/** A stage by its number. */
export const listing = (page, at) => page.locator(".listing").nth(at);

/** The text of a stage. */
export const text = async (page, at) => (await listing(page, at).locator(".row").allTextContents()).join("\n");

/** Waits until a function holds in the page. */
export const until = (page, what, wanted) => page.waitForFunction(wanted, null, { timeout: 20_000 }).catch(() => assert.fail(what));
