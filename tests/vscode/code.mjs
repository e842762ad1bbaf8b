// VS Code in a browser with the extension: starts both, and ends both.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { FLAGS } from "../explorer/flags.mjs";

const CODE = new URL("node_modules/code-server/out/node/entry.js", import.meta.url).pathname;

/** Nothing that asks, greets, or reaches for the network. */
const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "extensions.ignoreRecommendations": true,
  "extensions.autoCheckUpdates": false,
  "telemetry.telemetryLevel": "off",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  // The colours are those of the grammar; the server's are tested by themselves.
  "editor.semanticHighlighting.enabled": false,
  "tilewright.ptxas": false,
};

/** The address at which a server answers, which it prints. */
function address(server) {
  return new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const found = line.match(/listening on (http:\S+)/);
      if (found) resolve(found[1]);
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`code-server ended with ${code}`)));
  });
}

/** Calls a function with a page of VS Code that has a folder with these files open. */
export async function code({ program, extension, files }, work) {
  const home = mkdtempSync(join(tmpdir(), "vscode-"));
  const [data, folder] = [join(home, "data"), join(home, "kernels")];
  mkdirSync(join(data, "User"), { recursive: true });
  mkdirSync(folder);
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify({ ...SETTINGS, "tilewright.server": program }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const where = ["--user-data-dir", data, "--extensions-dir", join(home, "extensions")];
  const env = { ...process.env, HOME: home };
  let server;
  let browser;
  try {
    execFileSync(process.execPath, [CODE, ...where, "--install-extension", extension], { env, stdio: "ignore" });
    const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    // With an end of its own, since it starts others.
    server = spawn(process.execPath, [CODE, ...where, ...quiet, "--bind-addr", "127.0.0.1:0"], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const at = await address(server);
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
    const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
    await page.goto(`${at}?folder=${folder}`);
    await page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: 60_000 });
    try {
      await work(page);
    } catch (error) {
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
      throw error;
    }
  } finally {
    await browser?.close();
    if (server) process.kill(-server.pid, "SIGKILL");
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
