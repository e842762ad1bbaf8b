// The list of problems.

import { $, element } from "./dom.js?token={{token}}";
import { roving } from "./roving.js?token={{token}}";
import { ask } from "./server.js?token={{token}}";
import { show } from "./sheet.js?token={{token}}";

const list = roving($("problems"));

/** Lists problems; `goTo` is called with the place of the one that is chosen. */
export function drawProblems(problems, goTo) {
  list.draw(problems.map((one) => {
    const line = one.at?.line === undefined ? "" : `${one.at.line + 1}: `;
    const more = [...(one.notes ?? []), ...(one.help ?? []).map((help) => `help: ${help}`)];
    const textContent = [`${line}${one.severity}[${one.code}]: ${one.message}`, ...more].join("\n");
    const problem = element("button", { type: "button", className: one.severity, textContent });
    problem.addEventListener("click", () => goTo(one.at));
    const why = element("button", { type: "button", className: "why", textContent: "why?" });
    why.addEventListener("click", async () => {
      const answer = await ask("explain", { code: one.code });
      show(one.code, [answer.text ?? answer.error]);
    });
    return element("li", {}, problem, " ", why);
  }));
}
