// The relayer between its journal and its sender: what it spends, and what it answers of a transaction that was given up.
import type { OperationView } from '@presage/chain';
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

/** A relayer whose sender says the same of every operation that it was given. */
function openRelayer(view: Partial<OperationView>, isFull: () => boolean = () => false) {
  const sent = new Set<string>();
  const status = (operationId: string) =>
    sent.has(operationId) ? ({ operationId, hashes: [], reason: null, ...view } as OperationView) : undefined;
  const reads = { openOrders: () => [{}] };
  const context = createContext({
    rpc: { request: async () => '0x' },
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
      enqueue: async ({ operationId }: { operationId: string }) => {
        while (isFull()) await sleep(1_000);
        sent.add(operationId);
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
    const { relayer, sent } = openRelayer({ stage: 'submitted', hash: PAYLOAD, hashes: [PAYLOAD] }, () => isFull);
    const refused = relayer.relay(callAt(1)).catch((error: PresageError) => error.code);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await refused, sent.size]).toEqual(['chain_unavailable', 0]);
    const again = relayer.relay(callAt(1));
    isFull = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await again).toMatchObject({ hash: PAYLOAD });
    expect([...sent]).toEqual(['request 1#1']);
  });
});
