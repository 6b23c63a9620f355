// Wallets whose means changed on chain are judged, and all of them after a start or a reorganization, when settlement has seen what left the chain.
import { presageSettlementAbi } from '@presage/contracts';
import { Engine } from '@presage/engine';
import type { Address, Hex } from '@presage/protocol';
import { TEST_MARKET, waitFor } from '@presage/testkit';
import { concat, encodeEventTopics, pad, toEventSelector, toHex, zeroHash } from 'viem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { KnownWallets } from '../../src/wallets/known-wallets.ts';
import { WalletWatch } from '../../src/wallets/wallet-watch.ts';
import { branchHash, type LogQuery, openBranchRpc } from '../branch-rpc.ts';
import { createContext } from '../chain-context.ts';

const alice = `0x${'01'.repeat(20)}` as const;
const bob = `0x${'02'.repeat(20)}` as const;
const STABLECOIN = `0x${'aa'.repeat(20)}` as const;
const OTHER = `0x${'cc'.repeat(20)}` as const;
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/** Each block is named by its branch, and pays somebody, cancels an order of Alice's, or does nothing. */
interface Block {
  readonly branch: number;
  readonly paid?: Address;
  readonly cancelledNonce?: bigint;
}

class PayingChain {
  readonly blocks: Block[] = [{ branch: 0 }, { branch: 0 }, { branch: 0 }];

  readonly rpc = openBranchRpc({ blocks: () => this.blocks, logsFor: (query) => this.#logsFor(query) });

  #hashOf(number: number): Hex {
    return branchHash(this.blocks[number]!.branch, number);
  }

  #logsFor({ topics = [], blockHash, fromBlock = '0x0', toBlock = toHex(this.blocks.length) }: LogQuery) {
    return this.blocks.flatMap((block, number) => {
      const place = { blockNumber: toHex(number), blockHash: this.#hashOf(number), transactionHash: zeroHash };
      const isAsked = number >= Number(fromBlock) && number <= Number(toBlock);
      if (!isAsked || (blockHash !== undefined && blockHash !== place.blockHash)) return [];
      return eventsOf(block)
        .filter((event) =>
          topics.every((asked, at) => asked === null || (asked as readonly Hex[]).includes(event.topics[at]!)),
        )
        .map((event) => ({ ...event, ...place, logIndex: '0x0' }));
    });
  }
}

function eventsOf({ paid, cancelledNonce }: Block) {
  const payment = paid && {
    address: STABLECOIN,
    topics: [TRANSFER, pad(OTHER), pad(paid)],
    data: toHex(1, { size: 32 }),
  };
  const cancel = cancelledNonce !== undefined && {
    address: OTHER,
    topics: encodeEventTopics({
      abi: presageSettlementAbi,
      eventName: 'OrderCancelRequested',
      args: { trader: alice, marketId: TEST_MARKET },
    }) as Hex[],
    data: concat([toHex(cancelledNonce, { size: 32 }), toHex(1, { size: 32 })]),
  };
  return [payment, cancel].filter((event) => !!event);
}

async function openWatch() {
  const chain = new PayingChain();
  const judged: (readonly Address[])[] = [];
  const judge = (some: readonly { readonly address: Address }[]) =>
    void judged.push(some.map(({ address }) => address));
  const reads = new ChainReads(new Engine(), 31337);
  const wallets = new KnownWallets({ reads, wallMs: () => 0, keeper: { judge } });
  for (const wallet of [alice, bob]) wallets.visit(wallet);
  const contracts = { stablecoin: STABLECOIN, conditionalTokens: OTHER, settlement: OTHER };
  const context = createContext({ chain: { contracts }, rpc: chain.rpc, pollMs: 5, idleMs: () => 5 });
  const watch = new WalletWatch(context, { wallets, keeper: { judge } });
  await watch.start();
  onTestFinished(() => watch.close());
  /** The chain goes on until a wallet was judged for it. */
  const pay = async (branch: number, paid: Address) => {
    chain.blocks.push({ branch, paid });
    const before = judged.length;
    await waitFor('wallets were judged', () => judged.length > before, { timeoutMs: 10_000 });
  };
  /** Whether an order of Alice's with this nonce is known as cancelled on chain. */
  const isCancelled = (nonce: bigint) => wallets.get(alice)?.hasUsedNonce({ marketId: TEST_MARKET, nonce });
  return { chain, watch, judged, pay, isCancelled };
}

describe('the means of wallets', () => {
  it('are judged when a block changed them', async () => {
    const { judged, pay } = await openWatch();
    await pay(0, bob);
    expect(judged).toEqual([[bob]]);
  });

  it('are judged together after a reorganization, whatever the blocks in its place say of some of them', async () => {
    const { chain, judged, pay } = await openWatch();
    await pay(0, alice);
    chain.blocks.splice(-1, 1, { branch: 1 });
    await pay(1, bob);
    expect(judged.slice(0, 2)).toEqual([[alice], [alice, bob]]);
    await pay(1, bob);
    expect(judged.at(-1)).toEqual([bob]);
  });

  it('are judged together after a start, whatever the first block says of some of them', async () => {
    const { watch, judged, pay } = await openWatch();
    watch.judgeAll();
    await pay(0, bob);
    expect(judged[0]).toEqual([alice, bob]);
  });
});

describe('an order that its trader cancels on chain', () => {
  it('counts as cancelled from its block on, and no longer once that block has left the chain', async () => {
    const { chain, pay, isCancelled } = await openWatch();
    chain.blocks.push({ branch: 0, cancelledNonce: 7n });
    await waitFor('the cancel is seen', () => isCancelled(7n));
    expect(isCancelled(8n)).toBe(false);
    chain.blocks.splice(-1, 1, { branch: 1 });
    await pay(1, bob);
    expect(isCancelled(7n)).toBe(false);
  });
});
