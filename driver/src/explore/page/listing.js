// A stage: rows that can be chosen, each with the line of the source that it stems from.

import { ROW, columns, element, reveal, visible } from "./dom.js?token={{token}}";
import { tinted } from "./tints.js?token={{token}}";
import { dressed } from "./words.js?token={{token}}";

/** The rows of a pane. All are in the document, so that the browser finds text in them; those that come into view are dressed. */
export class Listing {
  #box;
  #rows = [];
  #lines = [];
  #pane = {};
  #aliases = new Map();
  #here = null;
  #lit = [];

  /** `choose` is called with the row that is chosen, `draw` with a layout's name, its text and the line that has it. */
  constructor(box, { choose, draw }) {
    this.#box = box;
    this.choose = choose;
    this.draw = draw;
    box.addEventListener("scroll", () => this.#dress());
    new ResizeObserver(() => this.#dress()).observe(box);
    box.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      if (event.target.matches(".layout")) this.#draw(event.target.textContent, this.#rows.indexOf(row));
      else this.#choose(this.#rows.indexOf(row));
    });
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  /** What a row stems from. */
  origin(row) {
    return this.#pane.origins?.[row] ?? null;
  }

  /** The line of the source that a row stems from. */
  line(row) {
    return this.#pane.lines?.[row] ?? null;
  }

  /** Shows a stage, or why there is none, with the colours of lines of the source. Rows at both ends that have not changed stay. */
  show(pane, tints) {
    this.#pane = pane;
    const lines = (pane.text ?? pane.error ?? "").replace(/\n$/, "").split("\n");
    const aliases = new Map();
    for (const line of lines) {
      const alias = /^(#[\w.$]+) = (.*)$/.exec(line);
      if (alias) aliases.set(alias[1], alias[2]);
    }
    const known = aliases.size === this.#aliases.size && [...aliases.keys()].every((name) => this.#aliases.has(name));
    this.#aliases = aliases;
    const [old, most] = [this.#lines, known ? Math.min(lines.length, this.#lines.length) : 0];
    let [start, end] = [0, 0];
    while (start < most && old[start] === lines[start]) start += 1;
    while (end < most - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end += 1;
    const fresh = lines.slice(start, lines.length - end).map((line) => {
      const row = element("div", { className: "row", textContent: line || " " });
      row.setAttribute("role", "option");
      return row;
    });
    for (const row of this.#rows.slice(start, old.length - end)) row.remove();
    const after = this.#rows[old.length - end];
    const all = document.createDocumentFragment();
    all.append(...fresh);
    this.#box.insertBefore(all, after ?? null);
    this.#rows = [...this.#rows.slice(0, start), ...fresh, ...this.#rows.slice(old.length - end)];
    this.#lines = lines;
    this.#rows.forEach((row, at) => {
      const [number, name] = [String(at + 1), tinted(tints.get(pane.lines?.[at]))];
      if (row.dataset.n !== number) row.dataset.n = number;
      if (row.className !== name) row.className = name;
    });
    this.#lit = [];
    this.#here?.classList.add("here");
    if (!this.#here?.isConnected) this.#here = null;
    this.#box.style.setProperty("--columns", columns(lines));
    this.#box.style.setProperty("--digits", String(lines.length).length);
    this.#dress();
  }

  /** Lights the rows of a line of the source; `show` scrolls the first of them to the middle. */
  light(line, show) {
    for (const row of this.#lit) row.classList.remove("mark");
    const origins = this.#pane.lines ?? [];
    this.#lit = line === null ? [] : this.#rows.filter((_, at) => origins[at] === line);
    for (const row of this.#lit) row.classList.add("mark");
    if (show && this.#lit.length) reveal(this.#box, this.#rows.indexOf(this.#lit[0]));
  }

  /** Divides the rows in view into words. */
  #dress() {
    const [first, last] = visible(this.#box, this.#rows.length);
    for (let at = first; at < last; at += 1) {
      const row = this.#rows[at];
      if (row.dressed) continue;
      row.dressed = true;
      row.replaceChildren(...dressed(this.#lines[at]));
      // The names of layouts draw them.
      for (const word of row.querySelectorAll(".w-alias")) {
        if (!this.#aliases.has(word.textContent)) continue;
        word.classList.add("layout");
        word.title = `draw ${word.textContent}`;
      }
    }
  }

  #draw(name, at) {
    this.draw(name, this.#aliases.get(name), this.#lines[at]);
  }

  #choose(at) {
    const row = this.#rows[at];
    if (!row) return;
    if (this.#here) {
      this.#here.classList.remove("here");
      this.#here.removeAttribute("aria-selected");
      this.#here.removeAttribute("id");
    }
    this.#here = row;
    row.classList.add("here");
    row.setAttribute("aria-selected", "true");
    row.id = `${this.#box.id}-here`;
    this.#box.setAttribute("aria-activedescendant", row.id);
    const [top, bottom] = [at * ROW, (at + 1) * ROW];
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    else if (bottom > this.#box.scrollTop + this.#box.clientHeight) this.#box.scrollTop = bottom - this.#box.clientHeight;
    this.choose(at);
  }

  #key(event) {
    const last = this.#rows.length - 1;
    const here = this.#here ? this.#rows.indexOf(this.#here) : null;
    const page = Math.max(1, Math.floor(this.#box.clientHeight / ROW) - 1);
    // Without a chosen row, the first step chooses a lit one, or the first in view.
    const start = () => {
      if (this.#lit.length) return this.#rows.indexOf(this.#lit[0]);
      return Math.ceil(this.#box.scrollTop / ROW);
    };
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in steps) {
      event.preventDefault();
      const step = steps[event.key];
      const wanted = here === null && Number.isFinite(step) ? start() : (here ?? 0) + step;
      this.#choose(Math.min(Math.max(wanted, 0), last));
    } else if (event.key === "Enter" && here !== null) {
      const name = this.#lines[here].match(/#[\w.$]+/g)?.find((name) => this.#aliases.has(name));
      if (name) this.#draw(name, here);
    }
  }
}
