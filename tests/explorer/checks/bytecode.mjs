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
  const line = before.split("\n").findIndex((line) => line.includes("load_view_tko"));
  for (let at = 0; at < line; at += 1) await page.keyboard.press("ArrowDown");
  await until(page, "the keyboard does not go to the load", () => document.querySelector("#backdrop .row.mark")?.textContent.includes("load_view_tko"));
  await until(page, "the load lights nothing", () => [...document.querySelectorAll(".listing .row.mark")].some((row) => row.textContent.includes("tileas.load")));
  await page.keyboard.type("x");
  await page.keyboard.press("Backspace");
  assert.equal(await page.inputValue("#text"), before, "the text of bytecode is edited");
  assert.deepEqual(page.wrong, []);
}

const example = new URL("../../../examples/bytecode/saxpy.13.5.tileirbc", import.meta.url);
bytecode.file = { name: "saxpy.tileirbc", content: readFileSync(example) };
