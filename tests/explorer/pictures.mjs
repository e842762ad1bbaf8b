// The pictures of docs/ide.md, made from real runs.
//
// node pictures.mjs PROGRAM FOLDER

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { toSum } from "./checks/steps.mjs";
import { PROGRAM, explore } from "./page.mjs";

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
if (!folder) throw new Error("usage: node pictures.mjs PROGRAM FOLDER");
// Where pictures are that are not in the documentation.
const widths = join(tmpdir(), "explorer-widths");
mkdirSync(widths, { recursive: true });

/** The pictures of the explorer that the documentation shows; those of other widths are for looking at, in a folder of their own. */
const SHOWN = [1440];

/** The explorer with the lines of the sum lit, in the widths of screens. */
async function explorer({ open }, scheme) {
  for (const width of [1440, 1024, 760]) {
    const page = await open(scheme);
    await page.setViewportSize({ width, height: 800 });
    await toSum(page);
    await page.waitForFunction(() => document.querySelector("#about img")?.naturalWidth > 0);
    const isShown = SHOWN.includes(width);
    const path = isShown ? join(folder, `explorer-${scheme}.png`) : join(widths, `explorer-${scheme}-${width}.png`);
    await page.screenshot({ path, fullPage: !isShown });
    await page.close();
  }
}

/** The passes, and two targets side by side. */
async function comparison({ open }) {
  const page = await open("light");
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.locator("#passes summary").click();
  await page.selectOption("select.stage >> nth=0", "ptx");
  await page.selectOption("select.target >> nth=1", "sm_80");
  await page.waitForFunction(() => document.querySelectorAll(".cost")[1].textContent.startsWith("sm_80"));
  await page.screenshot({ path: join(folder, "explorer-compared.png") });
}

/** A layout, drawn. */
async function layout({ open }) {
  const page = await open("light");
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.locator(".listing .layout").first().click();
  await page.waitForFunction(() => document.querySelector("#sheet[open] img")?.naturalWidth > 0);
  await page.screenshot({ path: join(folder, "layout.png") });
}

const COLOURS = ["#1c1c1c", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4"];

/** A colour of 256. */
function colour(number) {
  if (number < 16) return COLOURS[number % 8];
  if (number >= 232) return `rgb(${Array(3).fill(8 + 10 * (number - 232)).join()})`;
  const part = (at) => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / at) % 6];
  return `rgb(${part(36)},${part(6)},${part(1)})`;
}

/** The style of text after a sequence of SGR parameters. */
function style(before, parameters) {
  let now = { ...before };
  const list = parameters.length ? parameters : [0];
  for (let at = 0; at < list.length; at += 1) {
    const code = list[at];
    if (code === 0) now = {};
    else if (code === 1) now.bold = true;
    else if (code === 4) now.underlined = true;
    else if (code === 7) now.reversed = true;
    else if (code === 27) now.reversed = false;
    else if (code >= 30 && code <= 37) now.text = colour(code - 30);
    else if (code >= 90 && code <= 97) now.text = colour(code - 90);
    else if (code >= 40 && code <= 47) now.back = colour(code - 40);
    else if (code >= 100 && code <= 107) now.back = "#444444";
    else if (code === 39) delete now.text;
    else if (code === 49) delete now.back;
    else if ((code === 38 || code === 48) && list[at + 1] === 5) {
      now[code === 38 ? "text" : "back"] = colour(list[at + 2]);
      at += 2;
    }
  }
  return now;
}

/** A screen of a terminal, with its escape sequences, as a page. */
function html(screen) {
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  let now = {};
  const parts = screen.split(/\x1b\[([\d;]*)m/).map((part, at) => {
    if (at % 2) {
      now = style(now, part ? part.split(";").map(Number) : []);
      return "";
    }
    let [text, back] = [now.text ?? "#dcdfe4", now.back ?? "#1e2127"];
    if (now.reversed) [text, back] = [back, text];
    const more = `${now.bold ? ";font-weight:bold" : ""}${now.underlined ? ";text-decoration:underline" : ""}`;
    return `<span style="color:${text};background:${back}${more}">${escape(part)}</span>`;
  });
  return `<body style="margin:0;background:#1e2127"><pre style="margin:8px;font:14px/18px monospace">${parts.join("")}</pre>`;
}

/** A kernel with a misspelt value. */
const OTHER = `  entry @twice(%n: tile<i32>) {
    %two = constant <i32: 2> : tile<i32>
    %m = muli %n, %tow : tile<i32>
    return
  }
`;

/** Neovim in a terminal, with an error and the hover of a value. */
async function neovim({ browser }) {
  const work = mkdtempSync(join(tmpdir(), "neovim-"));
  const tmux = (...args) => execFileSync("tmux", ["-L", "pictures", ...args], { encoding: "utf8" });
  const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
  writeFileSync(join(work, "sum.mlir"), PROGRAM.replace("\n", `\n${OTHER}`));
  writeFileSync(
    join(work, "init.lua"),
    `vim.o.termguicolors = false
vim.o.wrap = false
vim.o.number = true
vim.o.signcolumn = "yes"
vim.cmd("syntax off | hi NormalFloat ctermbg=236 ctermfg=252 | hi SignColumn ctermbg=NONE | hi LineNr ctermfg=242")
vim.cmd("hi DiagnosticError ctermfg=203 | hi DiagnosticVirtualTextError ctermfg=203 | hi DiagnosticUnderlineError cterm=underline")
vim.api.nvim_create_autocmd("BufEnter", { pattern = "*.mlir", callback = function()
  local client = vim.lsp.start_client({ name = "tilewright", cmd = { "${program}", "lsp" }, root_dir = "${work}" })
  vim.lsp.buf_attach_client(0, client)
end })
`,
  );
  try {
    tmux("new-session", "-d", "-x", "150", "-y", "29", "-c", work, "nvim -u init.lua sum.mlir");
    await wait(3);
    tmux("send-keys", "13Gw", ":lua vim.lsp.buf.hover()", "Enter");
    await wait(3);
    const screen = tmux("capture-pane", "-p", "-e");
    const page = await browser.newPage({ viewport: { width: 1290, height: 536 } });
    await page.setContent(html(screen));
    await page.screenshot({ path: join(folder, "neovim.png") });
  } finally {
    tmux("kill-server");
    rmSync(work, { recursive: true });
  }
}

await explore(program, async (run) => {
  await explorer(run, "light");
  await explorer(run, "dark");
  await comparison(run);
  await layout(run);
  await neovim(run);
});
