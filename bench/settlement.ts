// Fills settled per second, from signed orders over HTTP to confirmed trades, compared with the bare chain and with
// matching.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Hex } from '@presage/protocol';
import { serializeTransaction } from 'viem';
import { openChainProcess, openSandbox, type SandboxProcess, waitFor } from '../packages/testkit/src/index.ts';
import { postOrders } from './http-load.ts';
import { type Measurement, median } from './measurement.ts';
import {
  equip,
  makeWallets,
  openVenue,
  type Pairing,
  rpcBatch,
  type SettlementWallet,
  signPairs,
  type Venue,
} from './settlement-load.ts';

const TRADES = Number(process.env.BENCH_TRADES ?? 1_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WALLETS = 200;
const CONNECTIONS = 32;
const LIMIT_MS = 120_000;
const HOW = `${TRADES} trades a round, rounds alternate, fills/s`;
/** Transactions per request from the service to a node. */
const RAWS_A_REQUEST = 16;

/**
 * Disables the check of funds, which reads the chain for every order and would measure admission, and quick markets,
 * which send from the same account.
 */
const FUNDED = {
  PRESAGE_SANDBOX_AUTOFUND: 'off',
  PRESAGE_COLLATERAL_CHECK: 'off',
  PRESAGE_QUICK_ASSETS: 'off',
};

interface Rates {
  readonly matched: number;
  readonly settled: number;
  /** Rate for the trades left when the last order was answered: settlement without admission. */
  readonly drained: number;
}

export async function measure(): Promise<Measurement[]> {
  return [...(await measureFunded()), await measureSimulated(), await measureDefaults()];
}

/**
 * With autofund off and wallets funded beforehand: compared with the bare chain, and one wallet in every trade compared
 * with none.
 */
async function measureFunded(): Promise<Measurement[]> {
  return withSandbox(FUNDED, async (sandbox) => {
    const bench = await SettlementBench.open(sandbox);
    await bench.equip();
    await bench.run('spread', TRADES / 10);
    const spreads: Rates[] = [];
    const [maker, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const compared = await compareWithChain(sandbox, bench);
      spreads.push(compared.rates);
      bare.push(compared.bare);
      maker.push((await bench.run('maker', TRADES)).settled);
    }
    const spread = spreads.map((rates) => rates.settled);
    const figures = describeRates(spreads);
    return [
      {
        key: 'settlement.vs.chain',
        value: median(spread) / median(bare),
        conditions: `${HOW}: ${figures}; the same batches into the bare chain ${list(bare)}; autofund and check of funds off`,
      },
      {
        key: 'settlement.maker',
        value: median(maker) / median(spread),
        conditions: `${HOW}: one wallet in every trade ${list(maker)}; ${figures}; autofund and check of funds off`,
      },
    ];
  });
}

/** Simulates every batch before sending, as on a live chain. */
async function measureSimulated(): Promise<Measurement> {
  return withSandbox({ ...FUNDED, PRESAGE_SANDBOX_SIMULATION: 'always' }, async (sandbox) => {
    const bench = await SettlementBench.open(sandbox);
    await bench.equip();
    await bench.run('spread', TRADES / 10);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await compareWithChain(sandbox, bench));
    const bare = rounds.map((round) => round.bare);
    return {
      key: 'settlement.vs.chain.simulated',
      value: median(rounds.map(({ rates }) => rates.settled)) / median(bare),
      conditions: `${HOW}: ${describeRates(rounds.map(({ rates }) => rates))}; the same batches into the bare chain ${list(bare)}; every batch simulated`,
    };
  });
}

/** Runs a round, then replays its batches into the chain's state before the round. */
async function compareWithChain(sandbox: SandboxProcess, bench: SettlementBench) {
  const replay = await Replay.prepare(sandbox, bench.venue);
  const rates = await bench.run('spread', TRADES);
  return { rates, bare: await replay.run(TRADES) };
}

function describeRates(rounds: readonly Rates[]): string {
  const [settled, matched, drained] = [
    list(rounds.map((rates) => rates.settled)),
    list(rounds.map((rates) => rates.matched)),
    list(rounds.map((rates) => rates.drained)),
  ];
  return `${settled} of ${WALLETS} wallets (matched ${matched}; after the last order ${drained})`;
}

/** Measures the settings of `npm start`, where wallets are funded automatically. */
async function measureDefaults(): Promise<Measurement> {
  return withSandbox({}, async (sandbox) => {
    const bench = await SettlementBench.open(sandbox);
    await bench.run('spread', TRADES / 10);
    const rounds: Rates[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await bench.run('spread', TRADES));
    const [settled, matched] = [rounds.map((rates) => rates.settled), rounds.map((rates) => rates.matched)];
    return {
      key: 'settlement.vs.matching',
      value: median(rounds.map((rates) => rates.settled / rates.matched)),
      conditions: `${TRADES} trades a round, ${CONNECTIONS} connections, defaults: settled/s ${list(settled)}; matched/s ${list(matched)}`,
    };
  });
}

async function withSandbox<T>(env: Record<string, string>, run: (sandbox: SandboxProcess) => Promise<T>): Promise<T> {
  const sandbox = await openSandbox({ env });
  try {
    return await run(sandbox);
  } finally {
    await sandbox.discard();
  }
}

class SettlementBench {
  readonly venue: Venue;
  readonly #wallets: readonly SettlementWallet[] = makeWallets(WALLETS, 'wallet');
  #nonce = 1;

