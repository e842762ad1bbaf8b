// Drives the explorer in a headless Chromium, mostly by the keyboard alone.
//
// node check.mjs PROGRAM

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { PROGRAM, explore } from "./page.mjs";

const program = process.argv[2];
if (!program) throw new Error("usage: node check.mjs PROGRAM");

/** Presses Tab until an element that fits has the focus. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  assert.fail(`Tab does not reach ${selector}`);
}

const listing = (page, at) => page.locator(".listing").nth(at);
const text = async (page, at) => (await listing(page, at).locator(".row").allTextContents()).join("\n");
const until = (page, what, wanted) => page.waitForFunction(wanted, null, { timeout: 20_000 }).catch(() => assert.fail(what));

/** The least contrast of text against what is behind it (WCAG 2.1, 1.4.3). */
function leastContrast(selectors) {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const linear = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const pair = [luminance(channels(getComputedStyle(element).color)), luminance(behind(element))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  const all = selectors.flatMap((selector) => [...document.querySelectorAll(selector)].map((element) => [contrast(element), selector]));
  return all.reduce((least, one) => (one[0] < least[0] ? one : least), [21, "nothing"]);
}

async function byKeyboard({ open, file }) {
  const page = await open("light");
  assert.equal(await page.inputValue("#text"), PROGRAM, "the source is not shown");
  assert.match(await text(page, 0), /tileas\.func @sum/, "the first stage is not shown");
  assert.match(await text(page, 1), /\.visible \.entry sum/, "the second stage is not shown");
  assert.match(await page.textContent("#cost"), /sm_90a · .*KiB a block/, "there is no cost");

  // Another stage.
  await tabTo(page, "select.stage");
  await page.keyboard.type("nvvm");
  await until(page, "the stage is not changed", () => document.querySelector(".listing").textContent.includes("nvvm.func"));

  // A line of the source lights what it became, and back.
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
  await until(page, "the sum lights nothing", () => [...document.querySelectorAll(".listing .row.mark")].some((row) => row.textContent.includes("add")));
  await until(page, "the sum is not told about", () => document.querySelector("#about").textContent.includes("PTX: 4 × add.rn.f32"));
  await until(page, "the tile of the sum is not drawn", () => document.querySelector("#about img")?.naturalWidth > 0);
  await tabTo(page, ".listing");
  await page.keyboard.press("ArrowDown");
  const marked = async () => {
    const rows = await page.locator("#backdrop .row.mark").allTextContents();
    return rows.join("\n");
  };
  let found = "";
  for (let step = 0; step < 300 && !found.includes("load_view_tko"); step += 1) {
    await page.keyboard.press("ArrowDown");
    found = await marked();
  }
  assert.match(found, /load_view_tko/, "no line of the stage lights the load");
  await until(page, "the load is not told about", () => /load_view_tko.*tileas\.load by/s.test(document.querySelector("#about").textContent));

  // A broken edit, and its end.
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(" x");
  await until(page, "the error is not shown", () => /10: error\[E\d+\]/.test(document.querySelector("#problems").textContent));
  assert.equal(await page.locator("#backdrop .row.bad").count(), 1, "the line of the error is not marked");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await until(page, "the error stays", () => document.querySelector("#problems").childElementCount === 0);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// edited\n");
  await until(page, "the edit is not told", () => document.querySelector("#edited").textContent.includes("not saved"));

  // A pass: its time, and what it changed.
  assert.match(await page.locator("#passes button:not(.same)").first().textContent(), /^\w+ \d+ µs$/, "a pass has no time");
  await page.locator("#passes button", { hasText: "assign_layouts" }).focus();
  await page.keyboard.press("Enter");
  await until(page, "the pass shows no difference", () => document.querySelectorAll("#sheet[open] .add").length > 0);
  await page.keyboard.press("Escape");
  await until(page, "the sheet stays", () => !document.querySelector("#sheet").open);

  // A layout is drawn.
  await page.focus("select.stage");
  await page.keyboard.type("tileas");
  await until(page, "the stage is not changed", () => document.querySelector(".listing").textContent.includes("tileas.func"));
  await tabTo(page, ".listing .row button");
  await page.keyboard.press("Enter");
  await until(page, "no layout is drawn", () => document.querySelector("#sheet[open] img")?.naturalWidth > 0);
  await page.keyboard.press("Escape");

  // Options.
  await page.focus("#target");
  await page.keyboard.type("sm_80");
  await until(page, "the target is not changed", () => document.querySelector("#cost").textContent.startsWith("sm_80"));

  // The file changes on disk.
  writeFileSync(file, PROGRAM.replace("@sum", "@other"));
  await until(page, "the file is not read again", () => document.querySelector("#text").value.includes("@other"));
  await until(page, "the stages are not made again", () => document.querySelectorAll(".listing")[1].textContent.includes(".entry other"));
  assert.deepEqual(page.wrong, []);
}

async function colours({ open }) {
  for (const scheme of ["light", "dark"]) {
    const page = await open(scheme);
    await page.focus("#text");
    await page.keyboard.press("Control+Home");
    for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".listing .row.mark");
    await page.keyboard.type("x");
    await page.waitForSelector("#problems button");
    const parts = ["header", "#cost", "#state", "nav button", ".pane h2", "#text", ".listing .row", ".row button", "#problems button", "#problems .error", "#about p", "small"];
    const [least, where] = await page.evaluate(leastContrast, parts);
    assert.ok(least >= 4.5, `${scheme}: the contrast of ${where} is ${least.toFixed(2)}`);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(red + green + blue < 384, scheme === "dark", `the page is not ${scheme}`);
    assert.deepEqual(page.wrong, []);
  }
}

await explore(program, byKeyboard);
await explore(program, colours);
console.log("the explorer works by the keyboard alone, in light and dark");
