// Fills of wallets whose means have just come, simulated by a node that has not seen them come: nobody is blamed for what the newest block has.
import { NodeReader, type OperationView, type TransactionRequest } from '@presage/chain';
import { presageSettlementAbi, testStablecoinAbi } from '@presage/contracts';
import { waitFor } from '@presage/testkit';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { multicall3Bytecode } from '../../../../packages/chain/src/setup/deploy/multicall3-bytecode.ts';
import { LaggingRpc } from '../../../../packages/chain/test/lagging-rpc.ts';
import type { TradeChange } from '../../src/host/host-commands.ts';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { toRpc } from '../in-process-rpc.ts';
import { openSettlement } from './settlement-stand-in.ts';
import { COST, openFill, SHARES } from './world-fill.ts';

/** Longer than the longest grace after which a halt takes effect. */
const GRACE_SECONDS = 3_600n;

let world: World;
let rpc: LaggingRpc;
let multicall: Hex;
let settlement: Settlement;

beforeEach(async () => {
  world = await World.open();
  rpc = new LaggingRpc(toRpc(world.chain));
  const { contractAddress } = await world.chain.mustSend(testAccount(5), { data: multicall3Bytecode });
  multicall = contractAddress!;
});
afterEach(() => settlement?.close());

/** One fill of these two. */
async function settle(buyer: PrivateKeyAccount, seller: PrivateKeyAccount) {
  const sent: TransactionRequest[] = [];
  const changes: TradeChange[] = [];
  // Those who follow the chain have seen its newest block.
  const node = new NodeReader(rpc);
  await node.head();
  const { trades, chain } = await openFill(world, buyer, seller, multicall);
  settlement = openSettlement({
    trades,
    sender: {
      ready: async () => undefined,
      enqueue: async (request) => {
        sent.push(request);
        return {} as OperationView;
      },
      status: () => undefined,
      onChange: () => undefined,
    },
    changeTrades: async (changed) => void changes.push(...changed),
    chain: { rpc, node, ...chain },
  });
  return { sent, changes };
}

async function fundedInTheNewestBlock() {
  const seller = await world.openTrader({ key: 12, stablecoin: 0n, yesShares: SHARES });
  const buyer = await world.openTrader({ key: 11, stablecoin: 0n, yesShares: 0n });
  await world.as(buyer, world.collateral, testStablecoinAbi, 'mint', [buyer.address, COST]);
  return { seller, buyer, newest: Number(await world.chain.client.getBlockNumber()) };
}

describe('a fill that a node which is behind finds uncovered', () => {
  it('waits until the node has caught up, and is sent', async () => {
    const { buyer, seller, newest } = await fundedInTheNewestBlock();
    const { sent, changes } = await settle(buyer, seller);
    rpc.newest = newest - 1;
    settlement.start();
    await waitFor('it was simulated', () => settlement.trouble.attempts > 0 || changes.length > 0);
    expect(changes).toEqual([]);
    rpc.newest = undefined;
    await waitFor('it is sent', () => sent.length === 1);
    expect(changes).toEqual([]);
  });

  it('is sent at once where another node answers for the newest block', async () => {
    const { buyer, seller, newest } = await fundedInTheNewestBlock();
    const { sent, changes } = await settle(buyer, seller);
    rpc.newest = newest - 1;
    rpc.answersByHash = true;
    settlement.start();
    await waitFor('it is sent', () => sent.length === 1);
    expect([changes, settlement.trouble.attempts]).toEqual([[], 0]);
  });

  it('is sent where its trader has resumed in the newest block', async () => {
    const seller = await world.openTrader({ key: 12, stablecoin: 0n, yesShares: SHARES });
    const buyer = await world.openTrader({ key: 11, stablecoin: COST, yesShares: 0n });
    await world.as(buyer, world.settlement, presageSettlementAbi, 'haltTrading', []);
    await world.chain.advance(GRACE_SECONDS + 1n);
    await world.as(buyer, world.settlement, presageSettlementAbi, 'resumeTrading', []);
    const { sent, changes } = await settle(buyer, seller);
    rpc.newest = Number(await world.chain.client.getBlockNumber()) - 1;
    rpc.answersByHash = true;
    settlement.start();
    await waitFor('it is sent or blamed', () => sent.length + changes.length > 0);
    expect([sent.length, changes]).toEqual([1, []]);
  });

  it('fails its trade where the newest block says the same', async () => {
    const seller = await world.openTrader({ key: 12, stablecoin: 0n, yesShares: SHARES });
    const buyer = await world.openTrader({ key: 11, stablecoin: COST - 1n, yesShares: 0n });
    const { sent, changes } = await settle(buyer, seller);
    settlement.start();
    await waitFor('it is blamed', () => changes.length === 1);
    expect([sent, changes]).toMatchObject([[], [{ to: { faultParty: 'buyer' } }]]);
  });
});
