// A kernel of many lines.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { PROGRAM } from "../page.mjs";
import { toSum } from "./steps.mjs";

/** Sums that follow the first one, and so many lines of `tileas`, and four times as many of PTX. */
const SUMS = 1000;

/** Only the rows in view have elements for their words, and a key costs little. */
export async function large({ open, file }) {
  const page = await open("light");
  const chain = Array.from({ length: SUMS }, (_, at) => `    %s${at + 1} = addf %s${at || ""}, %w : tile<16x16xf32>\n`).join("");
  writeFileSync(file, PROGRAM.replace(/    %s = addf.*\n/, `$&${chain}`).replace("weak %s,", `weak %s${SUMS},`));
  await page.waitForFunction((rows) => document.querySelectorAll(".listing .row").length > rows, 5 * SUMS, { timeout: 60_000 });
  const spans = await page.locator("span").count();
  assert.ok(spans < 3000, `the page has ${spans} elements for words`);
  assert.equal(await page.locator(".listing >> nth=1 >> .row >> nth=-2 >> span").count(), 0, "a row that is not in view is dressed");
  await page.locator(".listing >> nth=1").evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await page.waitForSelector(".listing >> nth=1 >> .row >> nth=-2 >> span");

  await toSum(page);
  await page.keyboard.press("End");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const worked = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const parts = metrics.filter(({ name }) => ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].includes(name));
    return parts.reduce((sum, { value }) => sum + 1000 * value, 0);
  };
  const before = await worked();
  const comment = " // twenty characters";
  await page.keyboard.type(comment);
  const each = ((await worked()) - before) / comment.length;
  assert.ok(each < 60, `a key costs the page ${each.toFixed(0)} ms`);
  assert.deepEqual(page.wrong, []);
}
