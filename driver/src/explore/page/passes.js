// The passes by the language that they read, and what each changed.

import { $, element } from "./dom.js?token={{token}}";
import { roving } from "./roving.js?token={{token}}";
import { show } from "./sheet.js?token={{token}}";

const list = roving($("pass-list"));

const time = (micros) => (micros < 1000 ? `${micros.toFixed(0)} µs` : `${(micros / 1000).toFixed(1)} ms`);
const sum = (passes) => time(passes.reduce((sum, pass) => sum + pass.micros, 0));

/** Lists the passes for some options; `difference` asks for what one changed. In each group, those that changed something are first. */
export function drawPasses(passes, options, difference) {
  const changed = passes.filter((pass) => pass.changed);
  $("pass-sum").textContent = passes.length ? `${passes.length} passes for ${options}: ${changed.length} changed something, ${sum(passes)}` : "no passes";
  list.draw([...Map.groupBy(passes, (pass) => pass.from)].map(([language, own]) => {
    const sorted = [...own.filter((pass) => pass.changed), ...own.filter((pass) => !pass.changed)];
    const heading = element("strong", { textContent: language });
    const group = element("div", { className: "group" }, heading, element("div", {}, ...sorted.map((pass) => button(pass, difference))));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", `passes on ${language}`);
    return group;
  }));
}

function button(pass, difference) {
  const made = element("button", {
    type: "button",
    className: pass.changed ? "" : "same",
    title: `${pass.doc}\n${pass.from} to ${pass.to}${pass.changed ? "" : ", no change"}`,
    textContent: `${pass.name} ${time(pass.micros)}`,
  });
  made.addEventListener("click", async () => {
    const answer = await difference(pass.name);
    const lines = answer.lines ?? [[" ", answer.error]];
    show(`${pass.name}: ${pass.doc}`, lines.map(([tag, text]) => {
      const className = { "+": "add", "-": "remove" }[tag] ?? "";
      return element("div", { className, textContent: `${tag} ${text}` });
    }));
  });
  return made;
}
