// Drives the explorer in a headless Chromium, mostly by the keyboard alone.
//
// node check.mjs PROGRAM [CHECK]

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
  // A canvas knows all notations.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const linear = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) return colour;
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
    await page.evaluate(() => new Promise(requestAnimationFrame));
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
  await until(page, "the line of the error is not marked", () => document.querySelectorAll("#backdrop .row.bad").length === 1);
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await until(page, "the error stays", () => document.querySelector("#problems").childElementCount === 0);
  // A pass: its time, and what it changed.
  assert.match(await page.locator("#passes button:not(.same)").first().textContent(), /^\w+ [\d.]+ (µs|ms)$/, "a pass has no time");
  await tabTo(page, "summary");
  await page.keyboard.press("Enter");
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
    const dim = await page.evaluate(() => [".listing .row", ".listing .row span", "body"].map((one) => getComputedStyle(document.querySelector(one)).color));
    assert.ok(dim[0] === dim[1] && dim[0] !== dim[2], "the old stages are not dimmed");
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

/** The rows of the source and of the stages have the colours of what they stem from, from the start; words and numbers too. */
async function lines({ open }) {
  const page = await open("light");
  const rows = (selector) => page.locator(selector).evaluateAll((all) => all.map((row) => [row.className.match(/tint-\d+/)?.[0], row.textContent]));
  const source = await rows("#backdrop .row");
  const tints = source.map(([tint]) => tint).filter(Boolean);
  assert.ok(tints.length === 12 && new Set(tints).size === 12, `twelve lines have the colours ${tints}`);
  const of = (all, word) => all.find(([, text]) => text.includes(word))[0];
  for (const [stage, pairs] of [[0, [["addf", "arith.addf"], ["permute", "tile.permute"]]], [1, [["addf", "add.rn.f32"], ["store_view_tko", "st.global"]]]]) {
    const own = await rows(`.listing >> nth=${stage} >> .row`);
    for (const [word, became] of pairs) assert.equal(of(own, became), of(source, word), `${became} has not the colour of ${word}`);
  }
  const words = async (selector) => (await page.locator(selector).allTextContents()).join(" ");
  assert.match(await words("#backdrop .w-op"), /entry get_tile_block_id make_token/);
  assert.match(await words("#backdrop .w-value"), /%x %y %z/);
  assert.match(await words("#backdrop .w-type"), /16x16xf32/);
  assert.match(await words(".listing >> nth=1 >> .w-directive"), /\.visible/);
  assert.deepEqual((await page.locator("#margin .number").allTextContents()).slice(0, 3), ["1", "2", "3"]);
  const number = (row) => getComputedStyle(row, "::before").content;
  assert.equal(await page.locator(".listing >> nth=1 >> .row >> nth=41").evaluate(number), '"42"');

  // The text is where its colours are.
  const places = await page.evaluate(() => ["#text", "#backdrop"].map((one) => {
    const style = getComputedStyle(document.querySelector(one === "#text" ? one : `${one} .row`));
    const box = document.querySelector(one).getBoundingClientRect();
    return [box.left + parseFloat(style.paddingLeft), box.top, style.fontFamily, style.fontSize, style.lineHeight, style.tabSize];
  }));
  assert.deepEqual(places[0], places[1], "the text is not over its colours");

  // What a line costs.
  const cost = async (word) => {
    const at = source.findIndex(([, text]) => text.includes(word));
    const row = page.locator("#margin .row").nth(at);
    return Promise.all(["registers", "bytes", "lost"].map(async (one) => (await row.locator(`.${one}`).allTextContents()).join()));
  };
  assert.deepEqual(await cost("addf"), ["4", "", ""]);
  assert.deepEqual(await cost("load_view_tko"), ["4", "1K", ""]);
  assert.deepEqual(await cost("store_view_tko"), ["", "1K", ""]);
  assert.deepEqual((await cost("}")).join(""), "");
  assert.deepEqual(page.wrong, []);
}

