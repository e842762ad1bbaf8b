// What an op became, in words, and the drawing of its tile.

import { $, element } from "./dom.js?token={{token}}";
import { drawing, showDrawing } from "./sheet.js?token={{token}}";

let told = 0;

/** Says what `answer` promises, unless another op is asked about before it comes; with null, nothing. */
export async function tellAbout(answer) {
  const number = ++told;
  const about = $("about");
  if (answer === null) {
    about.hidden = true;
    return;
  }
  const { lines, layout, error, svg } = await answer;
  if (number !== told) return;
  const words = (lines ?? [error]).map((line) => element("p", {}, ...line.split("`").map((part, at) => {
    return at % 2 ? element("code", { textContent: part }) : part;
  })));
  if (svg) {
    const large = element("button", { type: "button", className: "drawing", title: "draw it large" }, drawing(svg, "the layout of its tile"));
    large.addEventListener("click", () => showDrawing("the layout of its tile", layout, svg, `the layout ${layout}`));
    words.push(large);
  }
  about.replaceChildren(...words);
  about.hidden = false;
}
