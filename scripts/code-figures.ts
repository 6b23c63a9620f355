// Figures of a checkout computed from its source text: lines, casts, option types, log types, long functions, full folders.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const TOPS = ['packages', 'apps', 'contracts', 'bench', 'examples', 'scripts', 'sim'];
const LOG_LEVELS = new Set(['debug', 'info', 'warn', 'error']);
/** Files above which a folder is hard to search. */
const FULL_FOLDER = 25;

/** A finding and its place: `apps/server/src/chains/chain.ts:120 openChain`. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface LongFunction extends Finding {
  readonly lines: number;
}

export interface Size {
  readonly files: number;
  readonly lines: number;
}

interface CodeFigures {
  /** TypeScript of the `src` folders of packages and apps. */
  readonly src: Size;
  /** TypeScript outside of those: scripts, benchmarks, simulator, examples. */
  readonly tools: Size;
  readonly tests: Size;
  /** `value as Type` outside tests, except `as const`. */
  readonly casts: readonly Finding[];
  /** Lines of `src` that name a type ending in `Options`. */
  readonly optionsTypeLines: number;
  /** Lines of `src` that name `options` or an identifier ending in it. */
  readonly optionsLines: number;
  /** Types in `apps/server/src` with a member like `warn(details, message)`. */
  readonly logTypes: readonly Finding[];
  /** Functions in `src`, the longest first. */
  readonly functions: readonly LongFunction[];
  /** Folders below `src` with more than 25 files. */
  readonly fullFolders: readonly { readonly folder: string; readonly files: number }[];
}

export function readCodeFigures(root: string): CodeFigures {
  const sources = sourceFiles(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const [tests, product] = partition(sources, ({ file }) => isTest(file));
  const [src, tools] = partition(product, ({ file }) => isSrc(file));
  const found = new Findings();
  for (const { file, text } of product) found.read(file, text);
  return {
    src: sizeOf(src),
    tools: sizeOf(tools),
    tests: sizeOf(tests),
    casts: found.casts,
    optionsTypeLines: countLines(src, /\w+Options\b/),
    optionsLines: countLines(src, /options\b/i),
    logTypes: found.logTypes.filter(({ file }) => file.startsWith('apps/server/src/')),
    functions: found.functions.filter(({ file }) => isSrc(file)).sort((a, b) => b.lines - a.lines),
    fullFolders: fullFolders(src.map(({ file }) => file)),
  };
}

interface Source {
  readonly file: string;
  readonly text: string;
}

const isTest = (file: string) => /(^|\/)test\/|\.test\.tsx?$/.test(file);
const isSrc = (file: string) => /^(packages|apps)\/[^/]+\/src\//.test(file);

function sourceFiles(root: string): string[] {
  return TOPS.filter((top) => existsSync(join(root, top))).flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .map((name) => join(top, name))
      .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist|generated)\//.test(file)),
  );
}

function partition<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function sizeOf(sources: readonly Source[]): Size {
  return { files: sources.length, lines: sources.reduce((total, { text }) => total + linesOf(text).length, 0) };
}

function countLines(sources: readonly Source[], pattern: RegExp): number {
  return sources.flatMap(({ text }) => linesOf(text)).filter((line) => pattern.test(line)).length;
}

function fullFolders(files: readonly string[]): { folder: string; files: number }[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .map(([folder, count]) => ({ folder, files: count }))
    .filter((each) => each.files > FULL_FOLDER)
    .sort((a, b) => b.files - a.files);
}

class Findings {
  readonly casts: Finding[] = [];
  readonly logTypes: Finding[] = [];
  readonly functions: LongFunction[] = [];

  read(file: string, text: string): void {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const at = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const visit = (node: ts.Node): void => {
      if (isCast(node))
        this.casts.push({ file, line: at(node), text: `as ${node.type.getText().replace(/\s+/g, ' ')}` });
      if (isLogType(node)) this.logTypes.push({ file, line: at(node), text: nameOf(node) });
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const lines = source.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - at(node);
        this.functions.push({ file, line: at(node), text: nameOf(node), lines });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
}

function isCast(node: ts.Node): node is ts.AsExpression {
  return ts.isAsExpression(node) && !ts.isConstTypeReference(node.type);
}

/** `{ warn(details, message): void }`, an interface like it, or `Record<'warn', (details, message) => void>`. */
function isLogType(node: ts.Node): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) return node.members.some(isLogMember);
  if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== 'Record') return false;
  const [keys, value] = node.typeArguments ?? [];
  const names = keys?.getText().match(/\w+/g) ?? [];
  return names.some((name) => LOG_LEVELS.has(name)) && value !== undefined && isLogSignature(value);
}

function isLogMember(member: ts.TypeElement): boolean {
  if (member.name === undefined || !LOG_LEVELS.has(member.name.getText())) return false;
  if (ts.isMethodSignature(member)) return isLogSignature(member);
  return ts.isPropertySignature(member) && member.type !== undefined && isLogSignature(member.type);
}

function isLogSignature(node: ts.Node): boolean {
  return (
    (ts.isFunctionTypeNode(node) || ts.isMethodSignature(node)) &&
    node.parameters.length === 2 &&
    node.parameters[1]!.name.getText() === 'message'
  );
}

/** Name of the node, or of the nearest enclosing declaration. */
function nameOf(node: ts.Node): string {
  for (let each: ts.Node | undefined = node; each !== undefined; each = each.parent) {
    // Nodes that declare nothing have no name.
    const { name } = each as ts.NamedDeclaration;
    if (name !== undefined) return name.getText();
  }
  return 'anonymous';
}
