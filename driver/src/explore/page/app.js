"use strict";

// The token of this run: whoever has the page's address has it.
const token = new URLSearchParams(location.search).get("token");
const $ = (id) => document.getElementById(id);
const stages = [...document.querySelectorAll("select.stage")];
const listings = [...document.querySelectorAll(".listing")];

/** What the server said last. */
let seen = { version: 0, sourceOrigins: [], panes: [], readOnly: false };
/** The op whose lines are lit, by its origin. */
let lit = null;
/** Counts requests, so that an answer that comes late is dropped. */
let asked = 0;

async function ask(what, body) {
  const response = await fetch(`/api/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tilewright-Token": token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function options(select, values, chosen) {
  select.replaceChildren(...values.map((value, at) => {
    const option = new Option(value.label ?? value, value.value ?? value);
    option.selected = (value.value ?? value) === chosen || (chosen === at);
    return option;
  }));
}

/** The settings of the controls, as the server takes them. */
function settings() {
  return {
    text: seen.readOnly ? undefined : $("text").value,
    kernel: Number($("kernel").value || 0),
    target: $("target").value,
    optLevel: Number($("level").value),
    fmad: $("fmad").checked,
    stages: stages.map((select) => select.value),
  };
}

async function load(since) {
  const file = await ask("file", { since });
  if (file.version === since) return;
  seen.version = file.version;
  if (file.name) {
    $("name").textContent = file.name;
    document.title = `${file.name} - Tilewright`;
    options($("target"), file.targets, $("target").value || file.target);
    if (!stages[0].options.length) {
      $("level").value = file.optLevel;
      $("fmad").checked = file.fmad;
      options(stages[0], file.languages, "tileas");
      options(stages[1], file.languages, "ptx");
    }
  }
  seen.readOnly = file.text === null;
  seen.saved = file.text ?? "";
  $("text").readOnly = seen.readOnly;
  $("text").value = seen.saved;
  await compile();
}

async function compile() {
  const number = ++asked;
  $("state").textContent = "compiling…";
  let answer;
  try {
    answer = await ask("compile", settings());
  } catch (error) {
    $("state").textContent = String(error.message ?? error);
    return;
  }
  if (number !== asked) return;
  $("state").textContent = answer.error ?? "";
  if (answer.error) return;
  const chosen = $("kernel").value || "0";
  options($("kernel"), answer.kernels.map((label, at) => ({ label, value: String(at) })), chosen);
  $("cost").textContent = answer.cost ?? "";
  if (seen.readOnly && answer.source?.text) $("text").value = answer.source.text;
  seen.sourceOrigins = answer.source?.origins ?? [];
  seen.problems = answer.problems;
  seen.panes = answer.panes ?? [];
  drawSource();
  seen.panes.forEach((pane, at) => drawListing(listings[at], pane));
  drawProblems(answer.problems);
  drawPasses(answer.passes ?? []);
  light(lit);
  await tellAbout(lit);
}

function drawSource() {
  const text = $("text");
  const lines = text.value.split("\n");
  text.rows = lines.length + 1;
  text.cols = Math.max(20, ...lines.map((line) => line.length + line.split("\t").length * 4));
  const bad = new Set((seen.problems ?? []).map((one) => one.at?.line));
  $("backdrop").replaceChildren(...lines.map((line, at) => {
    const row = document.createElement("div");
    row.className = bad.has(at) ? "row bad" : "row";
    row.textContent = line || " ";
    return row;
  }));
  $("edited").textContent = seen.readOnly ? "(bytecode)" : text.value === seen.saved ? "" : "(edited here, not saved)";
}

function drawListing(listing, pane) {
  const aliases = new Map();
  const lines = (pane.text ?? pane.error ?? "").replace(/\n$/, "").split("\n");
  for (const line of lines) {
    const alias = /^(#[\w.$]+) = (.*)$/.exec(line);
    if (alias) aliases.set(alias[1], alias[2]);
  }
  listing.replaceChildren(...lines.map((line, at) => {
    const row = document.createElement("div");
    row.className = "row";
    row.setAttribute("role", "option");
    row.dataset.line = at;
    // The names of layouts are buttons that draw them.
    for (const part of line.split(/(#[\w.$]+)/)) {
      if (!aliases.has(part)) {
        row.append(part);
        continue;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = part;
      button.title = `draw ${part}`;
      button.addEventListener("click", () => drawLayout(part, aliases.get(part), line));
      row.append(button);
    }
    if (!line) row.append(" ");
    return row;
  }));
}

async function drawLayout(name, layout, line) {
  const element = /x?([a-z]+)(\d+)(E\dM\d\w*)?, #/.exec(line);
  const answer = await ask("layout", { layout, bits: element ? Number(element[2]) : 32 });
  const image = new Image();
  image.alt = `the layout ${layout}`;
  if (answer.svg) image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.svg)}`;
  const words = document.createElement("p");
  // The line that defines it says the same.
  const use = line.startsWith(`${name} = `) ? "" : `\n${line.trim()}`;
  words.textContent = answer.error ?? layout + use;
  sheet(`${name}`, answer.svg ? [words, image] : [words]);
}

function drawProblems(problems) {
  $("problems").replaceChildren(...problems.map((one) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = one.severity;
    const line = one.at?.line === undefined ? "" : `${one.at.line + 1}: `;
    const more = [...(one.notes ?? []), ...(one.help ?? []).map((help) => `help: ${help}`)];
    button.textContent = [`${line}${one.severity}[${one.code}]: ${one.message}`, ...more].join("\n");
    button.addEventListener("click", () => goTo(one.at));
    const why = document.createElement("button");
    why.type = "button";
    why.textContent = " why?";
    why.addEventListener("click", async () => {
      const answer = await ask("explain", { code: one.code });
      sheet(one.code, [answer.text ?? answer.error]);
    });
    item.append(button, why);
    return item;
  }));
}

