// What the sandbox sends before a batch: the approvals of each wallet by that wallet, and the money of all in one transaction.
import { createContracts } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { toPrice, toSize } from '@presage/protocol';
import { decodeFunctionData, multicall3Abi } from 'viem';
import { describe, expect, it } from 'vitest';
import { Autofund, type OwnedChain } from '../../src/sandbox/autofund.ts';
import type { SandboxCall } from '../../src/sandbox/sandbox-node.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const wordOf = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [OWNER, MULTICALL, TOKEN, SETTLEMENT] = ['1', '2', '3', '4'].map(wordOf) as [Hex, Hex, Hex, Hex];
const [ann, ben, cay]: [Hex, Hex, Hex] = [wordOf('a'), wordOf('b'), wordOf('c')];
const UNLIMITED = 2n ** 256n - 1n;
/** EIP-7825: the sandbox chain refuses a transaction of more. */
const TRANSACTION_GAS_CAP = 2n ** 24n;

/** Ten shares at a half: five of the stablecoin from either side. */
const fillOf = (buyer: Hex, seller: Hex): PlannedFill => {
  const trade = { buyer, seller, marketId: '0x01', outcome: 0, takerSide: 0 };
  // What the preparation reads of a fill.
  return { trade: { ...trade, price: toPrice(500_000), size: toSize(10_000_000) } } as unknown as PlannedFill;
};

function openAutofund(approved: readonly Hex[]) {
  const sent: SandboxCall[][] = [];
  const deployment = {
    settlement: SETTLEMENT,
    stablecoin: TOKEN,
    multicall: MULTICALL,
    conditionalTokens: wordOf('5'),
  };
  const contracts = createContracts({
    rpc: {} as never,
    deployment: { ...deployment, marketFactory: wordOf('6'), oracle: wordOf('7') },
  });
  const chain = {
    node: { sendTogether: async (calls: SandboxCall[]) => void sent.push(calls) },
    contracts,
    owner: OWNER,
    shortfalls: {
      approvals: async (wallets: readonly Hex[]) =>
        wallets.map((wallet) => {
          const isApproved = approved.includes(wallet);
          return { wallet, allowance: isApproved ? UNLIMITED : 0n, sharesApproved: isApproved };
        }),
      holdings: async (wallets: readonly Hex[], shares: readonly unknown[]) => ({
        money: wallets.map(() => 0n),
        shares: shares.map(() => 0n),
      }),
    },
  } as unknown as OwnedChain;
  return { sent, autofund: new Autofund(chain), contracts };
}

describe('the preparation of a batch', () => {
  it('sends the money of all wallets in one transaction, after the approvals of each', async () => {
    const { sent, autofund, contracts } = openAutofund([ann, cay]);
    await autofund.prepare([fillOf(ann, ben), fillOf(ann, cay)]);
    const [calls = []] = sent;
    expect(sent).toHaveLength(1);
    expect(calls.map(({ from, to }) => [from, to])).toEqual([
      [ben, TOKEN],
      [ben, contracts.conditionalTokens.address],
      [OWNER, MULTICALL],
    ]);
    const gathered = decodeFunctionData({ abi: multicall3Abi, data: calls.at(-1)!.data });
    const mintOf = (wallet: Hex, amount: bigint) => contracts.stablecoin.call('mint', [wallet, amount]).data;
    expect(gathered.args?.[0]).toEqual(
      [mintOf(ann, 10_000_000n), mintOf(ben, 5_000_000n), mintOf(cay, 5_000_000n)].map((callData) => ({
        target: TOKEN,
        allowFailure: true,
        callData,
      })),
    );
  });

  it('sends nothing for wallets that have what they need', async () => {
    const { sent, autofund } = openAutofund([ann, ben]);
    await autofund.prepare([fillOf(ann, ben)]);
    await autofund.prepare([fillOf(ann, ben)]);
    await autofund.prepare([fillOf(ann, ben)]);
    // The second gift is an advance, which the third fill lives on.
    expect(sent).toHaveLength(2);
  });

  it('gives a full batch of strangers no more gas than a transaction may have', async () => {
    const { sent, autofund } = openAutofund([]);
    const walletOf = (index: number): Hex => `0x${index.toString(16).padStart(40, '0')}`;
    await autofund.prepare(
      Array.from({ length: 100 }, (_, index) => fillOf(walletOf(2 * index), walletOf(2 * index + 1))),
    );
    const gas = sent[0]!.at(-1)!.gas!;
    expect(gas).toBeGreaterThan(0n);
    expect(gas).toBeLessThan(TRANSACTION_GAS_CAP);
  });
});
