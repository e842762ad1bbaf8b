// Drives the explorer in a headless Chromium.
//
// node check.mjs PROGRAM [CHECK]

import { bytecode } from "./checks/bytecode.mjs";
import { colours } from "./checks/contrast.mjs";
import { edits, errors } from "./checks/edits.mjs";
import { byKeyboard, stops } from "./checks/keyboard.mjs";
import { large } from "./checks/large.mjs";
import { lines, scrolling } from "./checks/lines.mjs";
import { addresses, drawings, panes } from "./checks/panes.mjs";
import { explore } from "./page.mjs";

const CHECKS = [byKeyboard, stops, edits, errors, lines, scrolling, large, panes, drawings, addresses, bytecode, colours];

const [program, only] = process.argv.slice(2);
const chosen = CHECKS.filter((check) => !only || check.name === only);
if (!program || !chosen.length) throw new Error(`usage: node check.mjs PROGRAM [${CHECKS.map((check) => check.name).join("|")}]`);
for (const check of chosen) await explore(program, check, check.file);
console.log("the explorer works by the keyboard alone, in light and dark");