  private constructor(venue: Venue) {
    this.venue = venue;
  }

  static async open(sandbox: SandboxProcess): Promise<SettlementBench> {
    return new SettlementBench(await openVenue(sandbox));
  }

  async equip(): Promise<void> {
    type Status = { keys: { role: string; address: Hex }[] };
    const [status] = await rpcBatch<Status>(this.venue.rpcUrl, [{ method: 'presage_status', params: [] }]);
    await equip(this.venue, this.#wallets, status!.keys.find(({ role }) => role === 'owner')!.address);
  }

  /** Measures from the first order until the last trade is confirmed. */
  async run(pairing: Pairing, trades: number): Promise<Rates> {
    const bodies = await signPairs(this.venue, this.#wallets, { trades, pairing, firstNonce: this.#nonce });
    this.#nonce += trades;
    const before = await this.#confirmed();
    const startMs = performance.now();
    const url = `${this.venue.url}/api/v1/orders`;
    const { ok, statuses } = await postOrders({ url, bodies, connections: CONNECTIONS, limitMs: LIMIT_MS });
    const matchedMs = performance.now() - startMs;
    if (ok !== bodies.length) throw new Error(`not every order was accepted: ${JSON.stringify(statuses)}`);
    const left = before + trades - (await this.#confirmed());
    const isDone = async () => (await this.#confirmed()) - before >= trades;
    await waitFor('every trade is confirmed', isDone, { timeoutMs: LIMIT_MS, pollMs: 50 });
    const settledMs = performance.now() - startMs;
    return {
      matched: (trades / matchedMs) * 1_000,
      settled: (trades / settledMs) * 1_000,
      drained: (left / (settledMs - matchedMs)) * 1_000,
    };
  }

  async #confirmed(): Promise<number> {
    const text = await (await fetch(`${this.venue.url}/metrics`)).text();
    return Number(/^presage_settle_seconds_count (\d+)/m.exec(text)?.[1] ?? 0);
  }
}

/** The chain's state before a round, into which the round's transactions are sent as fast as it accepts them. */
class Replay {
  readonly #venue: Venue;
  readonly #dataDir: string;
  readonly #fromBlock: number;

  private constructor(venue: Venue, dataDir: string, fromBlock: number) {
    this.#venue = venue;
    this.#dataDir = dataDir;
    this.#fromBlock = fromBlock;
  }

  static async prepare(sandbox: SandboxProcess, venue: Venue): Promise<Replay> {
    const dataDir = await mkdtemp(join(tmpdir(), 'presage-replay-'));
    const [head] = await rpcBatch(venue.rpcUrl, [{ method: 'eth_blockNumber', params: [] }]);
    const filter = (path: string) => !basename(path).startsWith('lock-');
    await cp(join(sandbox.dataDir, 'chain'), dataDir, { recursive: true, filter });
    return new Replay(venue, dataDir, Number(head) + 1);
  }

  /** Fills per second. */
  async run(trades: number): Promise<number> {
    const raws = await this.#transactions();
    const chain = await openChainProcess({ dataDir: this.#dataDir });
    try {
      const startMs = performance.now();
      let last: unknown;
      for (let start = 0; start < raws.length; start += RAWS_A_REQUEST) {
        const calls = raws.slice(start, start + RAWS_A_REQUEST).map(toSend);
        last = (await rpcBatch(chain.url, calls)).at(-1);
      }
      await waitFor('the last batch is mined', async () => {
        const [receipt] = await rpcBatch(chain.url, [{ method: 'eth_getTransactionReceipt', params: [last] }]);
        return receipt !== null;
      });
      return (trades / (performance.now() - startMs)) * 1_000;
    } finally {
      await chain.stop();
      await rm(this.#dataDir, { recursive: true, force: true });
    }
  }

  /** Transactions of the settler since then, as they were signed. */
  async #transactions(): Promise<Hex[]> {
    const { rpcUrl, settlement } = this.#venue;
    const [head] = await rpcBatch(rpcUrl, [{ method: 'eth_blockNumber', params: [] }]);
    const raws: Hex[] = [];
    for (let number = this.#fromBlock; number <= Number(head); number++) {
      const params = [`0x${number.toString(16)}`, true];
      type Block = { transactions: RpcTransaction[] };
      const [block] = await rpcBatch<Block>(rpcUrl, [{ method: 'eth_getBlockByNumber', params }]);
      raws.push(...block!.transactions.filter(({ to }) => to?.toLowerCase() === settlement.toLowerCase()).map(toRaw));
    }
    return raws;
  }
}

interface RpcTransaction {
  readonly to: Hex | null;
  readonly input: Hex;
  readonly nonce: Hex;
  readonly gas: Hex;
  readonly value: Hex;
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity?: Hex;
  readonly v: Hex;
}

function toRaw(transaction: RpcTransaction): Hex {
  const { to, input, nonce, gas, value, maxFeePerGas, maxPriorityFeePerGas, r, s, yParity, v } = transaction;
  const unsigned = {
    type: 'eip1559',
    chainId: 31337,
    to,
    data: input,
    nonce: Number(nonce),
    gas: BigInt(gas),
    value: BigInt(value),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  } as const;
  return serializeTransaction(unsigned, { r, s, yParity: Number(yParity ?? v) });
}

function toSend(raw: Hex) {
  return { method: 'eth_sendRawTransaction', params: [raw] };
}

function list(rates: readonly number[]): string {
  return rates.map((rate) => rate.toFixed(0)).join(', ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await measure());
