// The import graph of our files: every import, re-export and dynamic import of the repository, resolved to a path.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const TOPS = ['packages', 'apps', 'contracts', 'bench', 'scripts', 'sim'];

interface ImportEdge {
  readonly from: string;
  readonly to: string;
  /** Removed by compilation: it cannot make two files depend on each other at start. */
  readonly typeOnly: boolean;
  /** Loaded when the program reaches it, not at start. */
  readonly isDynamic?: boolean;
}

/** Every import between two files of the repository, as paths from its root. */
export function readImportGraph(root = ROOT): ImportEdge[] {
  const entrances = workspaceEntrances(root);
  return sourceFiles(root).flatMap((file) => importsOf(root, file, entrances));
}

function sourceFiles(root: string): string[] {
  return TOPS.filter((top) => existsSync(join(root, top))).flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .map((name) => join(top, name))
      .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file)),
  );
}

/** `@presage/protocol/browser` -> `packages/protocol/src/browser.ts`, from the `exports` of each workspace. */
function workspaceEntrances(root: string): Map<string, string> {
  const entrances = new Map<string, string>();
  const folders = ['packages', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => join(top, name)));
  for (const folder of [...folders, 'contracts']) {
    const manifest = join(root, folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const own: { name: string; exports?: Record<string, string> } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { name, exports = {} } = own;
    for (const [entry, target] of Object.entries(exports)) entrances.set(join(name, entry), join(folder, target));
  }
  return entrances;
}

function importsOf(root: string, file: string, entrances: ReadonlyMap<string, string>): ImportEdge[] {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, untilLastImport(text), ts.ScriptTarget.Latest, false);
  // Only dynamic imports may be anywhere else than at the top of a file.
  const isDeep = /\bimport\s*\(/.test(text);
  const edges: ImportEdge[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, isDynamic = false): void => {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
    const to = toPath(file, specifier.text, entrances);
    if (to !== undefined && existsSync(join(root, to))) edges.push({ from: file, to, typeOnly, isDynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
    if (isDeep || node === source) ts.forEachChild(node, visit);
  };
  visit(source);
  return edges;
}

/** Drops the text after the last import, most of a file, which need not be parsed. Every import has one of these words before its path. */
function untilLastImport(text: string): string {
  const last = [...text.matchAll(/\bimport\b[^'"`]*['"`]|\bfrom\s*['"`]/g)].at(-1);
  if (last === undefined) return '';
  const end = text.indexOf(';', last.index + last[0].length);
  return end === -1 ? text : text.slice(0, end + 1);
}

function toPath(file: string, specifier: string, entrances: ReadonlyMap<string, string>): string | undefined {
  return specifier.startsWith('.') ? relative('.', join(dirname(file), specifier)) : entrances.get(specifier);
}
