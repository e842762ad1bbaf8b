// The contrast of all text in light and dark.

import assert from "node:assert/strict";
import { toSum } from "./steps.mjs";

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

/** All text can be read, in both schemes. */
export async function colours({ open }) {
  for (const scheme of ["light", "dark"]) {
    const page = await open(scheme);
    await toSum(page);
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