/** Panes are divided by the keyboard and by the mouse, side by side or one below another. */
async function panes({ open }) {
  const page = await open("light");
  const boxes = () => page.locator("main > .pane").evaluateAll((all) => all.map((pane) => pane.getBoundingClientRect().toJSON()));
  const separator = page.locator("main > .separator").first();
  const before = await boxes();
  assert.ok(before[1].left >= before[0].right && before[1].top === before[0].top, "the panes are not side by side");
  await separator.focus();
  const value = async () => Number(await separator.getAttribute("aria-valuenow"));
  assert.equal(await value(), 50);
  await page.keyboard.press("ArrowRight");
  const wider = await boxes();
  assert.ok(wider[0].width > before[0].width + 10 && wider[1].width < before[1].width - 10 && (await value()) > 50, "an arrow does not move the separator");
  await page.keyboard.press("Home");
  assert.ok((await boxes())[0].width < before[0].width / 2, "Home does not make the pane small");
  await page.keyboard.press("End");
  assert.ok((await boxes())[1].width < before[0].width / 2, "End does not make the pane large");
  const at = await separator.boundingBox();
  await page.mouse.move(at.x + 3, at.y + 100);
  await page.mouse.down();
  await page.mouse.move(400, at.y + 120, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await boxes())[0].width - 400) < 8, "the separator is not where the mouse is");
  await page.mouse.move(700, at.y + 120);
  assert.ok(Math.abs((await boxes())[0].width - 400) < 8, "the separator follows the mouse for ever");

  await page.setViewportSize({ width: 760, height: 640 });
  const stacked = await boxes();
  assert.ok(stacked[1].top >= stacked[0].bottom && stacked[2].top >= stacked[1].bottom, "the panes are not one below another");
  assert.ok(stacked.every((pane) => pane.left === 0 && pane.width > 740 && pane.height > 60), "a pane does not have the width");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
  await separator.focus();
  await page.keyboard.press("ArrowDown");
  assert.ok((await boxes())[0].height > stacked[0].height + 10, "an arrow does not move the separator");
  assert.equal(await separator.getAttribute("aria-orientation"), "horizontal");
  assert.deepEqual(page.wrong, []);
}

/** Passes are in groups, those that changed something first; the page has few stops for Tab. */
async function stops({ open }) {
  const page = await open("light");
  await page.locator("#passes summary").click();
  const groups = await page.locator(".group").evaluateAll((all) => all.map((group) => [group.querySelector("strong").textContent, [...group.querySelectorAll("button")].map((one) => one.className)]));
  assert.deepEqual(groups.map(([name]) => name), ["cuda_tile", "tileaa", "tileas", "scheduled", "cute_desugared", "llvm", "nvvm"]);
  for (const [name, classes] of groups) {
    assert.ok(classes.length > 0 && classes.lastIndexOf("") < (classes.indexOf("same") + 1 || Infinity), `the passes on ${name} are not in order`);
  }
  const here = () => page.evaluate(() => document.activeElement.textContent);
  const names = await page.locator(".group button").allTextContents();
  await tabTo(page, ".group button");
  assert.equal(await here(), names[0]);
  await page.keyboard.press("ArrowRight");
  assert.equal(await here(), names[1]);
  await page.keyboard.press("End");
  assert.equal(await here(), names.at(-1));
  await page.keyboard.press("Home");
  assert.equal(await here(), names[0]);
  await page.keyboard.press("Tab");
  assert.ok(!names.includes(await here()), "Tab goes from pass to pass");

  // All that the page has, with problems and words on an op.
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(" x");
  await page.waitForSelector("#problems button");
  await page.focus("#kernel");
  let count = 1;
  for (; count < 100; count += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.id === "kernel" || document.activeElement === document.body)) break;
  }
  assert.ok(count <= 22, `the page has ${count} stops for Tab`);

  // The first and the last line of a stage.
  await tabTo(page, ".listing");
  await page.keyboard.press("End");
  const last = page.locator(".listing >> nth=0 >> .row >> nth=-1");
  assert.match(await last.getAttribute("class"), /here/, "End does not choose the last line");
  assert.equal(await page.locator(".listing >> nth=0").getAttribute("aria-activedescendant"), await last.getAttribute("id"));
  await page.keyboard.press("Home");
  assert.match(await page.locator(".listing >> nth=0 >> .row >> nth=0").getAttribute("class"), /here/, "Home does not choose the first line");
  assert.deepEqual(page.wrong, []);
}

