// The source: a text field over rows that show what is said of its lines. Only the rows in view exist.

import { ROW, columns, element, reveal, visible } from "./dom.js?token={{token}}";
import { tinted } from "./tints.js?token={{token}}";
import { dressed } from "./words.js?token={{token}}";

/** A number of bytes, short. */
const size = (bytes) => (bytes < 1024 ? `${bytes}` : bytes < 1 << 20 ? `${+(bytes / 1024).toFixed(1)}K` : `${+(bytes / (1 << 20)).toFixed(1)}M`);

/** The columns of the margin: the class of each, what it has of a cost, and what that means. */
const COSTS = [
  ["registers", ({ registers }) => registers || "", "registers of a thread that hold its results"],
  ["bytes", ({ bytes }) => (bytes ? size(bytes) : ""), "bytes that a block moves to and from global memory, in one round if in a loop"],
  ["lost", ({ conflicts }) => conflicts || "", "cycles that a warp loses to bank conflicts"],
];

export class Source {
  #box;
  #field;
  #backdrop;
  #margin;
  #lines = [""];
  #bad = new Set();
  #tints = new Map();
  #costs = new Map();
  #lit = null;
  #drawn = [0, 0];
  #frame = 0;
  #readOnly = false;

  /** `edit` is called after each edit, `choose` with the line of the caret when it has moved. */
  constructor({ box, field, backdrop, margin }, { edit, choose }) {
    this.#box = box;
    this.#field = field;
    this.#backdrop = backdrop;
    this.#margin = margin;
    box.addEventListener("scroll", () => this.#scrolled());
    new ResizeObserver(() => this.#drawSoon()).observe(box);
    field.addEventListener("beforeinput", (event) => this.#readOnly && event.preventDefault());
    field.addEventListener("input", () => {
      this.#measure();
      edit();
    });
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === field) choose(this.caret);
    });
  }

  get text() {
    return this.#field.value;
  }

  set text(text) {
    if (this.#field.value !== text) {
      const at = this.#field.selectionStart;
      this.#field.value = text;
      this.#field.setSelectionRange(at, at);
    }
    this.#measure();
  }

  /** A text that is only read still has a caret, which a field with the attribute `readonly` does not move by the keyboard. */
  set readOnly(readOnly) {
    this.#readOnly = readOnly;
    this.#field.setAttribute("aria-readonly", readOnly);
  }

  /** The line of the caret. */
  get caret() {
    let [line, at] = [0, -1];
    const end = this.#field.selectionStart;
    while ((at = this.#field.value.indexOf("\n", at + 1)) >= 0 && at < end) line += 1;
    return line;
  }

  /** Whether the keyboard is in the text. */
  get focused() {
    return document.activeElement === this.#field;
  }

  /** Shows what is known of lines: the numbers of those with errors, colours and costs by line. */
  tell({ bad, tints, costs }) {
    this.#bad = new Set(bad);
    this.#tints = tints;
    this.#costs = costs;
    this.#drawSoon();
  }

  /** Lights a line; `show` scrolls it to the middle. */
  light(line, show) {
    this.#lit = line;
    if (show && line !== null) reveal(this.#box, line);
    this.#drawSoon();
  }

  /** Puts the caret at a place. */
  goTo(line, column) {
    const start = this.#start(line);
    this.#field.focus({ preventScroll: true });
    this.#field.setSelectionRange(start + column, start + column);
    reveal(this.#box, line);
  }

  /** Puts the caret to the start of a line, wherever the keyboard is. */
  set caretLine(line) {
    const start = this.#start(line);
    this.#field.setSelectionRange(start, start);
  }

  #start(line) {
    return this.#lines.slice(0, line).reduce((sum, line) => sum + line.length + 1, 0);
  }

  #measure() {
    this.#lines = this.#field.value.split("\n");
    this.#box.style.setProperty("--lines", this.#lines.length);
    this.#box.style.setProperty("--columns", columns(this.#lines));
    this.#box.style.setProperty("--digits", String(this.#lines.length).length);
    this.#drawSoon();
  }

  #scrolled() {
    const [first, last] = visible(this.#box, this.#lines.length);
    if (first < this.#drawn[0] || last > this.#drawn[1]) this.#drawSoon();
  }

  /** Draws once before the next frame, whatever has changed until then. */
  #drawSoon() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    const [first, last] = (this.#drawn = visible(this.#box, this.#lines.length));
    const [rows, margins] = [[], []];
    for (let at = first; at < last; at += 1) {
      const row = element("div", { className: tinted(this.#tints.get(at)) }, ...dressed(this.#lines[at]));
      row.classList.toggle("bad", this.#bad.has(at));
      const margin = element("div", { className: tinted(this.#tints.get(at)) }, element("span", { className: "number", textContent: at + 1 }));
      const cost = this.#costs.get(at);
      for (const [className, shown, title] of cost ? COSTS : []) {
        margin.append(element("span", { className, title, textContent: shown(cost) }));
      }
      for (const one of [row, margin]) one.classList.toggle("mark", this.#lit === at);
      rows.push(row);
      margins.push(margin);
    }
    for (const [box, all] of [[this.#backdrop, rows], [this.#margin, margins]]) {
      box.style.setProperty("--first", first);
      box.replaceChildren(...all);
    }
  }
}
