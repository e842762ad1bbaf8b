// Edits in the page: they are not lost, and errors in them blank nothing.

import assert from "node:assert/strict";
import { utimesSync, writeFileSync } from "node:fs";
import { PROGRAM } from "../page.mjs";
import { tabTo, text, until } from "./steps.mjs";

/** Edits outlive a reload, and files that change. */
export async function edits({ open, file }) {
  const page = await open("light");
  const source = () => page.inputValue("#text");
  const write = async (text) => {
    // The server compares the times of the file.
    writeFileSync(file, text);
    const later = new Date(Date.now() + 1000 * (write.times = (write.times ?? 0) + 1));
    utimesSync(file, later, later);
  };
  const isOffered = () => document.querySelector("#changed").checkVisibility();

  // A file that changes is read again.
  await write(PROGRAM.replace("@sum", "@other"));
  await until(page, "the file is not read again", () => document.querySelector("#text").value.includes("@other"));
  await until(page, "the stages are not made again", () => document.querySelectorAll(".listing")[1].textContent.includes(".entry other"));

  // An edit outlives a reload.
  await page.focus("#text");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// edited\n");
  await until(page, "the edit is not told", () => document.querySelector("#edited").textContent.includes("not saved"));
  await page.reload();
  await until(page, "the edit is lost", () => document.querySelector("#text").value.startsWith("// edited"));
  await until(page, "the edit is not told after a reload", () => document.querySelector("#edited").textContent.includes("not saved"));
  assert.equal(await page.evaluate(isOffered), false, "a file that has not changed is offered");

  // A file that changes meanwhile is offered, and the edit stays until the file's text is taken.
  await write(PROGRAM.replace("@sum", "@third"));
  await until(page, "the change is not told", isOffered);
  assert.match(await source(), /^\/\/ edited/, "the change replaces the edit");
  await page.reload();
  await until(page, "the change is not told after a reload", isOffered);
  assert.match(await source(), /^\/\/ edited/, "the change replaces the edit after a reload");
  await tabTo(page, "#keep");
  await page.keyboard.press("Enter");
  await until(page, "the offer stays", () => !document.querySelector("#changed").checkVisibility());
  assert.match(await source(), /^\/\/ edited/, "the edit is not kept");
  await write(PROGRAM.replace("@sum", "@fourth"));
  await until(page, "the second change is not told", isOffered);
  await tabTo(page, "#take");
  await page.keyboard.press("Enter");
  await until(page, "the file's text is not taken", () => document.querySelector("#text").value.includes("@fourth"));
  assert.equal(await page.textContent("#edited"), "");
  await page.reload();
  await until(page, "the file is not shown after a reload", () => document.querySelector("#text").value.includes("@fourth"));

  // The page warns only of an edit that would be lost.
  let warned = 0;
  page.on("dialog", (dialog) => {
    warned += 1;
    dialog.accept();
  });
  await page.focus("#text");
  await page.keyboard.type("// kept\n");
  await page.reload();
  await page.focus("#text");
  assert.equal(warned, 0, "the page warns of an edit that it keeps");
  await page.evaluate(() => { Storage.prototype.setItem = () => { throw new Error("no room"); }; });
  await page.keyboard.type("// lost\n");
  await until(page, "that nothing keeps the edit is not told", () => document.querySelector("#edited").textContent.includes("lost"));
  await page.reload();
  assert.equal(warned, 1, "the page does not warn of an edit that nothing keeps");
  assert.deepEqual(page.wrong, []);
}

/** The stages of the last text without errors stay while there are errors. */
export async function errors({ open }) {
  const page = await open("light");
  const before = await text(page, 1);
  const noted = () => [...document.querySelectorAll(".stale")].every((note) => note.checkVisibility());
  for (const [line, broken] of [[9, " x"], [1, " }"], [0, "{ "]]) {
    await page.focus("#text");
    await page.keyboard.press("Control+Home");
    for (let at = 0; at < line; at += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.type(broken);
    await until(page, `that the stages are old is not told after "${broken}"`, noted);
    assert.equal(await text(page, 1), before, `"${broken}" changes the stage`);
    const dim = await page.evaluate(() => [".listing .row", ".listing .row span", "body"].map((one) => getComputedStyle(document.querySelector(one)).color));
    assert.ok(dim[0] === dim[1] && dim[0] !== dim[2], "the old stages are not dimmed");
    // Another stage is one of the old text too.
    await page.selectOption("select.stage >> nth=0", "llvm");
    await until(page, "another stage is not shown", () => document.querySelector(".listing").textContent.includes("llvm.func"));
    assert.ok(await page.evaluate(noted), "another stage is not told to be old");
    await page.selectOption("select.stage >> nth=0", "tileas");
    await until(page, "the first stage is not shown", () => document.querySelector(".listing").textContent.includes("tileas.func"));
    await page.focus("#text");
    for (const _ of broken) await page.keyboard.press("Backspace");
    await until(page, "the note stays", () => !document.querySelector(".stale").checkVisibility());
  }
  assert.deepEqual(page.wrong, []);
}
