// The attributes of the kernel by their families, and what becomes of each.

import { $, element } from "./dom.js?token={{token}}";
import { roving } from "./roving.js?token={{token}}";
import { show } from "./sheet.js?token={{token}}";

const list = roving($("attribute-list"));

/** Lists the attributes; `life` asks for the lines about one, or about all with null. */
export function drawAttributes(attributes, life) {
  const names = new Set(attributes.map((attribute) => attribute.name));
  $("attribute-sum").textContent = names.size ? `${names.size} attribute${names.size === 1 ? "" : "s"}` : "no attributes";
  const all = button("all", null, "what becomes of all attributes, also of those that passes make", life);
  list.draw([
    ...[...Map.groupBy(attributes, (attribute) => attribute.family)].map(([family, own]) => {
      return group(family, own.map(({ name }) => button(name, name, `what becomes of ${name}`, life)));
    }),
    group("", [all]),
  ]);
}

function group(name, buttons) {
  const made = element("div", { className: "group" }, element("strong", { textContent: name }), element("div", {}, ...buttons));
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", name ? `attributes: ${name}` : "all attributes");
  return made;
}

function button(textContent, name, title, life) {
  const made = element("button", { type: "button", textContent, title });
  made.addEventListener("click", async () => {
    const answer = await life(name);
    show(title, (answer.lines ?? [answer.error]).map((line) => element("div", { textContent: line || "\u00a0" })));
  });
  return made;
}
