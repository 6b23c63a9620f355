// Who signed a relayed request is known before it takes the owner's turn; and how much the operator sponsors in bonds.
import { createContracts, type OperationView, type Rpc } from '@presage/chain';
import { type Address, type Hex, PresageError } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { type Hash, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { BondBudget } from '../../src/relayer/bond-budget.ts';
import type { RelayedCall, RelayerMarkets, SignedPart } from '../../src/relayer/ports.ts';
import { RelayState } from '../../src/relayer/relay-state.ts';
import { RelayedCalls } from '../../src/relayer/relayed-calls.ts';
import { Relayer } from '../../src/relayer/relayer.ts';
import { SignatureCheck } from '../../src/relayer/signature-check.ts';
import { isSignedWith, type PermitSite } from '../../src/relayer/used-permit.ts';
import { createContext } from '../chain-context.ts';

const recovery = await openSignerRecovery();
const signers = {
  recover: async (digest: Uint8Array, signature: Uint8Array) => recovery.recover(digest, signature),
};
const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const CONTRACT = `0x${'cc'.repeat(20)}` as Address;
const digestAt = (nonce: bigint): Hash => keccak256(toHex(nonce, { size: 32 }));

function check({ mined = 5n, pending = undefined as bigint | undefined, wallet = undefined as Hex | undefined } = {}) {
  const asked: string[] = [];
  const signatures = new SignatureCheck({
    wallets: { nonces: async () => [mined] },
    book: { nextNonce: () => pending },
    signers,
    contracts: {
      isSigned: async (_, digest, signature) => {
        asked.push(digest);
        return signature === wallet && digest === digestAt(5n);
      },
    },
  });
  return { signatures, asked };
}

async function partOf(signer: typeof owner, nonce: bigint, changes: Partial<SignedPart> = {}): Promise<SignedPart> {
  return {
    owner: owner.address.toLowerCase() as Address,
    contract: CONTRACT,
    signature: await signer.sign({ hash: digestAt(nonce) }),
    digestsAt: (at) => [digestAt(at)],
    fault: 'InvalidSignature()',
    ...changes,
  };
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing',
    (error: unknown) => error instanceof PresageError && { code: error.code, reason: error.details?.reason },
  );
}

describe('the signature of a relayed request', () => {
  it.each([
    ['the next one', 5n, {}],
    ['one behind calls on their way', 7n, { pending: 7n }],
    ['one whose predecessors wait for their turn', 9n, {}],
    ['one that somebody else has used already', 4n, {}],
    ['the very first one, used already', 0n, { mined: 1n }],
  ])('is found for its nonce: %s', async (_, nonce, state) => {
    expect(await check(state).signatures.findNonces([await partOf(owner, nonce)])).toEqual([nonce]);
  });

  it('is refused with the words of the contract where a stranger signed, or for a far nonce', async () => {
    const { signatures } = check();
    const expected = { code: 'simulation_failed', reason: 'InvalidSignature()' };
    expect(await refusal(signatures.findNonces([await partOf(stranger, 5n)]))).toEqual(expected);
    expect(await refusal(signatures.findNonces([await partOf(owner, 14n)]))).toEqual(expected);
  });

  it('may be of any nonce that the request names', async () => {
    expect(await check().signatures.findNonces([await partOf(owner, 40n, { nonce: 40n })])).toEqual([40n]);
  });

  it('of a batch is found for nonces in a row', async () => {
    const parts = [await partOf(owner, 5n), await partOf(owner, 6n), await partOf(owner, 7n)];
    expect(await check().signatures.findNonces(parts)).toEqual([5n, 6n, 7n]);
  });

  it('costs no question to a wallet where a key signed, and one where the wallet did', async () => {
    const plain = check();
    await plain.signatures.findNonces([await partOf(owner, 5n)]);
    expect(plain.asked).toEqual([]);
    const signature = `0x${'ab'.repeat(130)}` as const;
    const ofWallet = check({ wallet: signature });
    expect(await ofWallet.signatures.findNonces([await partOf(owner, 5n, { signature })])).toEqual([5n]);
    expect(ofWallet.asked).toEqual([digestAt(5n)]);
  });
});

