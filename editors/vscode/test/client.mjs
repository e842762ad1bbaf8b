// Drives the language server with the protocol library of VS Code: `node test/client.mjs PROGRAM`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CodeLensRefreshRequest,
  CodeLensRequest,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  RenameRequest,
  SemanticTokensRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from "vscode-languageserver-protocol/node";

const program = process.argv[2] ?? "tilewright";
const uri = "file:///kernel.cuda_tile";
const text = `entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %sum = addi %n, %n : tile<i32>
  %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}
`;

const child = spawn(program, ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.on("exit", resolve));
const connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));

/** The diagnostics of each version, and those who wait for them. */
const published = [];
let waiting = [];
connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
  published.push(params);
  waiting = waiting.filter((check) => !check());
});
function diagnostics(version, count) {
  return new Promise((resolve) => {
    const check = () => {
      const found = published.find((one) => one.version === version && one.diagnostics.length === count);
      if (found) resolve(found.diagnostics);
      return found !== undefined;
    };
    if (!check()) waiting.push(check);
  });
}
function at(word) {
  const before = text.slice(0, text.indexOf(word));
  const line = before.split("\n").length - 1;
  return { textDocument: { uri }, position: { line, character: before.length - before.lastIndexOf("\n") } };
}

setTimeout(() => {
  console.error("no answer in a minute");
  process.exit(1);
}, 60_000).unref();

connection.listen();
const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  capabilities: { general: { positionEncodings: ["utf-16"] }, workspace: { codeLens: { refreshSupport: true } } },
  initializationOptions: { target: "sm_90a", ptxas: false },
});
assert.equal(capabilities.positionEncoding, "utf-16");
await connection.sendNotification(InitializedNotification.type, {});

await connection.sendNotification(DidOpenTextDocumentNotification.type, {
  textDocument: { uri, languageId: "cuda-tile", version: 1, text },
});
assert.deepEqual(await diagnostics(1, 0), []);
const change = (version, from, to, replacement) =>
  connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version },
    contentChanges: [{ range: { start: from, end: to }, text: replacement }],
  });
await change(2, { line: 1, character: 9 }, { line: 1, character: 13 }, "add");
const [problem] = await diagnostics(2, 1);
assert.equal(problem.code, "E0204");
assert.match(problem.message, /did you mean `addi`/);
await change(3, { line: 1, character: 9 }, { line: 1, character: 12 }, "addi");
assert.deepEqual(await diagnostics(3, 0), []);

const hover = await connection.sendRequest(HoverRequest.type, at("%sum"));
assert.match(hover.contents.value, /%sum: tile<i32>/);
const definition = await connection.sendRequest(DefinitionRequest.type, at("%sum :"));
assert.deepEqual(definition.range.start, { line: 1, character: 2 });
const rename = await connection.sendRequest(RenameRequest.type, { ...at("%sum"), newName: "total" });
assert.deepEqual(rename.changes[uri].map((edit) => edit.newText), ["%total", "%total"]);
const tokens = await connection.sendRequest(SemanticTokensRequest.type, { textDocument: { uri } });
assert.ok(tokens.data.length > 50);
const stage = await connection.sendRequest("tilewright/stage", { ...at("%sum"), stage: "ptx" });
assert.match(stage.text, /\.visible \.entry k/);
assert.ok(stage.lines.includes(2));

// A Python file with bytecode beside it, and the bytecode itself.
const examples = new URL("../../../examples/", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "tilewright-"));
const module = join(folder, "saxpy.tileirbc");
copyFileSync(new URL("bytecode/saxpy.13.5.tileirbc", examples), module);
const python = readFileSync(new URL("kernels/saxpy.py", examples), "utf8");
const file = join(folder, "saxpy.py");
writeFileSync(file, python);
const refreshed = new Promise((resolve) => connection.onRequest(CodeLensRefreshRequest.type, () => resolve()));
const document = { uri: pathToFileURL(file).href, languageId: "python", version: 1, text: python };
await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: document });
await refreshed;
const [lens] = await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: document.uri } });
assert.equal(python.split("\n")[lens.range.start.line], "def saxpy(alpha, x, y, out):");
assert.match(lens.command.title, /^sm_90a · /);
const bytecode = { textDocument: { uri: pathToFileURL(module).href } };
assert.match(await connection.sendRequest("tilewright/disassembly", bytecode), /^entry @saxpy\(/);
rmSync(folder, { recursive: true });

await connection.sendRequest(ShutdownRequest.type);
await connection.sendNotification(ExitNotification.type);
assert.equal(await ended, 0);
console.log("the protocol library of VS Code: open, edit, diagnose, hover, define, rename, colour, stage, Python, bytecode");