function drawPasses(passes) {
  $("passes").replaceChildren(...passes.map((pass) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = pass.changed ? "" : "same";
    button.title = `${pass.doc}\n${pass.from} to ${pass.to}${pass.changed ? "" : ", no change"}`;
    button.textContent = `${pass.name} ${pass.micros.toFixed(0)} µs`;
    button.addEventListener("click", async () => {
      const answer = await ask("pass", { ...settings(), pass: pass.name });
      const lines = answer.lines ?? [[" ", answer.error]];
      sheet(`${pass.name}: ${pass.doc}`, lines.map(([tag, text]) => {
        const row = document.createElement("div");
        row.className = tag === "+" ? "add" : tag === "-" ? "remove" : "";
        row.textContent = `${tag} ${text}`;
        return row;
      }));
    });
    return button;
  }));
}

function sheet(title, content) {
  $("sheet-title").textContent = title;
  $("sheet-body").replaceChildren(...content);
  if (!$("sheet").open) $("sheet").showModal();
}

/** Says what an op became, and draws the layout of its tile. */
let told = 0;
async function tellAbout(origin) {
  const about = $("about");
  const number = ++told;
  if (origin === null) {
    about.hidden = true;
    return;
  }
  const answer = await ask("about", { ...settings(), origin });
  // The cursor may be elsewhere by now.
  if (number !== told) return;
  const lines = (answer.lines ?? [answer.error]).map((line) => {
    const row = document.createElement("p");
    row.append(...line.split("`").map((part, at) => {
      if (at % 2 === 0) return part;
      const code = document.createElement("code");
      code.textContent = part;
      return code;
    }));
    return row;
  });
  if (answer.svg) {
    const image = new Image();
    image.alt = "the layout of its tile";
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.svg)}`;
    lines.push(image);
  }
  about.replaceChildren(...lines);
  about.hidden = false;
}

/** Lights all lines that stem from an op; `from` is the listing where it was chosen, which does not scroll. */
function light(origin, from) {
  if (from && origin !== lit) tellAbout(origin);
  lit = origin;
  const mark = (rows, origins, scroll) => {
    let first = null;
    rows.forEach((row, at) => {
      const same = origin !== null && origins[at] === origin;
      row.classList.toggle("mark", same);
      if (same) first ??= row;
    });
    if (scroll && first) first.scrollIntoView({ block: "nearest" });
  };
  mark([...$("backdrop").children], seen.sourceOrigins, from && from !== $("text"));
  listings.forEach((listing, at) => {
    mark([...listing.children], seen.panes[at]?.origins ?? [], from && from !== listing);
  });
}

function goTo(at) {
  if (at?.line === undefined) return;
  const text = $("text");
  const start = text.value.split("\n").slice(0, at.line).join("\n").length + (at.line ? 1 : 0);
  text.focus();
  text.setSelectionRange(start + (at.column ?? 0), start + (at.column ?? 0));
  $("backdrop").children[at.line]?.scrollIntoView({ block: "nearest" });
}

function lineOfCaret() {
  const text = $("text");
  return text.value.slice(0, text.selectionStart).split("\n").length - 1;
}

let pause;
$("text").addEventListener("input", () => {
  drawSource();
  clearTimeout(pause);
  pause = setTimeout(compile, 120);
});
document.addEventListener("selectionchange", () => {
  if (document.activeElement === $("text")) light(seen.sourceOrigins[lineOfCaret()] ?? null, $("text"));
});
for (const control of [$("kernel"), $("target"), $("level"), $("fmad"), ...stages]) {
  control.addEventListener("change", compile);
}
listings.forEach((listing, at) => {
  const choose = (line) => {
    const row = listing.children[line];
    if (!row) return;
    listing.querySelector(".here")?.classList.remove("here");
    row.classList.add("here");
    row.scrollIntoView({ block: "nearest" });
    light(seen.panes[at]?.origins?.[line] ?? null, listing);
  };
  listing.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) choose(Number(row.dataset.line));
  });
  listing.addEventListener("keydown", (event) => {
    const here = Number(listing.querySelector(".here")?.dataset.line ?? -1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };
    if (event.key in steps) {
      event.preventDefault();
      choose(Math.min(Math.max(here + steps[event.key], 0), listing.children.length - 1));
    } else if (event.key === "Enter" && event.target === listing) {
      listing.children[here]?.querySelector("button")?.click();
    }
  });
});
$("close").addEventListener("click", () => $("sheet").close());

load(0).catch((error) => { $("state").textContent = String(error.message ?? error); });
setInterval(() => load(seen.version).catch(() => { $("state").textContent = "the server is gone"; }), 1000);
