// Draws faults from the syntax tree of the service, so that nobody chooses the lines; the same seed gives the same faults.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeEdit, type Edit, toTextChange } from '@presage/testkit';
import ts from 'typescript';
import type { Mutation } from './mutation.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Folders of `apps/server/src` whose faults lose, duplicate or misjudge something. */
export const ROOMS = ['host', 'settlement', 'cluster', 'wallets', 'relayer'] as const;

const { SyntaxKind } = ts;
const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
]);

/** All faults that can be drawn. */
export function allFaults(): Mutation[] {
  return ROOMS.flatMap((room) => {
    const folder = join('apps/server/src', room);
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    return files.sort().flatMap((name) => faultsIn(join(folder, name)));
  });
}

/** Orders the faults by the seed, with equal numbers from each folder. */
export function drawFaults(faults: readonly Mutation[], count: number, seed: number): Mutation[] {
  const keyOf = ({ file, find, replace }: Mutation) =>
    createHash('sha256').update([seed, file, find, replace].join('\n')).digest('hex');
  const keyed = faults.map((fault) => ({ fault, key: keyOf(fault) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const byRoom = ROOMS.map((room) => keyed.filter(({ fault }) => roomOf(fault) === room));
  const turns = Array.from({ length: Math.ceil(count / ROOMS.length) }, (_, turn) =>
    byRoom.flatMap((own) => own[turn]?.fault ?? []),
  );
  return turns.flat().slice(0, count);
}

export function roomOf({ file }: Mutation): (typeof ROOMS)[number] {
  return ROOMS.find((room) => file.startsWith(`apps/server/src/${room}/`)) ?? 'host';
}

function faultsIn(file: string): Mutation[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    // Types and imports do not affect behaviour.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    edits.push(...editsOf(node));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return edits.map((edit) => toMutation(file, text, edit));
}

function editsOf(node: ts.Node): Edit[] {
  if (ts.isBinaryExpression(node)) return swapped(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [{ ...spanOf(node), to: node.operand.getText() }];
  if (ts.isIfStatement(node)) {
    const gone = { ...spanOf(node), to: '' };
    return [negated(node.expression), ...(node.elseStatement === undefined ? [gone] : [])];
  }
  if (ts.isConditionalExpression(node)) return [negated(node.condition)];
  if (ts.isAwaitExpression(node) && ts.isExpressionStatement(node.parent))
    return [{ ...spanOf(node), to: `void ${node.expression.getText()}` }];
  if (ts.isExpressionStatement(node)) return [{ ...spanOf(node), to: '' }];
  if (ts.isNumericLiteral(node)) return [{ ...spanOf(node), to: `(${node.getText()} + 1)` }];
  if (ts.isBigIntLiteral(node)) return [{ ...spanOf(node), to: `(${node.getText()} + 1n)` }];
  return [];
}

function swapped({ operatorToken }: ts.BinaryExpression): Edit[] {
  const other = OPERATORS.get(operatorToken.kind);
  return other === undefined ? [] : [{ ...spanOf(operatorToken), to: other }];
}

function negated(condition: ts.Expression): Edit {
  return { ...spanOf(condition), to: `!(${condition.getText()})` };
}

function spanOf(node: ts.Node): Pick<Edit, 'start' | 'end'> {
  return { start: node.getStart(), end: node.getEnd() };
}

function toMutation(file: string, text: string, edit: Edit): Mutation {
  const { find, replace, line } = toTextChange(text, edit);
  return { name: `line ${line}: ${describeEdit(text, edit)}`, file, find, replace };
}