/** A layout is drawn large, larger and smaller. */
async function drawings({ open }) {
  const page = await open("light");
  await page.locator(".listing .layout").first().click();
  await page.waitForSelector("#sheet[open] .drawing img");
  const width = () => page.locator("#sheet img").evaluate((image) => image.getBoundingClientRect().width);
  const fits = await width();
  const height = await page.locator("#sheet img").evaluate((image) => image.getBoundingClientRect().height);
  assert.ok(fits > 650 || height > 400, `the drawing is ${fits} pixels wide and ${height} high`);
  await page.keyboard.press("+");
  assert.ok((await width()) > 1.2 * fits, "+ does not make it larger");
  await page.keyboard.press("0");
  assert.ok(Math.abs((await width()) - fits) < 2, "0 does not fit it");
  await page.keyboard.press("-");
  assert.ok((await width()) < 0.85 * fits, "- does not make it smaller");
  await page.keyboard.press("Escape");
  await until(page, "Escape does not close it", () => !document.querySelector("#sheet").open);
  assert.deepEqual(page.wrong, []);
}

/** The address keeps what is chosen, for each pane by itself. */
async function addresses({ open }) {
  const page = await open("light");
  await page.selectOption("select.target >> nth=1", "sm_80");
  await page.selectOption("select.stage >> nth=0", "ptx");
  await until(page, "the panes are not for two targets", () => {
    const [a, b] = [...document.querySelectorAll(".listing")].map((one) => one.textContent);
    return a.includes(".target sm_90a") && b.includes(".target sm_80");
  });
  const costs = await page.locator(".cost").allTextContents();
  assert.ok(costs[0].startsWith("sm_90a") && costs[1].startsWith("sm_80"), `the costs are ${costs}`);
  await page.locator(".level >> nth=0").selectOption("1");
  await page.locator(".fmad >> nth=1").check();
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 9; line += 1) await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => location.hash.includes("line=10"));
  const hash = new URL(page.url()).hash;
  const other = await open("light", hash);
  const chosen = (page) => page.evaluate(() => [
    ...[".stage", ".target", ".level"].flatMap((one) => [...document.querySelectorAll(`select${one}`)].map((select) => select.value)),
    ...[...document.querySelectorAll(".fmad")].map((box) => box.checked),
    document.querySelector("#backdrop .mark")?.textContent,
  ]);
  assert.deepEqual(await chosen(other), await chosen(page), `${hash} shows something else`);
  assert.deepEqual((await chosen(page)).slice(0, 8), ["ptx", "ptx", "sm_90a", "sm_80", "1", "3", false, true]);
  // Back, step by step.
  for (const [at, wanted] of [[7, false], [4, "3"], [0, "tileas"], [3, "sm_90a"]]) {
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#state").textContent === "");
    assert.equal((await chosen(page))[at], wanted);
  }
  await until(page, "the first stage is not back", () => document.querySelector(".listing").textContent.includes("tileas.func"));
  assert.deepEqual([page.wrong, other.wrong], [[], []]);
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
    // Each kind of word on each colour of a line, lit and not, of the last text and of an older one.
    await page.evaluate(() => {
      const kinds = ["none", "comment", "string", "symbol", "value", "alias", "block", "directive", "type", "number", "op"];
      for (const [pane, old] of [...document.querySelectorAll(".stage-pane")].entries()) {
        old.classList.toggle("is-stale", pane === 1);
        for (let tint = 0; tint < 12; tint += 1) for (const lit of ["", "mark"]) {
          const row = document.createElement("div");
          row.className = `row probe tint tint-${tint} ${lit}`;
          row.append(...kinds.map((kind) => Object.assign(document.createElement("span"), { className: `w-${kind}`, textContent: kind })));
          old.querySelector(".listing").append(row);
        }
      }
    });
    assert.equal(await page.locator(".probe span").count(), 2 * 12 * 2 * 11);
    await page.locator("#passes summary").click();
    const parts = ["header", ".cost", "#state", "summary", ".group strong", ".group button", ".pane h2", ".listing .row", ".row .layout", ".note", ".row span", ".probe span", "#margin-head span", "#margin span", "#problems button", "#problems .error", "#about p", "small"];
    const [least, where] = await page.evaluate(leastContrast, parts);
    assert.ok(least >= 4.5, `${scheme}: the contrast of ${where} is ${least.toFixed(2)}`);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(red + green + blue < 384, scheme === "dark", `the page is not ${scheme}`);
    assert.deepEqual(page.wrong, []);
  }
}

const only = process.argv[3];
for (const check of [byKeyboard, edits, errors, scrolling, lines, panes, stops, drawings, addresses, colours]) {
  if (only && check.name !== only) continue;
  await explore(program, check);
}
console.log("the explorer works by the keyboard alone, in light and dark");
