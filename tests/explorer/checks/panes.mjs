// The panes and what is over them: their room, drawings, and the address that keeps what they show.

import assert from "node:assert/strict";
import { toSum, until } from "./steps.mjs";

/** Panes are divided by the keyboard and by the mouse, side by side or one below another. */
export async function panes({ open }) {
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

/** A layout is drawn large, larger and smaller. */
export async function drawings({ open }) {
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
export async function addresses({ open }) {
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
  await toSum(page);
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
