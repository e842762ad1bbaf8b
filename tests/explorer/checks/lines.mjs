// The lines of the source in the stages: their colours, costs, and where they are scrolled to.

import assert from "node:assert/strict";
import { toSum } from "./steps.mjs";

/** The rows of the source and of the stages have the colours of what they stem from, from the start; words and numbers too. */
export async function lines({ open }) {
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
export async function scrolling({ open }) {
  const page = await open("light");
  await toSum(page);
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
