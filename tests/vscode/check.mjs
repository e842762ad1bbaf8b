// Drives the extension in a real VS Code.
//
// node check.mjs PROGRAM EXTENSION

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { code } from "./code.mjs";

const [program, extension] = process.argv.slice(2).map((path) => resolve(path));
if (!extension) throw new Error("usage: node check.mjs PROGRAM EXTENSION");

const kernel = (name, value, op) => `entry @${name}(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %${value} = ${op} %n, %n : tile<i32>
  %t = store_ptr_tko weak %p, %${value} : tile<ptr<i32>>, tile<i32> -> token
  return
}
`;

const FILES = {
  "two.cuda_tile": kernel("first", "sum", "addi") + kernel("second", "product", "muli"),
  "slip.cuda_tile": kernel("slip", "sum", "adi"),
  "begin.cuda_tile": `entyr${kernel("begin", "sum", "addi").slice("entry".length)}${kernel("next", "product", "muli")}`,
  "empty.cuda_tile": "",
};

const WAIT = { timeout: 20_000 };
const until = (found, what) => found.waitFor(WAIT).catch(() => assert.fail(what));

/** The part of the window that shows a document. */
const group = (page, name) => page.locator(".editor-group-container", { has: page.locator(`.tab.active[data-resource-name="${name}"]`) });
const line = (page, name, text) => group(page, name).locator(".view-line", { hasText: text }).first();

async function open(page, name) {
  await page.keyboard.press("Control+p");
  await page.keyboard.type(name);
  await until(page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first(), `${name} is not in the folder`);
  await page.keyboard.press("Enter");
  await until(group(page, name).locator(".view-lines").first(), `${name} is not shown`);
}

/** Calls a command by its name. */
async function command(page, title) {
  await page.keyboard.press("F1");
  await page.keyboard.type(title);
  await until(page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first(), `there is no command ${title}`);
  await page.keyboard.press("Enter");
}

/** The number of errors in the status bar. */
const counted = (page, errors) => until(page.locator(`#status\\.problems[aria-label^="Errors: ${errors}"]`), `there are not ${errors} errors`);

async function colours(page) {
  const colour = (text) =>
    line(page, "two.cuda_tile", "addi")
      .locator("span", { hasText: text })
      .last()
      .evaluate((span) => getComputedStyle(span).color);
  await until(line(page, "two.cuda_tile", "addi").locator("span span").nth(2), "the text has one colour");
  const [op, value, type] = [await colour("addi"), await colour("%sum"), await colour("i32")];
  assert.ok(op !== value && type !== value, `an op, a value and a type are ${op}, ${value}, ${type}`);
  // Brackets are marked before the text is in tokens.
  await page.waitForFunction(() => !document.querySelector(".unexpected-closing-bracket"), null, WAIT).catch(() => assert.fail("the > of -> is marked"));
}

async function hovers(page, name, value) {
  const hover = page.locator(".monaco-hover", { hasText: `%${value}: tile<i32>` }).first();
  const shown = () => hover.waitFor({ timeout: 3_000 }).then(() => true, () => false);
  // Text that moves under the mouse closes a hover.
  for (let tries = 0; tries < 5; tries += 1) {
    await page.mouse.move(0, 0);
    await line(page, name, `%${value} =`).locator("span", { hasText: `%${value}` }).last().hover();
    if (await shown()) return page.keyboard.press("Escape");
  }
  assert.fail(`%${value} has no hover`);
}

/** The PTX beside the source is that of a kernel. */
const shows = (page, kernel) => until(line(page, "two.cuda_tile.ptx", `.entry ${kernel}`), `the PTX is not that of ${kernel}`);

async function ptx(page) {
  const lenses = group(page, "two.cuda_tile").locator(".codelens-decoration a", { hasText: "sm_90a" });
  await until(lenses.nth(1), "there are not two lenses");
  await lenses.nth(0).click();
  await shows(page, "first");
  await lenses.nth(1).click();
  await shows(page, "second");
  await line(page, "two.cuda_tile", "addi").click();
  await command(page, "Tilewright: Show PTX");
  await shows(page, "first");
  // An edit above a kernel leaves the view at it.
  await line(page, "two.cuda_tile", "muli").click();
  await command(page, "Tilewright: Show PTX");
  await shows(page, "second");
  await line(page, "two.cuda_tile", "@first").click();
  await page.keyboard.press("Home");
  await page.keyboard.type("// one\n// two\n// three\n// four\n// five\n// six\n");
  await page.waitForTimeout(1500);
  await shows(page, "second");
}

async function problems(page) {
  await open(page, "slip.cuda_tile");
  await until(group(page, "slip.cuda_tile").locator(".squiggly-error").first(), "the slip is not marked");
  await command(page, "Problems: Focus on Problems View");
  const rows = page.locator(".markers-panel .monaco-list-row", { hasText: "E0204" });
  await until(rows.first(), "the slip is no problem");
  assert.equal(await rows.count(), 1, "the slip is more than one problem");
  await counted(page, 1);
  await rows.locator("a", { hasText: "E0204" }).click({ modifiers: ["Control"] });
  await until(line(page, "E0204.md", "unknown op"), "the code is not explained");
}

async function beginnings(page) {
  await open(page, "empty.cuda_tile");
  await open(page, "begin.cuda_tile");
  await until(group(page, "begin.cuda_tile").locator(".squiggly-error").first(), "the misspelt word is not marked");
  await hovers(page, "begin.cuda_tile", "product");
}

await code({ program, extension, files: FILES }, async (page) => {
  await open(page, "two.cuda_tile");
  await colours(page);
  await hovers(page, "two.cuda_tile", "sum");
  await ptx(page);
  await problems(page);
  await beginnings(page);
});
console.log("VS Code: open, colours, hover, lenses, PTX of two kernels, a problem counted once and explained, an unknown first word");
