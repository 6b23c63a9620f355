// Renders docs/sdk.md: every function of the SDK, found on its clients and entries, with the comment and the parameters of its source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { privateKeyToAccount } from 'viem/accounts';
import * as archive from '../src/archive/index.ts';
import * as exporting from '../src/export.ts';
import * as main from '../src/index.ts';
import * as operator from '../src/operator-client.ts';
import * as rewards from '../src/rewards/index.ts';
import * as verify from '../src/verify/index.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
/** Clients of their own: some of their functions have the names of others. */
const [OPERATOR, SANDBOX] = ['operator-client.ts', 'sandbox-client.ts'];
/** What the SDK passes on. */
const PASSED_ON = ['chance.ts', 'millionths.ts'].map((name) =>
  fileURLToPath(new URL(`../../protocol/src/core/${name}`, import.meta.url)),
);
/** Names under which the SDK passes functions on. */
const RENAMED: Readonly<Record<string, string>> = { formatAmount: 'formatMillionths' };
const NOWHERE = { url: 'http://127.0.0.1:1' };
const SEED = '01'.repeat(32);

interface Found {
  readonly parameters: string;
  readonly comment: string;
}

/** Makes no request: a client asks nothing before it is called. */
export function renderFunctionDocs(): string {
  const [all, ofOperators, ofSandboxes] = [
    readSources(isShared),
    readSources(isOf(OPERATOR)),
    readSources(isOf(SANDBOX)),
  ];
  const known = Object.keys(main.createPublicClient(NOWHERE));
  const trading = main.createTradingClient({ ...NOWHERE, account: privateKeyToAccount(`0x${SEED}`) });
  const sections = [
    section('Everybody: `createPublicClient`', known, all),
    section('A wallet: `createTradingClient`, beside all of the above', unknownTo(known, trading), all),
    section(
      'Operators: `createOperatorClient` of `@presage/sdk/operator`',
      Object.keys(operator.createOperatorClient({ ...NOWHERE, key: { id: 'op', privateKey: SEED } })),
      ofOperators,
    ),
    section('Sandboxes: `createSandboxClient`', Object.keys(main.createSandboxClient(NOWHERE)), ofSandboxes),
    ...Object.entries(ENTRIES).map(([name, entry]) =>
      section(`\`${name}\``, functionsOf(entry), new Map([...ofOperators, ...ofSandboxes, ...all])),
    ),
  ];
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Functions of the SDK

Every function of \`@presage/sdk\` with one sentence on what it does. The page is written by \`npm run gen\` from the sources; \`npm run check\` compares. Parameters and answers are in the types, uses in [the examples](../packages/sdk/examples) and
the [README](../packages/sdk/README.md). Every call takes \`{ signal }\` as its last argument. The packages are ES modules; \`require("@presage/sdk")\` works too, from Node 20.19 on.
`;

const ENTRIES = {
  '@presage/sdk': main,
  '@presage/sdk/operator': operator,
  '@presage/sdk/export': exporting,
  '@presage/sdk/archive': archive,
  '@presage/sdk/rewards': rewards,
  '@presage/sdk/verify': verify,
} as const;

function functionsOf(entry: object): string[] {
  return Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name)
    .sort();
}

function unknownTo(known: readonly string[], client: object): string[] {
  return Object.keys(client).filter((name) => !known.includes(name));
}

function section(title: string, names: readonly string[], found: ReadonlyMap<string, Found>): string {
  const rows = names
    .filter((name) => name !== 'url' && name !== 'address')
    .map((name) => {
      const { parameters, comment } = found.get(RENAMED[name] ?? name) ?? { parameters: '', comment: '' };
      if (comment === '') throw new Error(`${name} of the SDK has no comment that says what it does`);
      return `| \`${name}${parameters}\` | ${comment} |`;
    });
  return `## ${title}\n\n| Function | |\n|---|---|\n${rows.join('\n')}\n`;
}

function readSources(isWanted: (path: string) => boolean): ReadonlyMap<string, Found> {
  const own = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const paths = [...own.sort().map((path) => join(SOURCES, path)), ...PASSED_ON].filter(isWanted);
  const found = new Map<string, Found>();
  for (const path of paths) {
    readFile(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), found);
  }
  return found;
}

function isOf(name: string): (path: string) => boolean {
  return (path) => path.endsWith(name);
}

function isShared(path: string): boolean {
  return !isOf(OPERATOR)(path) && !isOf(SANDBOX)(path);
}

/** Functions that are properties of an object, which clients are made of, and those that a file exports. */
function readFile(file: ts.SourceFile, found: Map<string, Found>): void {
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined) keepBest(found, name, { parameters: parametersOf(node), comment: commentOf(node) });
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function nameOf(node: ts.Node): string | undefined {
  const isNamed =
    ts.isPropertyAssignment(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isVariableDeclaration(node);
  return isNamed ? node.name?.getText() : undefined;
}

/** A name may stand in several places; the one that says most is of the function. */
function keepBest(found: Map<string, Found>, name: string, next: Found): void {
  const before = found.get(name);
  found.set(name, {
    parameters: before?.parameters || next.parameters,
    comment: before?.comment || next.comment,
  });
}

function parametersOf(node: ts.Node): string {
  const value = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node) ? node.initializer : node;
  if (value === undefined) return '';
  const isFunction = ts.isArrowFunction(value) || ts.isMethodDeclaration(value) || ts.isFunctionDeclaration(value);
  if (!isFunction) return '';
  const names = value.parameters.map(({ name, questionToken, initializer }) => {
    const text = ts.isIdentifier(name) ? name.text : 'options';
    return questionToken !== undefined || initializer !== undefined ? `${text}?` : text;
  });
  return `(${names.join(', ')})`;
}

function commentOf(node: ts.Node): string {
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const [doc] = ts.getJSDocCommentsAndTags(holder).filter(ts.isJSDoc);
  const text = typeof doc?.comment === 'string' ? doc.comment : '';
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}
