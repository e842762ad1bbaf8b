// Short words for the elements of the page.

/** The height of a line of code in pixels, as the style sheet has it. */
export const ROW = 18;

/** Lines above and below the visible ones that are ready to be scrolled to. */
const MARGIN = 30;

export const $ = (id) => document.getElementById(id);

/** A new element with these properties. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Replaces the options of a select; the chosen one is named by its value. */
export function fill(select, values, chosen) {
  const options = values.map((value) => new Option(value));
  select.replaceChildren(...options);
  const found = options.find((option) => option.value === chosen);
  if (found) found.selected = true;
}

/** The lines of a scrolled element that can be seen, with a margin: the first, and the one after the last. */
export function visible(scroller, count) {
  const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - MARGIN);
  const last = Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + MARGIN;
  return [first, Math.min(count, last)];
}

/** Scrolls a line to the middle, unless it is in the middle third. */
export function reveal(scroller, line) {
  const [at, height] = [line * ROW + ROW / 2 - scroller.scrollTop, scroller.clientHeight];
  if (at < height / 3 || at > (2 * height) / 3) scroller.scrollTop += at - height / 2;
}

/** The columns of the widest line, with tabs of four. */
export function columns(lines) {
  let widest = 0;
  for (const line of lines) {
    if (line.length > widest || line.includes("\t")) {
      const width = line.includes("\t") ? line.replace(/\t/g, "    ").length : line.length;
      widest = Math.max(widest, width);
    }
  }
  return widest;
}
