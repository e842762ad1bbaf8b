// What is chosen, in the address of the page: it can be kept, and the back button returns to what was chosen before.

/** Milliseconds after which a line that was chosen is in the address; browsers refuse more changes of it than a few a second. */
const PAUSE = 300;

const pane = ({ stage, target, optLevel, fmad }) => [stage, target, `O${optLevel}`, ...(fmad ? ["fmad"] : [])].join(".");

const parsed = (text) => {
  const [stage, target, level, fmad] = text.split(".");
  return { stage, target, optLevel: Number(/^O([0-3])$/.exec(level)?.[1] ?? 3), fmad: fmad === "fmad" };
};

/** What the address names: a file, a kernel, panes, and a line from 0; null for what it does not. */
export function read() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const line = Number.parseInt(parts.get("line"), 10);
  return {
    file: parts.get("file"),
    kernel: parts.get("kernel"),
    panes: parts.getAll("pane").map(parsed),
    line: line > 0 ? line - 1 : null,
  };
}

let pending = null;
let pause;

function replace() {
  clearTimeout(pause);
  if (pending !== null) history.replaceState(null, "", pending);
  pending = null;
}

/** Puts what is chosen into the address; with `push` the back button returns to what was there. */
export function write({ file, kernel, panes, line }, push) {
  const parts = new URLSearchParams([["file", file], ["kernel", kernel], ...panes.map((one) => ["pane", pane(one)])]);
  if (line !== null) parts.set("line", line + 1);
  const hash = `#${parts}`;
  if (push) {
    replace();
    if (hash !== location.hash) history.pushState(null, "", hash);
  } else {
    clearTimeout(pause);
    pending = hash;
    pause = setTimeout(replace, PAUSE);
  }
}

/** Calls a function when the address has changed by itself. */
export function watch(changed) {
  addEventListener("popstate", () => {
    clearTimeout(pause);
    pending = null;
    changed();
  });
}
