// The passes, and what each changed.

import { $, element } from "./dom.js?token={{token}}";
import { show } from "./sheet.js?token={{token}}";

/** Lists the passes; `difference` asks for what one changed. */
export function drawPasses(passes, difference) {
  $("passes").replaceChildren(...passes.map((pass) => {
    const button = element("button", {
      type: "button",
      className: pass.changed ? "" : "same",
      title: `${pass.doc}\n${pass.from} to ${pass.to}${pass.changed ? "" : ", no change"}`,
      textContent: `${pass.name} ${pass.micros.toFixed(0)} µs`,
    });
    button.addEventListener("click", async () => {
      const answer = await difference(pass.name);
      const lines = answer.lines ?? [[" ", answer.error]];
      show(`${pass.name}: ${pass.doc}`, lines.map(([tag, text]) => {
        const className = { "+": "add", "-": "remove" }[tag] ?? "";
        return element("div", { className, textContent: `${tag} ${text}` });
      }));
    });
    return button;
  }));
}
