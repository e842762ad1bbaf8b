import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { Disassemblies } from "./disassembly";
import { Explanations } from "./explanations";
import { StageViews } from "./stages";

let client: LanguageClient | undefined;

/** The documents that the server reads, also those that no file has yet; of Python, those that bytecode is made of. */
const DOCUMENTS = [
  ...["cuda-tile", "tilewright-stage", "ptx", "python"].map((language) => ({ scheme: "file", language })),
  ...["cuda-tile", "tilewright-stage", "ptx"].map((language) => ({ scheme: "untitled", language })),
  { scheme: Disassemblies.scheme, language: "cuda-tile" },
];

function start(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("tilewright");
  // A workspace that is not trusted does not choose the program.
  const chosen = settings.inspect<string>("server");
  const program = vscode.workspace.isTrusted
    ? settings.get<string>("server", "tilewright")
    : (chosen?.globalValue ?? chosen?.defaultValue ?? "tilewright");
  const server: ServerOptions = { command: program, args: ["lsp", "--stdio"] };
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENTS,
    // Only this says whether the workspace is trusted; its settings cannot.
    initializationOptions: { tilewright: settings, trusted: vscode.workspace.isTrusted, explanations: Explanations.scheme },
    synchronize: { configurationSection: "tilewright" },
  };
  return new LanguageClient("tilewright", "Tilewright", server, options);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  client = start();
  const views = new StageViews(() => client);
  const disassemblies = new Disassemblies(() => client);
  context.subscriptions.push(
    views,
    disassemblies,
    new Explanations(() => client),
    vscode.workspace.onDidGrantWorkspaceTrust(() => client?.sendNotification("tilewright/trust", { trusted: true })),
    vscode.commands.registerCommand("tilewright.showDisassembly", async (file?: vscode.Uri) => {
      const filters = { "Tile IR bytecode": ["tileirbc", "bytecode", "bc"] };
      const chosen = file ?? (await vscode.window.showOpenDialog({ filters }))?.[0];
      if (chosen !== undefined) {
        await disassemblies.show(chosen);
      }
    }),
    vscode.commands.registerCommand(
      "tilewright.showStage",
      async (uri?: string, stage?: string, position?: { line: number; character: number }) => {
        const editor = vscode.window.activeTextEditor;
        const document = uri ?? editor?.document.uri.toString();
        if (document === undefined) {
          return;
        }
        const chosen = stage ?? (await vscode.window.showQuickPick(views.stages, { title: "Show stage" }));
        if (chosen !== undefined) {
          await views.show(document, chosen, position ?? editor?.selection.active);
        }
      },
    ),
    vscode.commands.registerCommand("tilewright.showPtx", () => {
      return vscode.commands.executeCommand("tilewright.showStage", undefined, "ptx");
    }),
    vscode.commands.registerCommand("tilewright.showAttributes", () => {
      return vscode.commands.executeCommand("tilewright.showStage", undefined, "attributes");
    }),
    vscode.commands.registerCommand("tilewright.restart", async () => {
      await client?.stop();
      client = start();
      await client.start();
    }),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
