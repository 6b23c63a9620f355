// The relayer between its journal and its sender: what it spends, and what it answers of a transaction that was given up.
import { type OperationView, RpcError, RpcUnavailable } from '@presage/chain';
import { type Address, LIMITS, PresageError } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RelayedCall } from '../../src/relayer/ports.ts';
import { RelayState } from '../../src/relayer/relay-state.ts';
import { Relayer } from '../../src/relayer/relayer.ts';
import { createContext } from '../chain-context.ts';

const OWNER = `0x${'aa'.repeat(20)}` as Address;
const PAYLOAD = `0x${'01'.repeat(32)}` as const;
const SELF_TRANSFER = `0x${'02'.repeat(32)}` as const;

interface RelayerTerms {
  readonly isFull?: () => boolean;
  readonly ready?: () => Promise<void>;
  /** The node's answer to an estimate. */
  readonly estimate?: () => unknown;
}

/** A relayer whose sender says the same of every operation that it was given. */
function openRelayer(
  view: Partial<OperationView>,
  { isFull = () => false, estimate = () => '0x0', ready = async () => {} }: RelayerTerms = {},
) {
  const sent = new Map<string, bigint>();
  const status = (operationId: string) =>
    sent.has(operationId) ? ({ operationId, hashes: [], reason: null, ...view } as OperationView) : undefined;
  const reads = { openOrders: () => [{}] };
  const context = createContext({
    rpc: { request: async (method: string) => (method === 'eth_estimateGas' ? estimate() : '0x') },
    reads,
    chain: { contracts: { stablecoin: OWNER } },
  });
  const budgets = { isBudgeted: true, isAutofunded: false, sponsoredBondsPerDay: undefined };
  const ports = {
    state: new RelayState(context, { records: [], statusOf: status, ...budgets }),
    wallets: { nonces: async () => [5n] },
    relayer: OWNER,
    sender: {
      status,
      ready,
      enqueue: async ({ operationId, gasLimit }: { operationId: string; gasLimit: bigint }) => {
        while (isFull()) await sleep(1_000);
        sent.set(operationId, gasLimit);
      },
    },
    journal: { append: () => new Promise<void>((resolve) => setTimeout(resolve, 1)) },
    signatures: { findNonces: async () => [5n] },
  };
  // Only what a relayed call asks of them.
  return { relayer: new Relayer(context, ports as unknown as ConstructorParameters<typeof Relayer>[1]), sent };
}

/** Each at a contract of its own, so that none waits for another. */
function callAt(index: number): RelayedCall {
  const contract = `0x${String(index).padStart(40, '0')}` as Address;
  const uses = [{ owner: OWNER, contract, count: 1 }];
  const call = { operation: 'ctf-approval', owner: OWNER, to: contract, data: '0x', gasLimit: 1n } as const;
  return { ...call, digest: `request ${index}`, uses, deadlines: [], signed: [] };
}

describe('the relayer', () => {
  it('spends no more than the budget on requests that come at the same moment', async () => {
    const { relayer, sent } = openRelayer({ stage: 'submitted', hash: PAYLOAD });
    const most = LIMITS.rates.relayedCallsPerHour;
    const calls = Array.from({ length: most + 5 }, (_, index) => relayer.admit(callAt(index), {}));
    const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ reason: { code: 'relayer_budget_spent' } });
    expect(sent.size).toBe(most);
  });

  it.each([
    ['as it is where bytes cost what the EVM says', 21_000n + 4n * 10n + 60n * 40n, 200_000n],
    ['with what the chain below takes for its bytes', 21_000n + 4n * 10n + 60n * 40n + 300_000n, 650_000n],
    ['as it is where the node does not estimate', new RpcError(-32_601, 'not supported'), 200_000n],
  ])('sends a call with its gas limit %s', async (_, estimated, gasLimit) => {
    const estimate = async () => {
      if (estimated instanceof RpcError) throw estimated;
      return `0x${estimated.toString(16)}`;
    };
    const { relayer, sent } = openRelayer({ stage: 'submitted', hash: PAYLOAD, hashes: [PAYLOAD] }, { estimate });
    const data = `0x${'00'.repeat(4)}${'ff'.repeat(60)}` as const;
    await relayer.relay({ ...callAt(1), data, gasLimit: 200_000n });
    expect([...sent.values()]).toEqual([gasLimit]);
  });

  it('refuses a call whose bytes take more gas than a wallet has in an hour', async () => {
    const estimate = () => `0x${LIMITS.rates.relayedGasPerWalletHour.toString(16)}`;
    const { relayer, sent } = openRelayer({ stage: 'submitted' }, { estimate });
    await expect(relayer.relay(callAt(1))).rejects.toMatchObject({ code: 'relayer_budget_spent' });
    expect(sent.size).toBe(0);
  });

  it('spends nothing while the transactions of a replaced key are under way', async () => {
    let isHeld = true;
    const ready = async () => {
      if (isHeld) throw new RpcUnavailable('held', 'not final');
    };
    const view = { stage: 'submitted', hash: PAYLOAD, hashes: [PAYLOAD] } as const;
    const { relayer, sent } = openRelayer(view, { ready });
    for (let attempt = 0; attempt < 2 * LIMITS.rates.relayedCallsPerHour; attempt++) {
      await expect(relayer.relay(callAt(1))).rejects.toMatchObject({ code: 'chain_unavailable' });
    }
    isHeld = false;
    expect(await relayer.relay(callAt(1))).toMatchObject({ hash: PAYLOAD });
    expect(sent.size).toBe(1);
  });

  it('does not answer a request that was given up with the transfer that frees its nonce', async () => {
    const reason = 'transaction gas limit too high';
    const given = openRelayer({ stage: 'submitted', hash: SELF_TRANSFER, hashes: [PAYLOAD], reason });
    const refusal = await given.relayer.relay(callAt(1)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PresageError);
    expect(refusal).toMatchObject({ code: 'chain_unavailable', details: { reason } });
    const kept = openRelayer({ stage: 'submitted', hash: PAYLOAD, hashes: [PAYLOAD] });
    expect(await kept.relayer.relay(callAt(1))).toMatchObject({ hash: PAYLOAD });
  });

  it('answers in time where the sender has no place for the transaction, and sends it when it has', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isFull = true;
    const view = { stage: 'submitted', hash: PAYLOAD, hashes: [PAYLOAD] } as const;
    const { relayer, sent } = openRelayer(view, { isFull: () => isFull });
    const refused = relayer.relay(callAt(1)).catch((error: PresageError) => error.code);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await refused, sent.size]).toEqual(['chain_unavailable', 0]);
    const again = relayer.relay(callAt(1));
    isFull = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await again).toMatchObject({ hash: PAYLOAD });
    expect([...sent.keys()]).toEqual(['request 1#1']);
  });
});
