// The explorer by the keyboard alone, and how many stops Tab has.

import assert from "node:assert/strict";
import { PROGRAM } from "../page.mjs";
import { tabTo, text, toSum, until } from "./steps.mjs";

/** What the explorer shows, by the keyboard alone. */
export async function byKeyboard({ open }) {
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
  await toSum(page);
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
  await toSum(page);
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

/** Passes are in groups, those that changed something first; the page has few stops for Tab. */
export async function stops({ open }) {
  const page = await open("light");
  await page.locator("#passes summary").click();
  const groups = await page.locator("#passes .group").evaluateAll((all) => all.map((group) => [group.querySelector("strong").textContent, [...group.querySelectorAll("button")].map((one) => one.className)]));
  assert.deepEqual(groups.map(([name]) => name), ["cuda_tile", "tileaa", "tileas", "scheduled", "cute_desugared", "llvm", "nvvm"]);
  for (const [name, classes] of groups) {
    assert.ok(classes.length > 0 && classes.lastIndexOf("") < (classes.indexOf("same") + 1 || Infinity), `the passes on ${name} are not in order`);
  }
  const here = () => page.evaluate(() => document.activeElement.textContent);
  const names = await page.locator("#passes .group button").allTextContents();
  await tabTo(page, "#passes .group button");
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
  await toSum(page);
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
