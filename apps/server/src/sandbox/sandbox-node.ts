// The sandbox chain's own methods, typed: impersonation, time, reorgs and faults, all through plain RPC.
import { type ContractCall, type Rpc, RpcUnavailable } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { poll, waitFor } from '@presage/runtime';

const POLL_MS = 20;
const MINED_TIMEOUT_MS = 10_000;
/** An approval or a mint takes a third of it; four hundred of them fit in a block. */
const SMALL_CALL_GAS = '0x249f0';

export class SandboxNode {
  readonly #rpc: Rpc;
  readonly #minedTimeoutMs: number;

  constructor(rpc: Rpc, minedTimeoutMs = MINED_TIMEOUT_MS) {
    this.#rpc = rpc;
    this.#minedTimeoutMs = minedTimeoutMs;
  }

  /** Sends the calls in these wallets' names, in order, and resolves when all are mined. */
  async sendAs(calls: readonly (ContractCall & { readonly from: Hex })[]): Promise<Hex[]> {
    const hashes: Hex[] = [];
    for (const { from, to, data } of calls) {
      hashes.push(await this.#request<Hex>('presage_sendAs', [{ from, to, data }]));
    }
    for (const hash of hashes) await this.#mined(hash);
    return hashes;
  }

  /**
   * Sends all calls in one request and resolves when the accepted ones are mined. Refused, reverted and never mined calls are
   * ignored: one wallet must not block the others. Throws if nothing at all is mined, because then the chain has stopped.
   */
  async sendTogether(calls: readonly (ContractCall & { readonly from: Hex })[]): Promise<void> {
    const requests = calls.map(({ from, to, data }) => ({
      method: 'presage_sendAs',
      params: [{ from, to, data, gas: SMALL_CALL_GAS }],
    }));
    const outcomes = await this.#rpc.batch(requests);
    const unreachable = outcomes.find((outcome) => !outcome.ok && outcome.error instanceof RpcUnavailable);
    if (unreachable !== undefined && !unreachable.ok) throw unreachable.error;
    const hashes = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.result] : []));
    const last = hashes.at(-1);
    // The chain mines in the order of arrival: with the last one all are mined.
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

  /** The sandbox chain is our own program: the type of an answer follows from the method, and is not checked. */
  async #request<T>(method: string, params: readonly unknown[]): Promise<T> {
    return (await this.#rpc.request(method, params)) as T;
  }

  async #countMined(hashes: readonly unknown[]): Promise<number> {
    const asked = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    return (await this.#rpc.batch(asked)).filter((outcome) => outcome.ok && outcome.result !== null).length;
  }

  async #mined(hash: Hex): Promise<void> {
    const { status } = await this.#receiptOf(hash);
    if (status !== '0x1') throw new Error(`the sandbox transaction ${hash} reverted`);
  }

  #receiptOf(hash: Hex): Promise<{ readonly status: Hex }> {
    const read = async () =>
      (await this.#request<{ readonly status: Hex } | null>('eth_getTransactionReceipt', [hash])) ?? undefined;
    const options = { timeoutMs: this.#minedTimeoutMs, pollMs: POLL_MS };
    return waitFor(`the sandbox transaction ${hash} is mined`, read, options);
  }
}
