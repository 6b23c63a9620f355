// Finds import circles: files that can only be understood, tested or loaded together. There must be none.
import { fileURLToPath } from 'node:url';
import { ROOT, readImportGraph } from './import-graph.ts';

export interface ImportCircles {
  /** Circles that remain after compilation: which file runs first depends on the entry point. */
  readonly values: string[][];
  /** Circles closed only by type imports. */
  readonly types: string[][];
}

/** Each circle once, as the shortest one through its first file. */
export function findImportCircles(root = ROOT): ImportCircles {
  const edges = readImportGraph(root);
  const values = circlesOf(edges.filter(({ typeOnly }) => !typeOnly));
  const known = new Set(values.flat());
  const types = circlesOf(edges).filter((circle) => !circle.every((file) => known.has(file)));
  return { values, types };
}

type Graph = ReadonlyMap<string, readonly string[]>;

function circlesOf(edges: readonly { from: string; to: string }[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const { from, to } of edges) graph.set(from, [...(graph.get(from) ?? []), to]);
  const circles: string[][] = [];
  const seen = new Set<string>();
  for (const start of [...graph.keys()].sort()) {
    if (seen.has(start)) continue;
    const round = shortestRound(graph, start);
    if (round === undefined) continue;
    circles.push(round);
    for (const file of togetherWith(graph, start)) seen.add(file);
  }
  return circles;
}

/** Files that `start` reaches and that reach it: one strongly connected component, reported once. */
function togetherWith(graph: Graph, start: string): string[] {
  const reached = reach(graph, start);
  return [...reached].filter((file) => reach(graph, file).has(start));
}

function reach(graph: Graph, start: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of graph.get(file) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

function shortestRound(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return wayTo(cameFrom, start, file);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const way = [end];
  for (let file = end; file !== start; ) {
    file = cameFrom.get(file) ?? start;
    way.unshift(file);
  }
  return way;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, types } = findImportCircles();
  for (const circle of values) console.error(`values: ${[...circle, circle[0]].join(' -> ')}`);
  for (const circle of types) console.error(`types:  ${[...circle, circle[0]].join(' -> ')}`);
  const total = values.length + types.length;
  console.log(
    total === 0 ? 'import circles: none' : `import circles: ${values.length} of values, ${types.length} of types`,
  );
  process.exitCode = total === 0 ? 0 : 1;
}
