// Drives the explorer in a headless Chromium, mostly by the keyboard alone.
//
// node check.mjs PROGRAM

import assert from "node:assert/strict";
import { utimesSync, writeFileSync } from "node:fs";
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

async function byKeyboard({ open }) {
  const page = await open("light");
  assert.equal(await page.inputValue("#text"), PROGRAM, "the source is not shown");
  assert.match(await text(page, 0), /tileas\.func @sum/, "the first stage is not shown");
  assert.match(await text(page, 1), /\.visible \.entry sum/, "the second stage is not shown");
  assert.match(await page.textContent(".cost"), /sm_90a · .*KiB a block/, "there is no cost");

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
  await page.keyboard.press("Home");
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
  await tabTo(page, ".listing");
  await page.keyboard.press("Home");
  const named = async () => /#linear/.test(await page.locator(".listing .row.here").textContent());
  for (let step = 0; step < 100 && !(await named()); step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(page, "no layout is drawn", () => document.querySelector("#sheet[open] img")?.naturalWidth > 0);
  await page.keyboard.press("Escape");

  // Options.
  await page.focus("select.target");
  await page.keyboard.type("sm_80");
  await until(page, "the target is not changed", () => document.querySelector(".cost").textContent.startsWith("sm_80"));

  assert.deepEqual(page.wrong, []);
}

/** Edits outlive a reload, and files that change. */
async function edits({ open, file }) {
  const page = await open("light");
  const source = () => page.inputValue("#text");
  const write = async (text) => {
    // The server compares the times of the file.
    writeFileSync(file, text);
    const later = new Date(Date.now() + 1000 * (write.times = (write.times ?? 0) + 1));
    utimesSync(file, later, later);
  };
  const isOffered = () => document.querySelector("#changed").checkVisibility();

  // A file that changes is read again.
  await write(PROGRAM.replace("@sum", "@other"));
  await until(page, "the file is not read again", () => document.querySelector("#text").value.includes("@other"));
  await until(page, "the stages are not made again", () => document.querySelectorAll(".listing")[1].textContent.includes(".entry other"));

  // An edit outlives a reload.
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// edited\n");
  await until(page, "the edit is not told", () => document.querySelector("#edited").textContent.includes("not saved"));
  await page.reload();
  await until(page, "the edit is lost", () => document.querySelector("#text").value.startsWith("// edited"));
  await until(page, "the edit is not told after a reload", () => document.querySelector("#edited").textContent.includes("not saved"));
  assert.equal(await page.evaluate(isOffered), false, "a file that has not changed is offered");

  // A file that changes meanwhile is offered, and the edit stays until the file's text is taken.
  await write(PROGRAM.replace("@sum", "@third"));
  await until(page, "the change is not told", isOffered);
  assert.match(await source(), /^\/\/ edited/, "the change replaces the edit");
  await page.reload();
  await until(page, "the change is not told after a reload", isOffered);
  assert.match(await source(), /^\/\/ edited/, "the change replaces the edit after a reload");
  await tabTo(page, "#keep");
  await page.keyboard.press("Enter");
  await until(page, "the offer stays", () => !document.querySelector("#changed").checkVisibility());
  assert.match(await source(), /^\/\/ edited/, "the edit is not kept");
  await write(PROGRAM.replace("@sum", "@fourth"));
  await until(page, "the second change is not told", isOffered);
  await tabTo(page, "#take");
  await page.keyboard.press("Enter");
  await until(page, "the file's text is not taken", () => document.querySelector("#text").value.includes("@fourth"));
  assert.equal(await page.textContent("#edited"), "");
  await page.reload();
  await until(page, "the file is not shown after a reload", () => document.querySelector("#text").value.includes("@fourth"));

  // The page warns only of an edit that would be lost.
  let warned = 0;
  page.on("dialog", (dialog) => {
    warned += 1;
    dialog.accept();
  });
  await page.focus("#text");
  await page.keyboard.type("// kept\n");
  await page.reload();
  await page.focus("#text");
  assert.equal(warned, 0, "the page warns of an edit that it keeps");
  await page.evaluate(() => { Storage.prototype.setItem = () => { throw new Error("no room"); }; });
  await page.keyboard.type("// lost\n");
  await until(page, "that nothing keeps the edit is not told", () => document.querySelector("#edited").textContent.includes("lost"));
  await page.reload();
  assert.equal(warned, 1, "the page does not warn of an edit that nothing keeps");
  assert.deepEqual(page.wrong, []);
}

/** The stages of the last text without errors stay while there are errors. */
async function errors({ open }) {
  const page = await open("light");
  const before = await text(page, 1);
  const noted = () => [...document.querySelectorAll(".stale")].every((note) => note.checkVisibility());
  for (const [line, broken] of [[9, " x"], [1, " }"], [0, "{ "]]) {
    await page.focus("#text");
    await page.keyboard.press("Control+Home");
    for (let at = 0; at < line; at += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.type(broken);
    await until(page, `that the stages are old is not told after "${broken}"`, noted);
    assert.equal(await text(page, 1), before, `"${broken}" changes the stage`);
    const dim = await page.evaluate(() => [".row", "#text"].map((one) => getComputedStyle(document.querySelector(one)).color));
    assert.notEqual(dim[0], dim[1], "the old stages are not dimmed");
    // Another stage is one of the old text too.
    await page.selectOption("select.stage >> nth=0", "llvm");
    await until(page, "another stage is not shown", () => document.querySelector(".listing").textContent.includes("llvm.func"));
    assert.ok(await page.evaluate(noted), "another stage is not told to be old");
    await page.selectOption("select.stage >> nth=0", "tileas");
    await until(page, "the first stage is not shown", () => document.querySelector(".listing").textContent.includes("tileas.func"));
    await page.focus("#text");
    for (const _ of broken) await page.keyboard.press("Backspace");
    await until(page, "the note stays", () => !document.querySelector(".stale").checkVisibility());
  }
  assert.deepEqual(page.wrong, []);
}

/** The distance of the first lit row from the middle of a listing, in heights of it; 0 at an end that cannot be scrolled. */
function offCentre(at) {
  const box = document.querySelectorAll(".listing")[at];
  const row = box.querySelector(".row.mark");
  if (!row) return null;
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  const off = (inner.top + inner.height / 2 - outer.top) / outer.height - 0.5;
  if (off < 0 && box.scrollTop === 0) return 0;
  if (off > 0 && box.scrollTop >= box.scrollHeight - box.clientHeight - 1) return 0;
  return off;
}

/** What is lit is scrolled to the middle third. */
async function scrolling({ open }) {
  const page = await open("light");
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
  await page.waitForSelector(".listing .row.mark");
  let scrolled = 0;
  for (const stage of ["nvvm", "tileas", "llvm", "ptx"]) {
    await page.locator(".listing").first().evaluate((box) => { box.scrollTop = 0; });
    await page.selectOption("select.stage >> nth=0", stage);
    const name = stage === "ptx" ? ".entry" : `${stage}.func`;
    await page.waitForFunction((name) => document.querySelector(".listing").textContent.includes(name), name);
    await page.waitForFunction(() => document.querySelector("#state").textContent === "");
    for (const at of [0, 1]) {
      const off = await page.evaluate(offCentre, at);
      assert.ok(off !== null && Math.abs(off) < 1 / 6 + 0.05, `the lit line of ${stage} is ${off} heights from the middle of pane ${at}`);
    }
    scrolled += (await page.locator(".listing").first().evaluate((box) => box.scrollTop)) > 0;
  }
  assert.ok(scrolled > 0, "nothing is scrolled");
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
    const parts = ["header", ".cost", "#state", "nav button", ".pane h2", "#text", ".listing .row", ".row .layout", ".note", "#problems button", "#problems .error", "#about p", "small"];
    const [least, where] = await page.evaluate(leastContrast, parts);
    assert.ok(least >= 4.5, `${scheme}: the contrast of ${where} is ${least.toFixed(2)}`);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(red + green + blue < 384, scheme === "dark", `the page is not ${scheme}`);
    assert.deepEqual(page.wrong, []);
  }
}

for (const check of [byKeyboard, edits, errors, scrolling, colours]) {
  await explore(program, check);
}
console.log("the explorer works by the keyboard alone, in light and dark");
