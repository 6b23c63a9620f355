// Draws faults from the syntax tree of the contracts, so that nobody chooses the lines; the same seed gives the same faults.
import { describeEdit, type Edit, toTextChange } from '@presage/testkit';
import { importsOf, readTrees, type StandardInput, sha256 } from './compile.ts';
import { type DeployableName, deployable, sourceOf } from './deployable.ts';
import type { Mutation } from './mutations.ts';

/** A node of the compiler's syntax tree. */
interface SyntaxNode {
  readonly nodeType: string;
  /** `start:length:file`, in bytes. */
  readonly src: string;
  readonly [field: string]: unknown;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '+',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
};
const INSTRUCTIONS: Readonly<Record<string, string>> = {
  lt: 'gt',
  gt: 'lt',
  add: 'sub',
  sub: 'add',
  and: 'or',
  or: 'and',
  shl: 'shr',
  shr: 'shl',
  mul: 'add',
  div: 'mul',
};

/** All faults that can be drawn, at every place of the files that go into a contract. */
export function allFaults(input: StandardInput): Mutation[] {
  return Object.entries(readTrees(input)).flatMap(([path, tree]) => faultsIn(path, tree, input));
}

/** Orders the faults by the seed. */
export function drawFaults(faults: readonly Mutation[], count: number, seed: number): Mutation[] {
  const keyed = faults.map((fault) => ({ fault, key: sha256(`${seed} ${fault.file} ${fault.from} ${fault.to}`) }));
  const shuffled = keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return shuffled.slice(0, count).map(({ fault }) => fault);
}

function faultsIn(path: string, tree: unknown, input: StandardInput): Mutation[] {
  const contract = deployable.find((name) => !isForTests(name) && importedBy(sourceOf(name, input), input).has(path));
  const bytes = Buffer.from(input.sources[path]!.content);
  // The tree counts bytes: comments with non-ASCII letters would shift characters.
  const text = bytes.toString('latin1');
  if (contract === undefined) return [];
  return [...nodesOf(tree)].flatMap((node) =>
    editsOf(node, text).map((edit) => toMutation(path, contract, text, edit)),
  );
}

const isForTests = (name: DeployableName): boolean => name === 'TestStablecoin';

function* nodesOf(value: unknown): Generator<SyntaxNode, void, void> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesOf(each);
  } else if (isObject(value)) {
    // Names of types and events do not affect behaviour.
    if (value.nodeType === 'EventDefinition' || value.nodeType === 'ErrorDefinition') return;
    if (isNode(value)) yield value;
    for (const each of Object.values(value)) yield* nodesOf(each);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isNode(value: unknown): value is SyntaxNode {
  return isObject(value) && typeof value.nodeType === 'string' && typeof value.src === 'string';
}

function editsOf(node: SyntaxNode, text: string): Edit[] {
  switch (node.nodeType) {
    case 'BinaryOperation':
      return between(node, text, OPERATORS);
    case 'UnaryOperation':
      return node.operator === '!'
        ? [{ ...spanOf(node), to: text.slice(spanOf(node).start + 1, spanOf(node).end) }]
        : [];
    case 'IfStatement':
      return [negated(node.condition, text), ...(node.falseBody == null ? [{ ...spanOf(node), to: '{}' }] : [])].flat();
    case 'Conditional':
      return negated(node.condition, text);
    case 'ExpressionStatement':
      return [withSemicolon({ ...spanOf(node), to: '' }, text)];
    case 'Literal':
      return node.kind === 'number' ? [{ ...spanOf(node), to: `(${slice(node, text)} + 1)` }] : [];
    case 'YulFunctionCall':
      return renamed(node, text);
    default:
      return [];
  }
}

function between(node: SyntaxNode, text: string, others: Readonly<Record<string, string>>): Edit[] {
  const { leftExpression: left, rightExpression: right, operator } = node;
  const other = others[String(operator)];
  if (!isNode(left) || !isNode(right) || other === undefined) return [];
  const gap = { start: spanOf(left).end, end: spanOf(right).start };
  return [{ ...gap, to: text.slice(gap.start, gap.end).replace(String(operator), () => other) }];
}

function negated(condition: unknown, text: string): Edit[] {
  return isNode(condition) ? [{ ...spanOf(condition), to: `!(${slice(condition, text)})` }] : [];
}

function renamed({ functionName: name }: SyntaxNode, text: string): Edit[] {
  if (!isNode(name)) return [];
  const other = INSTRUCTIONS[slice(name, text)];
  return other === undefined ? [] : [{ ...spanOf(name), to: other }];
}

/** The tree excludes the semicolon of a statement. */
function withSemicolon(edit: Edit, text: string): Edit {
  return text[edit.end] === ';' ? { ...edit, end: edit.end + 1 } : edit;
}

function spanOf({ src }: SyntaxNode): Span {
  const [start = 0, length = 0] = src.split(':').map(Number);
  return { start, end: start + length };
}

function slice(node: SyntaxNode, text: string): string {
  const { start, end } = spanOf(node);
  return text.slice(start, end);
}

function toMutation(path: string, contract: DeployableName, text: string, edit: Edit): Mutation {
  const asUtf8 = (part: string) => Buffer.from(part, 'latin1').toString('utf8');
  const { find, replace, line } = toTextChange(text, edit);
  const name = `line ${line}: ${asUtf8(describeEdit(text, edit))}`;
  return { name, file: path.replace(/^src\//, ''), contract, from: asUtf8(find), to: asUtf8(replace) };
}

function importedBy(source: string, { sources }: StandardInput): Set<string> {
  const found = new Set([source]);
  for (const path of found) for (const imported of importsOf(path, sources[path]!.content)) found.add(imported);
  return found;
}
