// The explorer in a browser: starts both, and ends both.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { FLAGS } from "./flags.mjs";

/** A program whose tiles change their layout. */
export const PROGRAM = `cuda_tile.module @m {
  entry @sum(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %t = make_token : token
    %a = make_tensor_view %p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16, 1]>
    %b = make_partition_view %a : partition_view<tile=(16x16), tensor_view<?x16xf32, strides=[16, 1]>>
    %c = constant <i32: 0> : tile<i32>
    %v, %u = load_view_tko weak %b[%x, %c] token = %t : partition_view<tile=(16x16), tensor_view<?x16xf32, strides=[16, 1]>>, tile<i32> -> tile<16x16xf32>, token
    %w = permute %v [1, 0] : tile<16x16xf32> -> tile<16x16xf32>
    %s = addf %v, %w : tile<16x16xf32>
    %d = make_tensor_view %q, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16, 1]>
    %e = make_partition_view %d : partition_view<tile=(16x16), tensor_view<?x16xf32, strides=[16, 1]>>
    %r = store_view_tko weak %s, %e[%x, %c] token = %u : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x16xf32, strides=[16, 1]>>, tile<i32> -> token
    return
  }
}
`;

/** Calls a function with the pages of one run of the explorer, about the program above or another file. */
export async function explore(program, work, { name, content } = { name: "sum.mlir", content: PROGRAM }) {
  const folder = mkdtempSync(join(tmpdir(), "explorer-"));
  const file = join(folder, name);
  writeFileSync(file, content);
  const server = spawn(resolve(program), ["explore", name, "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let browser;
  try {
    const lines = createInterface({ input: server.stdout });
    const address = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      server.once("error", reject);
      server.once("exit", (code) => reject(new Error(`the explorer ended with ${code}`)));
    });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
    const open = async (colorScheme, hash = "") => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1300, height: 640 } });
      // What the page does that it should not.
      page.wrong = [];
      page.on("console", (message) => message.type() === "error" && page.wrong.push(message.text()));
      page.on("pageerror", (error) => page.wrong.push(String(error)));
      page.on("request", (request) => {
        const own = request.url().startsWith(new URL(address).origin) || request.url().startsWith("data:");
        if (!own) page.wrong.push(`asks for ${request.url()}`);
      });
      await page.goto(address + hash);
      await page.waitForFunction(() => document.querySelectorAll(".listing .row").length > 20);
      return page;
    };
    await work({ open, file, browser });
  } finally {
    await browser?.close();
    server.kill();
    rmSync(folder, { recursive: true });
  }
}
