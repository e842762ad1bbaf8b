// Bytecode, whose text is only read.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { until } from "./steps.mjs";

/** The caret goes through the text by the keyboard, and nothing changes it. */
export async function bytecode({ open }) {
  const page = await open("light");
  const before = await page.inputValue("#text");
  assert.match(before, /entry @saxpy/);
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  while (!(await page.locator("#backdrop .row.mark").allTextContents()).join().includes("load_view_tko")) {
    await page.keyboard.press("ArrowDown");
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const atEnd = await page.evaluate(() => document.querySelector("#text").selectionStart === document.querySelector("#text").value.length);
    assert.ok(!atEnd, "the keyboard does not go to the load");
  }
  await until(page, "the load lights nothing", () => [...document.querySelectorAll(".listing .row.mark")].some((row) => row.textContent.includes("tileas.load")));
  await page.keyboard.type("x");
  await page.keyboard.press("Backspace");
  assert.equal(await page.inputValue("#text"), before, "the text of bytecode is edited");
  assert.deepEqual(page.wrong, []);
}

const example = new URL("../../../examples/bytecode/saxpy.13.5.tileirbc", import.meta.url);
bytecode.file = { name: "saxpy.tileirbc", content: readFileSync(example) };