describe('a signature that no key can make', () => {
  const word = (byte: string) => `0x${byte.repeat(32)}` as Hex;
  const impossible = [
    { v: 5, r: word('01'), s: word('01') },
    { v: 255, r: word('01'), s: word('01') },
    { v: 27, r: word('00'), s: word('01') },
    { v: 28, r: word('01'), s: word('ff') },
  ];
  const domain = { name: 'any', version: '1', chainId: 31_337, verifyingContract: CONTRACT };
  const domains = { settlement: domain, stablecoin: domain, conditionalTokens: domain };
  const wallet = owner.address.toLowerCase() as Address;

  it.each(impossible)('is refused like that of a stranger (%o)', async (signature) => {
    const addresses = { settlement: CONTRACT, conditionalTokens: CONTRACT, stablecoin: CONTRACT };
    const deployment = { ...addresses, marketFactory: CONTRACT, oracle: CONTRACT, multicall: CONTRACT };
    const contracts = createContracts({ rpc: {} as Rpc, deployment });
    const calls = new RelayedCalls({ contracts, domains, markets: {} as RelayerMarkets });
    const { signatures } = check();
    const common = { chainId: 31_337n, owner: wallet, deadline: 1n, ...signature };
    const approval = { ...common, operator: CONTRACT, approved: true };
    const refusal = { code: 'simulation_failed' };
    const { signed } = calls.toCall({ operation: 'ctf-approval', request: approval });
    await expect(signatures.findNonces(signed)).rejects.toMatchObject(refusal);
    const permit = { nonce: 5n, value: 1n, deadline: 1n, ...signature };
    await expect(signatures.findNonces(calls.toOrderPermit(wallet, permit).signed)).rejects.toMatchObject(refusal);
    const site = { domain, signers } as unknown as PermitSite;
    expect(await isSignedWith(site, { ...permit, owner: wallet, spender: CONTRACT }, 5n)).toBe(false);
  });
});

describe('bonds that the operator sponsors', () => {
  it('are as many as there is budget for a day, and none without one', () => {
    let wallMs = 0;
    const budget = new BondBudget(250n, () => wallMs);
    for (let bond = 0; bond < 2; bond += 1) {
      budget.check(100n);
      budget.spend({ amount: 100n, wallMs });
    }
    expect(() => budget.check(100n)).toThrow(expect.objectContaining({ code: 'relayer_budget_spent' }));
    budget.check(50n);
    wallMs = 86_400_001;
    budget.check(250n);
    const closed = new BondBudget(0n, () => 0);
    expect(closed.isOpen).toBe(false);
    expect(() => closed.check(1n)).toThrow(expect.objectContaining({ code: 'relayer_budget_spent' }));
    const free = new BondBudget(undefined, () => 0);
    expect(free.isOpen).toBe(true);
    free.check(10n ** 30n);
  });
});

describe('a wallet in whose name others ask', () => {
  /** The relayer with the real check of signatures, turns and memory; its sender takes everything and mines nothing. */
  function openRelayer(lookUp: () => Promise<readonly bigint[]>) {
    const sent: string[] = [];
    const status = (operationId: string) =>
      ({ operationId, stage: 'submitted', hashes: [] }) as unknown as OperationView;
    const reads = { openOrders: () => [] };
    const contracts = { stablecoin: CONTRACT };
    const context = createContext({ rpc: { request: async () => '0x00' }, reads, chain: { contracts } });
    const budgets = { isBudgeted: false, isAutofunded: false, sponsoredBondsPerDay: undefined };
    const ports = {
      state: new RelayState(context, { records: [], statusOf: status, ...budgets }),
      wallets: { nonces: async () => [5n] },
      relayer: CONTRACT,
      sender: {
        status,
        ready: async () => undefined,
        enqueue: async ({ operationId }: { operationId: string }) => void sent.push(operationId),
      },
      journal: { append: async () => undefined },
      signatures: new SignatureCheck({
        wallets: { nonces: lookUp },
        book: { nextNonce: () => undefined },
        signers,
        contracts: { isSigned: async () => false },
      }),
    };
    // Only what an admission asks of them.
    return { relayer: new Relayer(context, ports as unknown as ConstructorParameters<typeof Relayer>[1]), sent };
  }

  const callOf = async (signer: typeof owner, index: number): Promise<RelayedCall> => {
    const wallet = owner.address.toLowerCase() as Address;
    return {
      operation: 'ctf-approval',
      owner: wallet,
      to: CONTRACT,
      data: '0x',
      gasLimit: 1n,
      digest: `request ${index}`,
      uses: [{ owner: wallet, contract: CONTRACT, count: 1 }],
      deadlines: [],
      signed: [await partOf(signer, 5n)],
    };
  };

  it('is not kept waiting by 200 requests with worthless signatures: they take no turn, answered or not', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    // The node is slow for the strangers: their requests are all under way when the owner's comes.
    const { relayer, sent } = openRelayer(async () => {
      if (++asked <= 200) await held;
      return [5n];
    });
    const worthless = await Promise.all(Array.from({ length: 200 }, (_, index) => callOf(stranger, index)));
    const refused = worthless.map((call) => relayer.admit(call, {}).catch((error: PresageError) => error.code));
    const record = await relayer.admit(await callOf(owner, 1_000), { timeoutMs: 1 });
    expect(sent).toEqual([record.operationId]);
    release();
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['simulation_failed']));
  });
});
