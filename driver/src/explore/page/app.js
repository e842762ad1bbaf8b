// The page: what is chosen in it, what the server says of that, and the parts that show it.

import { tellAbout } from "./about.js?token={{token}}";
import * as address from "./address.js?token={{token}}";
import { drawAttributes } from "./attributes.js?token={{token}}";
import { $, fill } from "./dom.js?token={{token}}";
import * as drafts from "./drafts.js?token={{token}}";
import { Listing } from "./listing.js?token={{token}}";
import { drawPasses } from "./passes.js?token={{token}}";
import { drawProblems } from "./problems.js?token={{token}}";
import { ask } from "./server.js?token={{token}}";
import { show, showDrawing } from "./sheet.js?token={{token}}";
import { Source } from "./source.js?token={{token}}";
import { divide } from "./split.js?token={{token}}";
import { tintsOf } from "./tints.js?token={{token}}";

/** Milliseconds after the last key at which an edit is compiled. */
const PAUSE = 120;

/** Whether the panes are one below another. */
const stacked = matchMedia("(max-width: 900px)");

/** The file as the server read it last, and its text when the edit in the page began. */
const file = { version: 0, name: "", text: "", base: "", readOnly: false };
/** What the server said last. */
let said = { kernels: [], panes: [], problems: [], source: { origins: [] } };
/** The line of the source that is lit, and the op that is told about. */
let lit = { line: null, origin: null };
/** The pane whose options the passes and the words on an op are for. */
let active = 0;
/** The kernel that the address names, until there is an answer about it. */
const wanted = { kernel: null };
/** Whether the browser has the edit. */
let isKept = true;

const source = new Source(
  { box: $("source"), field: $("text"), backdrop: $("backdrop"), margin: $("margin") },
  { edit: edited, choose: (line) => choose(line, said.source.origins[line] ?? null, source) },
);

const panes = [...document.querySelectorAll(".stage-pane")].map((section, at) => {
  const part = (selector) => section.querySelector(selector);
  const pane = { section, stage: part(".stage"), target: part(".target"), level: part(".level"), fmad: part(".fmad"), cost: part(".cost"), stale: part(".stale") };
  const box = part(".listing");
  box.id = `listing-${at}`;
  pane.listing = new Listing(box, {
    choose: (row) => choose(pane.listing.line(row), pane.listing.origin(row), pane.listing),
    draw: drawLayout,
  });
  section.addEventListener("focusin", () => activate(at));
  for (const control of [pane.stage, pane.target, pane.level, pane.fmad]) {
    control.addEventListener("change", () => {
      note(true);
      compile({ reveal: [pane.listing] });
    });
  }
  return pane;
});

/** What is chosen, as the server takes it. */
function settings() {
  return {
    text: file.readOnly ? undefined : source.text,
    kernel: wanted.kernel ?? $("kernel").value,
    kernelNumber: Math.max(0, $("kernel").selectedIndex),
    panes: panes.map((pane) => ({
      stage: pane.stage.value,
      target: pane.target.value,
      optLevel: Number(pane.level.value),
      fmad: pane.fmad.checked,
    })),
    active,
    stale: said.stale === true,
  };
}

/** The options of a pane in words. */
function options({ target, optLevel, fmad }) {
  return `${target} -O${optLevel}${fmad ? " fmad" : ""}`;
}

/** Puts what is chosen into the address; with `push` the back button undoes it. */
function note(push) {
  const { kernel, panes } = settings();
  address.write({ file: file.name, kernel, panes, line: lit.line }, push);
}

/** Chooses what the address names, as far as this run has it. */
function obey(named) {
  if (named.file !== null && named.file !== file.name) return;
  wanted.kernel = named.kernel;
  named.panes.slice(0, panes.length).forEach((one, at) => {
    const has = (select, value) => [...select.options].some((option) => option.value === value);
    if (has(panes[at].stage, one.stage)) panes[at].stage.value = one.stage;
    if (has(panes[at].target, one.target)) panes[at].target.value = one.target;
    panes[at].level.value = one.optLevel;
    panes[at].fmad.checked = one.fmad;
  });
  lit.line = named.line;
}

