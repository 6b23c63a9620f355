// Gas of a settled fill compared with published figures of its peers: eight lines of the benchmark, or `npm run bench:gas` for the whole table.
import { fileURLToPath } from 'node:url';
import { type GasCase, type GasResult, measure as measureCase } from './gas/cases.ts';
import type { Measurement } from './measurement.ts';

interface Row extends GasCase {
  /** Whole-transaction gas per fill of Polymarket's exchange V1 and V2, and of our prototype. */
  readonly peers?: readonly [v1: number, v2: number, prototype: number];
  /** V2 with a token that costs as much as USDC; there each independent trade of a batch is one transaction. */
  readonly dearV2?: number;
  readonly key?: string;
}

const rows: readonly Row[] = [
  {
    title: 'one trade',
    key: 'settlement.gas.one',
    buyers: 1,
    sellers: 1,
    sellersHoldShares: true,
    peers: [179_196, 173_957, 104_026],
  },
  {
    title: '100 independent trades',
    key: 'settlement.gas.100',
    buyers: 100,
    sellers: 100,
    sellersHoldShares: true,
    peers: [179_196, 173_957, 74_400],
  },
  {
    title: 'one taker buys from 10 makers',
    key: 'settlement.gas.10-makers',
    buyers: 1,
    sellers: 10,
    sellersHoldShares: true,
    peers: [79_093, 72_154, 45_598],
  },
  {
    title: 'one taker sells to 10 makers',
    buyers: 10,
    sellers: 1,
    sellersHoldShares: true,
    peers: [79_093, 72_154, 45_598],
  },
  {
    title: 'one taker buys from 100 makers',
    key: 'settlement.gas.100-makers',
    buyers: 1,
    sellers: 100,
    sellersHoldShares: true,
    peers: [69_325, 62_116, 43_089],
  },
  {
    title: 'dear token: one trade',
    key: 'settlement.gas.dear.one',
    buyers: 1,
    sellers: 1,
    sellersHoldShares: true,
    isDear: true,
    dearV2: 189_297,
  },
  {
    title: 'dear token: 100 independent',
    key: 'settlement.gas.dear.100',
    buyers: 100,
    sellers: 100,
    sellersHoldShares: true,
    isDear: true,
    dearV2: 189_297,
  },
  { title: 'dear token: 10 makers', buyers: 1, sellers: 10, sellersHoldShares: true, isDear: true, dearV2: 75_490 },
  { title: 'dear token: 100 makers', buyers: 1, sellers: 100, sellersHoldShares: true, isDear: true, dearV2: 64_252 },
  { title: '... and makers have deposits', key: 'settlement.gas.dear.10-makers', ...dearSweep(10), dearV2: 75_490 },
  { title: '... one taker sells to them', ...dearSweep(10), buyers: 10, sellers: 1, dearV2: 75_490 },
  { title: '... 100 makers have deposits', key: 'settlement.gas.dear.100-makers', ...dearSweep(100), dearV2: 64_252 },
  { title: '... everybody, one trade', ...dearSweep(1), ledger: 'everybody', dearV2: 189_297 },
  { title: '... everybody, 10 makers', ...dearSweep(10), ledger: 'everybody', dearV2: 75_490 },
  { title: '... everybody, 100 makers', ...dearSweep(100), ledger: 'everybody', dearV2: 64_252 },
  { title: 'fee 2 %, dear: one trade', ...dearSweep(1), ledger: undefined, hasFee: true },
  { title: '... 10 makers', ...dearSweep(10), ledger: undefined, hasFee: true },
  { title: '... 100 makers', ...dearSweep(100), ledger: undefined, hasFee: true },
  { title: '... 100 makers have deposits', ...dearSweep(100), hasFee: true },
  { title: '... 100 independent', ...dearSweep(100), ledger: undefined, buyers: 100, hasFee: true },
  { title: 'one trade, minted on sale', buyers: 1, sellers: 1, sellersHoldShares: false },
  { title: '100 independent trades, minted', buyers: 100, sellers: 100, sellersHoldShares: false },
  { title: 'one taker buys from 10, minted', buyers: 1, sellers: 10, sellersHoldShares: false },
  { title: '1 bad maker of 10', buyers: 1, sellers: 10, sellersHoldShares: true, badSeller: 4 },
];

/** One taker, who pays from the wallet, and makers with deposits. */
function dearSweep(sellers: number): Omit<GasCase, 'title'> {
  return { buyers: 1, sellers, sellersHoldShares: true, isDear: true, ledger: 'makers' };
}

const conditions = `
Whole-transaction gas divided by fills, calldata included; Prague rules; orders of EOAs; no fees; one market.
Every trader holds stablecoin and (buyers, and sellers unless minted) YES beforehand and has approved both without limit.
Every storage slot is cold at the start of the transaction. The market is registered and its id cold.
An order's counter shares a slot with seven neighbours: "1st" is a trader's first order in a slot, "2nd-8th" those that follow,
"mean" the mean of the eight, which is what counting nonces upward costs. "ratio" is mean / V2.
The dear token is behind a proxy and has a pause, a block list and a counted allowance, as USDC does. "Deposits" are with the
settlement contract; the taker's wallet pays or is paid once for all makers that have one, unless everybody has.
V1, V2 and prototype are figures from the project's notes and were not measured here. The prototype's own contracts, run once
under the conditions above, gave 94,387 / 65,059 / 44,503 / 39,515 for the 2nd-4th nonce and 102,934 / 73,610 / 49,206 / 43,833
in the mean: one trade, 100 independent, 10 makers, 100 makers.
`;

const widths = [31, 9, 9, 10, 9, 9, 9, 7, 16];

function print(cells: readonly (string | number)[]): void {
  const texts = cells.map((cell, index) => {
    const text = typeof cell === 'number' ? cell.toLocaleString('en-US') : cell;
    return index === 0 ? text.padEnd(widths[index]!) : text.padStart(widths[index]!);
  });
  console.log(texts.join(' '));
}

function cellsOf(row: Row, result: GasResult): (string | number)[] {
  const [v1, v2, prototype] = row.peers ?? ['-', row.dearV2 ?? '-', '-'];
  const ratio = typeof v2 === 'number' ? (result.mean / v2).toFixed(2) : '-';
  const outcome = result.failed === 0 ? `${result.settled} settle` : `${result.settled} settle, ${result.failed} not`;
  return [row.title, v1, v2, prototype, result.firstNonce, result.nextNonces, result.mean, ratio, outcome];
}

export async function measure(): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const row of rows) {
    const v2 = row.dearV2 ?? row.peers?.[1];
    if (row.key === undefined || v2 === undefined) continue;
    const { mean } = await measureCase(row);
    const conditions = `mean of eight nonces ${mean.toLocaleString('en')} gas, V2 ${v2.toLocaleString('en')}`;
    measurements.push({ key: row.key, value: mean / v2, conditions });
  }
  return measurements;
}

async function printTable(): Promise<void> {
  print(['case', 'V1', 'V2', 'prototype', '1st', '2nd-8th', 'mean', 'ratio', '']);
  for (const row of rows) print(cellsOf(row, await measureCase(row)));
  console.log(conditions);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await printTable();
