import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** Read-only documents with the text of bytecode. They follow their files. */
export class Disassemblies implements vscode.TextDocumentContentProvider, vscode.Disposable {
  static readonly scheme = "tilewright-bytecode";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly watchers = new Map<string, vscode.FileSystemWatcher>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(Disassemblies.scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
      this.changed,
    ];
  }

  dispose(): void {
    for (const one of [...this.subscriptions, ...this.watchers.values()]) {
      one.dispose();
    }
  }

  async show(file: vscode.Uri): Promise<void> {
    const uri = vscode.Uri.from({ scheme: Disassemblies.scheme, path: file.path, query: file.toString() });
    if (!this.watchers.has(uri.toString())) {
      const folder = vscode.Uri.joinPath(file, "..");
      const name = file.path.split("/").pop() ?? "";
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
      watcher.onDidChange(() => this.changed.fire(uri));
      this.watchers.set(uri.toString(), watcher);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "cuda-tile");
    await vscode.window.showTextDocument(document);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      const asked = { textDocument: { uri: uri.query } };
      return (await this.client()?.sendRequest<string>("tilewright/disassembly", asked)) ?? "";
    } catch (error) {
      return `// ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  private forget(uri: vscode.Uri): void {
    this.watchers.get(uri.toString())?.dispose();
    this.watchers.delete(uri.toString());
  }
}
