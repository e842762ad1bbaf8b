// The source: a text field over rows that show what is said of its lines. Only the rows in view exist.

import { ROW, columns, element, reveal, visible } from "./dom.js?token={{token}}";

export class Source {
  #box;
  #field;
  #backdrop;
  #lines = [""];
  #bad = new Set();
  #lit = null;
  #drawn = [0, 0];

  /** `edit` is called after each edit, `choose` with the line of the caret when it has moved. */
  constructor({ box, field, backdrop }, { edit, choose }) {
    this.#box = box;
    this.#field = field;
    this.#backdrop = backdrop;
    box.addEventListener("scroll", () => this.#scrolled());
    new ResizeObserver(() => this.#draw()).observe(box);
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

  set readOnly(readOnly) {
    this.#field.readOnly = readOnly;
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

  /** Marks lines with errors. */
  set bad(lines) {
    this.#bad = new Set(lines);
    this.#draw();
  }

  /** Lights a line; `show` scrolls it to the middle. */
  light(line, show) {
    this.#lit = line;
    if (show && line !== null) reveal(this.#box, line);
    this.#draw();
  }

  /** Puts the caret at a place. */
  goTo(line, column) {
    const start = this.#lines.slice(0, line).reduce((sum, line) => sum + line.length + 1, 0);
    this.#field.focus({ preventScroll: true });
    this.#field.setSelectionRange(start + column, start + column);
    reveal(this.#box, line);
  }

  #measure() {
    this.#lines = this.#field.value.split("\n");
    this.#field.style.height = `${(this.#lines.length + 1) * ROW}px`;
    this.#box.style.setProperty("--columns", columns(this.#lines) + 2);
    this.#draw();
  }

  #scrolled() {
    const [first, last] = visible(this.#box, this.#lines.length);
    if (first < this.#drawn[0] || last > this.#drawn[1]) this.#draw();
  }

  #draw() {
    const [first, last] = (this.#drawn = visible(this.#box, this.#lines.length));
    this.#backdrop.style.top = `${first * ROW}px`;
    this.#backdrop.replaceChildren(...this.#lines.slice(first, last).map((line, index) => {
      const at = first + index;
      const row = element("div", { className: "row", textContent: line || " " });
      row.classList.toggle("bad", this.#bad.has(at));
      row.classList.toggle("mark", this.#lit === at);
      return row;
    }));
  }
}
