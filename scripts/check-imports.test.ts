// Tests that the import directions hold, and that the check detects violations.
import { expect, it } from 'vitest';
import { judgeImports } from './check-imports.ts';
import { readImportGraph } from './import-graph.ts';

const SERVER = 'apps/server/src';
const graph = readImportGraph();

it('no workspace imports against the allowed direction and no module of the server imports its sibling', () => {
  expect(judgeImports(graph)).toEqual([]);
});

it.each([
  ['packages/engine/src/a.ts', 'packages/journal/src/b.ts'],
  ['packages/sdk/src/a.ts', 'contracts/generated/abi.ts'],
  ['apps/web/src/a.tsx', 'packages/chain/src/b.ts'],
  ['apps/web/src/a.tsx', 'packages/runtime/src/node/index.ts'],
  ['bench/a.ts', 'apps/server/src/api/open.ts'],
  ['packages/sdk/examples/a.ts', 'apps/cli/src/b.ts'],
  [`${SERVER}/relayer/a.ts`, `${SERVER}/wallets/open.ts`],
  [`${SERVER}/compose.ts`, `${SERVER}/wallets/wallet.ts`],
  [`${SERVER}/chains/chain.ts`, `${SERVER}/relayer/relayer.ts`],
  [`${SERVER}/main.ts`, `${SERVER}/host/open.ts`],
  [`${SERVER}/host/a.ts`, `${SERVER}/cluster/b.ts`],
])('%s may not import %s', (from, to) => {
  expect(judgeImports([{ from, to, typeOnly: false }])).toHaveLength(1);
});

it.each([
  ['packages/engine/src/a.ts', 'packages/protocol/src/b.ts', false],
  ['packages/journal/test/a.ts', 'packages/testkit/src/b.ts', false],
  [`${SERVER}/compose.ts`, `${SERVER}/wallets/open.ts`, false],
  [`${SERVER}/chains/chain.ts`, `${SERVER}/relayer/open.ts`, false],
  [`${SERVER}/config.ts`, `${SERVER}/config/price-config.ts`, false],
  [`${SERVER}/cluster/a.ts`, `${SERVER}/host/host.ts`, false],
  [`${SERVER}/relayer/a.ts`, `${SERVER}/wallets/wallet.ts`, true],
])('%s may import %s', (from, to, typeOnly) => {
  expect(judgeImports([{ from, to, typeOnly }])).toEqual([]);
});

it('a single node loads no file of the cluster', () => {
  const loaded = new Set([`${SERVER}/main.ts`, `${SERVER}/compose.ts`]);
  for (const file of loaded) {
    const imports = graph.filter(({ from, typeOnly, isDynamic }) => from === file && !typeOnly && !isDynamic);
    for (const { to } of imports) loaded.add(to);
  }
  expect(loaded).toContain(`${SERVER}/host/partition-log.ts`);
  expect([...loaded].filter((file) => file.startsWith(`${SERVER}/cluster/`))).toEqual([]);
});

it('says which file of the server lies in no module', () => {
  const edge = { from: `${SERVER}/wallet-service.ts`, to: 'packages/protocol/src/index.ts', typeOnly: true };
  expect(judgeImports([edge])).toEqual([expect.stringContaining('lies in no module')]);
});

it('sees sources, tests, scripts, benches, examples, the page and plain modules', () => {
  const seen = new Set(graph.map(({ from }) => from.replace(/[^/]+$/, '')));
  const folders = ['apps/server/src/', 'apps/server/test/e2e/', 'scripts/', 'bench/', 'packages/sdk/examples/'];
  expect([...folders, 'apps/web/src/state/', 'apps/cli/bin/'].filter((folder) => !seen.has(folder))).toEqual([]);
});
