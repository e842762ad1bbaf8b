import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** Read-only documents with the explanations of the codes of problems, which the server links to. */
export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  static readonly scheme = "tilewright-explain";
  private readonly provider: vscode.Disposable;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(Explanations.scheme, this);
  }

  dispose(): void {
    this.provider.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const code = uri.path.replace(/^\//, "").replace(/\.md$/, "");
    try {
      return (await this.client()?.sendRequest<string>("tilewright/explain", { code })) ?? "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