/** Makes a pane the one whose options the passes and the words are for. */
function activate(at) {
  if (active === at) return;
  const [before, after] = [active, at].map((at) => options(settings().panes[at]));
  active = at;
  showActive();
  if (before !== after) compile();
}

function showActive() {
  panes.forEach((pane, at) => pane.section.classList.toggle("active", at === active));
}

/** Reads the file, if it has changed since the version. */
async function load(since) {
  const now = await ask("file", { since });
  if (now.version === since) return;
  const first = file.version === 0;
  const unedited = source.text === file.text;
  file.version = now.version;
  file.readOnly = now.text === null;
  file.text = now.text ?? "";
  source.readOnly = file.readOnly;
  if (first) {
    file.name = now.name;
    $("name").textContent = now.name;
    document.title = `${now.name} - Tilewright`;
    panes.forEach((pane, at) => {
      fill(pane.stage, now.languages, ["tileas", "ptx"][at]);
      fill(pane.target, now.targets, now.target);
      pane.level.value = now.optLevel;
      pane.fmad.checked = now.fmad;
    });
    obey(address.read());
  }
  const draft = first && !file.readOnly ? drafts.kept(file.name) : null;
  if (draft) {
    file.base = draft.base;
    source.text = draft.text;
  } else if (first || unedited) {
    takeFile();
  }
  sayWhetherEdited();
  if (lit.line !== null && first) source.caretLine = lit.line;
  await compile(first ? { reveal: everything() } : {});
}

/** Replaces the text of the page by the file's. */
function takeFile() {
  file.base = file.text;
  source.text = file.text;
}

function everything() {
  return [source, ...panes.map((pane) => pane.listing)];
}

/** Says whether the page has an edit, and whether the file has changed since it began; keeps or forgets it. */
function sayWhetherEdited() {
  const isEdited = !file.readOnly && source.text !== file.text;
  if (!isEdited) file.base = file.text;
  $("changed").hidden = !isEdited || file.base === file.text;
  if (isEdited) {
    isKept = drafts.keep(file.name, { text: source.text, base: file.base });
  } else if (!file.readOnly) {
    isKept = true;
    drafts.forget(file.name);
  }
  $("edited").textContent = file.readOnly ? "(bytecode)" : isEdited ? `(edited here, ${isKept ? "not saved" : "lost with this page"})` : "";
}

let pause;
function edited() {
  isKept = false;
  clearTimeout(pause);
  pause = setTimeout(() => {
    sayWhetherEdited();
    compile();
  }, PAUSE);
}

/** Whether a compilation runs, and what the next one is for, if it has to run again after that. */
let running = false;
let next = null;

/** Compiles what is chosen, one compilation at a time; then the lit lines are scrolled to in the parts of `reveal`. */
async function compile({ reveal = [] } = {}) {
  next = { reveal: [...(next?.reveal ?? []), ...reveal] };
  if (running) return;
  running = true;
  try {
    while (next) {
      const wanted = next;
      next = null;
      $("state").textContent = "compiling…";
      const answer = await ask("compile", settings());
      $("state").textContent = answer.error ?? "";
      if (!answer.error) draw(answer, wanted.reveal);
    }
  } catch (error) {
    $("state").textContent = String(error.message ?? error);
  } finally {
    running = false;
  }
}

