// The words of a line, by their characters: the same for the source and for all stages. Lines that no parser accepts have them too.

import { element } from "./dom.js?token={{token}}";

/** What a word is, by the first expression that fits. A word that fits `word` names the op if it is the first of its line. */
const KINDS = {
  comment: /\/\/.*/,
  string: /"(?:[^"\\]|\\.)*"?/,
  symbol: /@(?:"(?:[^"\\]|\\.)*"?|[\w.$]+)/,
  value: /%[\w.$]+/,
  alias: /[#!][\w.$]+/,
  block: /[\^$][\w.$]+/,
  directive: /\.[A-Za-z_][\w.$]*/,
  type: /(?!0x)(?:[\d?]+x)+[A-Za-z_]\w*|(?<![\w.])(?:(?:[iuszfb]|bf|tf|pred)\d+\w*|tile|token|ptr|memref|tensor_view|partition_view|gather_scatter_view)(?![\w.])/,
  number: /0[xXfFdD][\dA-Fa-f]+|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/,
  word: /[A-Za-z_][\w.$]*/,
};

const ANY = new RegExp(Object.entries(KINDS).map(([kind, { source }]) => `(?<${kind}>${source})`).join("|"), "g");

/** A line as nodes: words that have a colour are elements. */
export function dressed(line) {
  const nodes = [];
  let [done, named] = [0, false];
  for (const { 0: text, index, groups } of line.matchAll(ANY)) {
    let kind = Object.keys(groups).find((kind) => groups[kind] !== undefined);
    if (kind === "word" || kind === "directive") {
      if (kind === "word" && !named) kind = "op";
      named = true;
    }
    if (kind === "word") continue;
    if (index > done) nodes.push(line.slice(done, index));
    nodes.push(element("span", { className: `w-${kind}`, textContent: text }));
    done = index + text.length;
  }
  nodes.push(line.slice(done) || (nodes.length ? "" : " "));
  return nodes;
}
