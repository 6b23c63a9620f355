// Processor time of an order in a service with lanes: for lanes, service and database, compared with a service without.

import { readFileSync } from 'node:fs';
import { readJson, waitFor } from '@presage/testkit';
import { type Exchange, withExchange } from '../../../bench/exchange.ts';
import type { OrderMix } from '../../../bench/http-load.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { readTree } from '../../../bench/process-tree.ts';
import { describeTimes, measureIdle, measureRound, type Pids, type Round } from './role-times.ts';

/** Warm means compiled: the first thousands of orders cost twice as much. */
const LOAD = { warmUp: 12_000, orders: 6_000 };
const IDLE_SECONDS = 5;
const LANES = 2;
const MIXES: readonly OrderMix[] = ['resting', 'crossing'];

type Times = Readonly<Record<string, number>>;

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement[]> {
  const single = await withExchange((exchange) => measureMixes(exchange, 0));
  const lanes = await withExchange((exchange) => measureMixes(exchange, LANES), { env: { PRESAGE_LANES: `${LANES}` } });
  return MIXES.map((mix, index) => {
    const [without, with_] = [single[index]!, lanes[index]!];
    return {
      key: `lanes.cost.${mix}`,
      value: sum(with_.orderUs) / sum(without.orderUs),
      conditions: `${LOAD.orders} ${mix} orders after ${LOAD.warmUp}: without lanes ${without.said}; ${LANES} lanes ${with_.said}`,
    };
  });
}

async function measureMixes({ sandbox, url, marketId, domain }: Exchange, lanes: number): Promise<Cost[]> {
  const pids = await waitFor('the lanes run', async () => {
    const isWhole = sandbox.lanes().length === lanes && (await areReady(url, lanes));
    return isWhole && pidsOf(sandbox.pid, sandbox.lanes());
  });
  const rounds: Round[] = [];
  for (const mix of MIXES)
    rounds.push(await measureRound({ domain, targets: [{ url: url(''), marketId }], pids, mix, ...LOAD }));
  await waitFor('every trade is settled', () => isSettled(url), { timeoutMs: 300_000 });
  const idleUs = toShares(await measureIdle(pids, IDLE_SECONDS));
  return rounds.map((round) => toCost(round, idleUs));
}

async function isSettled(url: Exchange['url']): Promise<boolean> {
  return (await readJson<{ count: number }>(url('/api/v1/pending-trades'))).count === 0;
}

interface Cost {
  readonly orderUs: Times;
  readonly said: string;
}

function toCost({ perSecond, cpuUs }: Round, idleUs: Times): Cost {
  const own = (us: number, name: string) => Math.max(0, Math.round(us - idleUs[name]! / perSecond));
  const orderUs = Object.fromEntries(Object.entries(toShares(cpuUs)).map(([name, us]) => [name, own(us, name)]));
  const said = `${perSecond.toFixed(0)}/s, us of processor time an order ${describeTimes(orderUs)}, sum ${sum(orderUs)}`;
  return { orderUs, said };
}

async function areReady(url: Exchange['url'], lanes: number): Promise<boolean> {
  const asked = Array.from({ length: 2 * lanes }, async () => {
    const answer = await fetch(url('/ready'), { headers: { connection: 'close' } });
    return (await answer.json()) as { readonly lane?: number };
  });
  return new Set((await Promise.all(asked)).map(({ lane }) => lane)).size >= lanes;
}

/** `all` includes the others. */
function pidsOf(root: number, lanes: readonly number[]): Pids {
  const tree = readTree(root);
  const isServer = ({ name }: { readonly name: string }) => name === 'postgres';
  const database = tree.find(
    (each) => isServer(each) && !tree.some((other) => isServer(other) && other.pid === each.parent),
  );
  const chain = tree.find(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('devchain/src/main'));
  const named = lanes.map((pid, index) => [`lane-${index + 1}`, pid]);
  return { all: root, chain: chain!.pid, ...Object.fromEntries(named), database: database!.pid };
}

/** The service's share is the total less all other processes; a real chain would run on another machine. */
function toShares({ all = 0, chain = 0, ...others }: Times): Times {
  return { service: all - chain - sum(others), ...others };
}

function sum(us: Times): number {
  return Object.values(us).reduce((total, each) => total + each, 0);
}
