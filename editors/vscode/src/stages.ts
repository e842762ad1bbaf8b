import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** What the server says of a stage: `tilewright/stage`. */
interface Stage {
  text: string;
  /** For each line of the text, the line of the source that it stems from. */
  lines: (number | null)[];
}

/** A stage that is shown beside its source. */
interface Shown {
  source: string;
  stage: string;
  position?: Position;
  latest?: Stage;
}

interface Position {
  line: number;
  character: number;
}

const SCHEME = "tilewright";

/** Where a position is after edits, so that it stays in its kernel. */
function moved(position: Position, edits: readonly vscode.TextDocumentContentChangeEvent[]): Position {
  const above = edits.filter((edit) => edit.range.end.isBefore(new vscode.Position(position.line, position.character)));
  const lines = above.map((edit) => edit.text.split("\n").length - 1 - (edit.range.end.line - edit.range.start.line));
  return { line: position.line + lines.reduce((sum, more) => sum + more, 0), character: position.character };
}

/** Virtual documents with the stages of kernels. They follow their sources, and light up what stems from the cursor's line. */
export class StageViews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** What can be shown: stages, and the lives of attributes through all of them. */
  readonly stages = ["tileaa", "tileas", "scheduled", "cute_desugared", "llvm", "nvvm", "ptx", "attributes"];
  private readonly shown = new Map<string, Shown>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly lit = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    isWholeLine: true,
  });
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
      vscode.window.onDidChangeTextEditorSelection((event) => this.light(event.textEditor)),
      this.changed,
      this.lit,
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  async show(source: string, stage: string, position?: Position): Promise<void> {
    const name = source.split("/").pop() ?? "kernel";
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.${stage}`, query: source });
    const isOpen = this.shown.has(uri.toString());
    this.shown.set(uri.toString(), { source, stage, position });
    if (isOpen) {
      // It may be another kernel now.
      this.changed.fire(uri);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, stage === "ptx" ? "ptx" : "tilewright-stage");
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const shown = this.shown.get(uri.toString());
    if (shown === undefined) {
      return "";
    }
    try {
      shown.latest = await this.client()?.sendRequest<Stage>("tilewright/stage", {
        textDocument: { uri: shown.source },
        stage: shown.stage,
        position: shown.position,
      });
    } catch (error) {
      // While the source has errors, the last text stays.
      return shown.latest?.text ?? `// ${error instanceof Error ? error.message : String(error)}\n`;
    }
    return shown.latest?.text ?? "";
  }

  /** Shows the stages of a document again when it changes. */
  private follow(event: vscode.TextDocumentChangeEvent): void {
    const source = event.document.uri.toString();
    for (const [uri, shown] of this.shown) {
      if (shown.source === source) {
        shown.position = shown.position && moved(shown.position, event.contentChanges);
        this.changed.fire(vscode.Uri.parse(uri, true));
      }
    }
  }

  /** Lights the lines that the cursor's line became, or the line that it stems from. */
  private light(editor: vscode.TextEditor): void {
    const line = editor.selection.active.line;
    const own = this.shown.get(editor.document.uri.toString());
    for (const other of vscode.window.visibleTextEditors) {
      const uri = other.document.uri.toString();
      const shown = this.shown.get(uri);
      let lines: number[] = [];
      if (own !== undefined && uri === own.source) {
        const from = own.latest?.lines[line];
        lines = from === null || from === undefined ? [] : [from];
      } else if (shown?.latest !== undefined && shown.source === editor.document.uri.toString()) {
        lines = shown.latest.lines.flatMap((from, at) => (from === line ? [at] : []));
      } else {
        continue;
      }
      const ranges = lines.map((at) => new vscode.Range(at, 0, at, 0));
      other.setDecorations(this.lit, ranges);
      const first = ranges[0];
      if (first !== undefined) {
        other.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }
}
