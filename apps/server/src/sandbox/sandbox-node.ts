// Typed access to the sandbox chain's own RPC methods: impersonation, time, reorgs and faults.
import { type ContractCall, callContract, type Rpc, RpcUnavailable } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { poll, waitFor } from '@presage/runtime';
import type { Log } from 'viem';

/** A call by an impersonated account; without `gas`, the chain or `sendTogether` chooses it. */
export type SandboxCall = ContractCall & { readonly from: Hex; readonly gas?: bigint };

interface Mined {
  readonly status: Hex;
  readonly transactionHash: Hex;
  readonly logs: Log[];
}

const POLL_MS = 20;
const MINED_TIMEOUT_MS = 10_000;
/** Gas of a small call. An approval or a mint takes a third of it; four hundred fit in a block. */
const SMALL_CALL_GAS = 150_000n;

/** Gas of a creation; enough for an event of any number of outcomes, which takes more than the sandbox's other calls. */
const CREATION_GAS = 15_000_000n;

export class SandboxNode {
  readonly #rpc: Rpc;
  readonly #minedTimeoutMs: number;

  constructor(rpc: Rpc, minedTimeoutMs = MINED_TIMEOUT_MS) {
    this.#rpc = rpc;
    this.#minedTimeoutMs = minedTimeoutMs;
  }

  /** Sends a call; resolves when it is mined. Simulates it first, so that a refusal of the contract has its reason. */
  async send(call: SandboxCall): Promise<Mined> {
    const { from, to, data } = call;
    await callContract(this.#rpc, { from, to, data }, 'pending');
    const hash = await this.#request<Hex>('presage_sendAs', [toSent(call)]);
    const read = async () => (await this.#request<Mined | null>('eth_getTransactionReceipt', [hash])) ?? undefined;
    const options = { timeoutMs: this.#minedTimeoutMs, pollMs: POLL_MS };
    const mined = await waitFor(`the sandbox transaction ${hash} is mined`, read, options);
    if (mined.status !== '0x1') throw new Error(`the sandbox transaction ${hash} reverted`);
    return mined;
  }

  /** Sends the creation of a market or of an event, which may take much gas. */
  create(call: SandboxCall): Promise<Mined> {
    return this.send({ ...call, gas: CREATION_GAS });
  }

  /**
   * Sends all calls in one request and resolves when the accepted ones are mined. Ignores refused, reverted and never mined calls:
   * one wallet must not block the others. Throws if nothing at all is mined, because then the chain has stopped.
   */
  async sendTogether(calls: readonly SandboxCall[]): Promise<void> {
    const requests = calls.map((call) => ({
      method: 'presage_sendAs',
      params: [toSent({ gas: SMALL_CALL_GAS, ...call })],
    }));
    const outcomes = await this.#rpc.batch(requests);
    const unreachable = outcomes.find((outcome) => !outcome.ok && outcome.error instanceof RpcUnavailable);
    if (unreachable !== undefined && !unreachable.ok) throw unreachable.error;
    const hashes = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.result] : []));
    const last = hashes.at(-1);
    // The chain mines in order of arrival: once the last is mined, all are.
    const isDone = async () => last === undefined || (await this.#countMined([last])) === 1;
    if (await poll(isDone, { timeoutMs: this.#minedTimeoutMs, pollMs: POLL_MS })) return;
    if ((await this.#countMined(hashes)) === 0) throw new Error('the sandbox chain mines nothing');
  }

  async timeOffset(): Promise<number> {
    return (await this.#request<{ offsetSeconds: number }>('presage_time', [])).offsetSeconds;
  }

  async setTimeOffset(seconds: number): Promise<void> {
    await this.#rpc.request('presage_setTimeOffset', [seconds]);
  }

  async reorg(depth: number): Promise<void> {
    await this.#rpc.request('presage_reorg', [{ depth, transactions: 'keep' }]);
  }

  async setFaults(chain: 'up' | 'down' | 'slow'): Promise<void> {
    await this.#rpc.request('presage_faults', [{ chain }]);
  }

  faults(): Promise<{ chain: 'up' | 'down' | 'slow' }> {
    return this.#request('presage_faults', []);
  }

  /** Calls the chain. It is our own program, so an answer's type follows from the method and is not checked. */
  async #request<T>(method: string, params: readonly unknown[]): Promise<T> {
    return (await this.#rpc.request(method, params)) as T;
  }

  async #countMined(hashes: readonly unknown[]): Promise<number> {
    const asked = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    return (await this.#rpc.batch(asked)).filter((outcome) => outcome.ok && outcome.result !== null).length;
  }
}

function toSent({ from, to, data, gas }: SandboxCall) {
  return { from, to, data, ...(gas !== undefined && { gas: `0x${gas.toString(16)}` }) };
}
