// The simulated chain: the real contracts in a real EVM, with blocks, reorganisations and a pool in virtual time.
import {
  type ChainRecord,
  EdrNode,
  encodeError,
  encodeResult,
  Faults,
  type ParsedEntry,
  parseBody,
  RpcRouter,
  SandboxChain,
} from '@presage/devchain/in-process';
import type { Hex } from '@presage/protocol';
import { OffsetClock } from '@presage/runtime';
import type { VirtualTime } from '../kernel/virtual-time.ts';
import { MemoryChainLog } from './memory-chain-log.ts';
import type { PreparedChain } from './prepared-chain.ts';

/** Confirmations for finality: blocks with fewer may leave the chain, and do. */
export const CONFIRMATIONS = 4;

const CALL_GAS = 1_000_000n;

let waitFor: VirtualTime | undefined;
const request = EdrNode.prototype.request;
/** The EVM runs on its own threads: the world stands still until it has answered. */
EdrNode.prototype.request = function (...args) {
  const answer = request.apply(this, args);
  return waitFor === undefined ? answer : waitFor.native(answer);
};

export type RpcMethod = (method: string, params: readonly unknown[]) => Promise<unknown>;

export class SimChain {
  readonly #chain: SandboxChain;
  readonly #log: MemoryChainLog;
  readonly #router: RpcRouter;
  readonly #leaps: { ms: number };

  private constructor(chain: SandboxChain, log: MemoryChainLog, leaps: { ms: number }) {
    this.#leaps = leaps;
    this.#chain = chain;
    this.#log = log;
    this.#router = new RpcRouter({ chain, faults: new Faults(), onFaults: () => undefined });
    chain.holdMining(true);
  }

  /** `startMs` is the chain's clock at the beginning of virtual time. */
  static async open(time: VirtualTime, startMs: number, prepared?: PreparedChain): Promise<SimChain> {
    waitFor = time;
    const log = new MemoryChainLog();
    const leaps = { ms: 0 };
    const clock = new OffsetClock(() => startMs + time.nowMs + leaps.ms);
    const options = { log, blockIntervalMs: 1_000, lingerMs: 1_000, clock };
    const open = async () =>
      prepared === undefined ? SandboxChain.open(options) : SandboxChain.goOn(options, await prepared.begin());
    return new SimChain(await time.native(open()), log, leaps);
  }

  /** Advances the chain's clock at once. */
  leap(ms: number): void {
    this.#leaps.ms += ms;
  }

  /** Records of this world, without those of its preparation. */
  get records(): readonly ChainRecord[] {
    return this.#log.records;
  }

  get head(): SandboxChain['head'] {
    return this.#chain.head;
  }

  get poolSize(): number {
    return this.#chain.poolSize;
  }

  /** Whether transactions of these accounts (in lower case) are pending. */
  isWaiting(accounts: ReadonlySet<string>): boolean {
    return this.#chain.pooledAll().some(({ from }) => accounts.has(from.toLowerCase()));
  }

  readonly call: RpcMethod = (method, params) => this.#router.call(method, params);

  /** Answers a whole JSON-RPC body like a node; `call` may replace the method's implementation. */
  async answer(text: string, call: RpcMethod = this.call): Promise<string> {
    const body = parseBody(text);
    const answers = await Promise.all(body.entries.map((entry) => answerEntry(entry, call)));
    return body.batch ? `[${answers.join(',')}]` : answers[0]!;
  }

  async mine(count = 1): Promise<void> {
    await this.#chain.mine(count);
  }

  /** Drops all pending transactions, as a restarted node does. */
  async dropPool(): Promise<number> {
    return (await this.#chain.forgetPool()).length;
  }

  async reorganise(depth: number, mode: 'keep' | 'drop' | 'shuffle'): Promise<void> {
    await this.#chain.reorganise(depth, mode);
  }

  /** Adds a call in the name of an account to the pool. */
  async sendAs(from: Hex, { to, data }: { readonly to: Hex; readonly data: Hex }, gas = CALL_GAS): Promise<Hex> {
    return this.#chain.sendAs({ from, to, data, value: '0x0', gas: `0x${gas.toString(16)}` });
  }
}

async function answerEntry(entry: ParsedEntry, call: RpcMethod): Promise<string> {
  if ('fault' in entry) return encodeError(entry.id, entry.fault);
  try {
    return encodeResult(entry.id ?? null, await call(entry.method, entry.params));
  } catch (error) {
    return encodeError(entry.id ?? null, error);
  }
}