/** Shows what the server says. */
function draw(answer, reveal) {
  said = { panes: [], passes: [], attributes: [], ...answer, source: answer.source ?? { origins: [] } };
  wanted.kernel = null;
  fill($("kernel"), said.kernels, said.kernel);
  if (file.readOnly) source.text = said.source.text ?? "";
  const tints = tintsOf(said.source.origins);
  source.tell({
    bad: said.problems.map((one) => one.at?.line),
    tints,
    costs: new Map(said.source.costs?.map(({ line, ...cost }) => [line, cost])),
  });
  panes.forEach((pane, at) => {
    const shown = said.panes[at] ?? { error: "there is no kernel" };
    pane.target.disabled = said.ownTarget !== null;
    pane.target.title = said.ownTarget === null ? "" : `the text is for ${said.ownTarget}`;
    pane.cost.textContent = shown.cost ?? "";
    pane.stale.hidden = !said.stale;
    pane.section.classList.toggle("is-stale", said.stale);
    pane.listing.show(shown, tints);
  });
  drawProblems(said.problems, (at) => {
    if (at?.line !== undefined) source.goTo(at.line, at.column ?? 0);
  });
  const own = settings().panes[active];
  drawPasses(said.passes, options({ ...own, target: said.ownTarget ?? own.target }), (pass) => ask("pass", { ...settings(), pass }));
  drawAttributes(said.attributes, (attribute) => ask("attribute", { ...settings(), attribute }));
  if (source.focused) lit.line = source.caret;
  lit.origin = said.source.origins[lit.line] ?? null;
  for (const part of everything()) part.light(lit.line, reveal.includes(part));
  tell();
  note(false);
}

/** Lights all lines that stem from a line of the source; `from` is the part where it was chosen, which does not scroll. */
function choose(line, origin, from) {
  if (line === lit.line && origin === lit.origin) return;
  lit = { line, origin };
  for (const part of everything()) part.light(line, part !== from);
  tell();
  note(false);
}

function tell() {
  tellAbout(lit.origin === null ? null : ask("about", { ...settings(), origin: lit.origin }));
}

/** Draws a layout that a line of a stage names. */
async function drawLayout(name, layout, line) {
  const element = /x?([a-z]+)(\d+)(E\dM\d\w*)?, #/.exec(line);
  const answer = await ask("layout", { layout, bits: element ? Number(element[2]) : 32 });
  // The line that defines it says the same.
  const use = line.startsWith(`${name} = `) ? "" : `\n${line.trim()}`;
  if (answer.svg) await showDrawing(name, layout + use, answer.svg, `the layout ${layout}`);
  else show(name, [answer.error]);
}

/** Draws the predicted schedule of the kernel. */
async function drawSchedule() {
  const { title, words, svg, error } = await ask("schedule", settings());
  if (svg) await showDrawing("the predicted schedule", words, svg, title);
  else show("the predicted schedule", [error]);
}

$("schedule").addEventListener("click", drawSchedule);
$("kernel").addEventListener("change", () => {
  note(true);
  compile({ reveal: everything() });
});
address.watch(() => {
  obey(address.read());
  compile({ reveal: everything() });
});
const separators = [...document.querySelectorAll(".separator")];
divide($("source-pane"), [separators[0]], { name: "part", shares: [3, 2], isColumn: () => true });
divide(document.querySelector("main"), separators.slice(1), {
  name: "pane",
  shares: [1, 1, 1],
  isColumn: () => stacked.matches,
  media: stacked,
});
showActive();
$("take").addEventListener("click", () => {
  takeFile();
  sayWhetherEdited();
  $("text").focus();
  compile();
});
$("keep").addEventListener("click", () => {
  file.base = file.text;
  sayWhetherEdited();
  $("text").focus();
});
addEventListener("pagehide", () => isKept || sayWhetherEdited());
addEventListener("beforeunload", (event) => {
  if (!isKept) sayWhetherEdited();
  // An edit that the browser has no room for would be lost.
  if (!isKept) event.preventDefault();
});

load(0).catch((error) => { $("state").textContent = String(error.message ?? error); });
setInterval(() => load(file.version).catch(() => { $("state").textContent = "the server is gone"; }), 1000);
