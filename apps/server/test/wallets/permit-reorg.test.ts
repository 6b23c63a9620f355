// Orders whose permit loses its block in a reorganization: they stay while the permit can be mined again, and not a moment longer.
import { createContracts, type Deployment, NodeReader, type OperationView, type Rpc } from '@presage/chain';
import { testStablecoinAbi } from '@presage/contracts';
import { type JournalRecord, OPERATION_TYPES, type OrderHash, PresageError, toLowerHex } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { multicall3Bytecode } from '../../../../packages/chain/src/setup/deploy/multicall3-bytecode.ts';
import { isDecided, isMined, isOut, OperationWatch } from '../../src/relayer/operation-watch.ts';
import { OrderPermits } from '../../src/relayer/order-permits.ts';
import type { OrderWithPermit } from '../../src/relayer/ports.ts';
import { RelayState } from '../../src/relayer/relay-state.ts';
import { CoverKeeper } from '../../src/wallets/cover-keeper.ts';
import { HoldingsReader } from '../../src/wallets/holdings-reader.ts';
import { KnownWallets } from '../../src/wallets/known-wallets.ts';
import { ReadingQueue } from '../../src/wallets/reading-queue.ts';
import type { Wallet } from '../../src/wallets/wallet.ts';
import { createContext } from '../chain-context.ts';
import { toRpc } from '../in-process-rpc.ts';

const ann = privateKeyToAccount(`0x${'a1'.repeat(32)}`);
const owner = toLowerHex(ann.address);
const VALUE = 20_000_000n;
const DEADLINE = 4_000_000_000n;
const ORDER_HASH = `0x${'01'.repeat(32)}` as OrderHash;
const BUDGETS = { isBudgeted: false, sponsoredBondsPerDay: undefined, isAutofunded: false };

let world: World;
let rpc: Rpc;
let signed: OrderWithPermit;
let wallet: Wallet;
let relays: RelayState;
let cancelled: OrderHash[];
let nowSeconds: number;
let isReachable: boolean;
let watch: OperationWatch;
let stage: OperationView['stage'];
let judge: () => Promise<void>;
let deployment: Deployment;
let snapshot: unknown;

/** An order that takes a quarter of the permit rests, and its permit is in the newest block. */
beforeEach(async () => {
  world = await World.open();
  rpc = toRpc(world.chain);
  await world.as(ann, world.collateral, testStablecoinAbi, 'mint', [ann.address, 50_000_000n]);
  const { contractAddress } = await world.chain.mustSend(testAccount(5), { data: multicall3Bytecode });
  const { settlement, shares: conditionalTokens, collateral: stablecoin, factory: marketFactory, oracle } = world;
  deployment = { settlement, conditionalTokens, stablecoin, marketFactory, oracle, multicall: contractAddress! };
  signed = await signOrder();
  cancelled = [];
  nowSeconds = 1_000_000;
  isReachable = true;
  stage = 'submitted';
  start();
  snapshot = await rpc.request('evm_snapshot');
  await submit(testAccount(6));
  moveTo('mined');
  await waitFor('nothing waits to be mined', () => relays.isQuiet);
});

function start(contractsVersion?: bigint): void {
  const contracts = createContracts({ rpc, deployment });
  if (contractsVersion !== undefined) vi.spyOn(contracts.settlement, 'read').mockResolvedValue(contractsVersion);
  const view = { signed, status: 'open', remainingSize: 10_000_000, sequence: 1, filledSize: 0 };
  const reads = {
    openOrders: () => [view],
    unsettledTrades: () => [],
    facts: () => undefined,
    market: () => undefined,
    order: () => view,
  };
  const context = createContext({
    rpc,
    node: new NodeReader(rpc),
    contracts,
    reads,
    pollMs: 10,
    chain: { contracts: deployment },
    clock: { nowMs: () => nowSeconds * 1_000, nowSeconds: () => nowSeconds },
    commands: { cancelUncovered: async (_: string, hash: OrderHash) => void cancelled.push(hash) },
    note: async (record: JournalRecord) => wallets.follow(record),
  });
  relays = new RelayState(context, { records: [], statusOf: () => undefined, ...BUDGETS });
  const readings = new ReadingQueue(new HoldingsReader(context, relays));
  const keeper = new CoverKeeper(context, { readings, relays, isCancelling: true });
  const wallets = new KnownWallets({ reads: reads as never, wallMs: Date.now, keeper });
  wallet = wallets.visit(owner);
  judge = async () => {
    const { holdings } = wallet;
    keeper.judge([wallet]);
    await waitFor('the wallet is read', () => wallet.holdings !== holdings);
  };
  watch = new OperationWatch(toView);
  openPermits(context).start();
}

async function signOrder(): Promise<OrderWithPermit> {
  const message = { owner, spender: toLowerHex(world.settlement), value: VALUE, nonce: 0n, deadline: DEADLINE };
  const domain = { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: world.collateral };
  const signature = await ann.signTypedData({ domain, types: OPERATION_TYPES, primaryType: 'Permit', message });
  const { r, s, yParity } = parseSignature(signature);
  const { marketId } = world;
  const order = { marketId, trader: owner, side: 0, outcome: 0, price: 500_000, size: 10_000_000, nonce: 1n };
  return { orderHash: ORDER_HASH, order, permit: { ...message, v: 27 + yParity, r, s } } as unknown as OrderWithPermit;
}

function toView(): OperationView {
  return { operationId: 'permit#1', stage, hash: `0x${'02'.repeat(32)}`, reason: null } as unknown as OperationView;
}

/** The permit's operation. */
function moveTo(next: OperationView['stage']): void {
  stage = next;
  watch.notify(toView());
}

function openPermits(context: ReturnType<typeof createContext>): OrderPermits {
  const relayer = {
    admit: async () => ({ operationId: 'permit#1' }),
    out: () => watch.when('permit#1', isOut),
    mined: () => watch.when('permit#1', isMined),
    decided: () => watch.when('permit#1', isDecided),
  };
  const permitJudge = {
    findObstacle: async () => undefined,
    explain: async () => {
      if (!isReachable) throw new PresageError('chain_unavailable');
      return { status: 'failed', reason: 'the transaction reverted' };
    },
  };
  return new OrderPermits(context, {
    relayer: relayer as never,
    calls: { toOrderPermit: () => ({}) } as never,
    judge: permitJudge as never,
    journal: { append: async () => undefined },
    waiting: relays.permits,
    records: [],
  });
}

async function submit(account: ReturnType<typeof testAccount>): Promise<void> {
  const { value, deadline, v, r, s } = signed.permit;
  const args = [owner, world.settlement, value, deadline, v, r, s];
  await world.as(account, world.collateral, testStablecoinAbi, 'permit', args);
}

/** The block leaves the chain; the permit waits in the pool again. */
async function reorganize(): Promise<void> {
  await rpc.request('evm_revert', [snapshot]);
  await rpc.request('hardhat_mine', ['0x1', '0x7']);
}

describe('the keeper, where the block of a permit may leave the chain', () => {
  it('keeps the order, and takes no other on the word of the permit', async () => {
    await reorganize();
    await judge();
    expect(cancelled).toEqual([]);
    expect(relays.pendingAllowance(owner)).toBe(0n);
    await submit(testAccount(7));
    await judge();
    expect(cancelled).toEqual([]);
  });

  it('keeps the order after a restart', async () => {
    await reorganize();
    start();
    await waitFor('nothing waits to be mined', () => relays.isQuiet);
    await judge();
    expect(cancelled).toEqual([]);
  });

  it('takes the lost permit for no deposit, with contracts that have none', async () => {
    await reorganize();
    start(3n);
    await waitFor('nothing waits to be mined', () => relays.isQuiet);
    await judge();
    expect(wallet.holdings).toMatchObject({ lostAllowance: VALUE, deposited: 0n, balance: 50_000_000n });
  });

  it('cancels the order once the permit has failed for good', async () => {
    await reorganize();
    moveTo('failed');
    await waitFor('the order is cancelled', () => cancelled.length > 0);
  });

  it('cancels the order also where the chain could not be asked why the permit failed', async () => {
    await reorganize();
    isReachable = false;
    moveTo('failed');
    await waitFor('it is decided', () => !relays.permits.isUnconfirmed(owner));
    isReachable = true;
    await waitFor('the order is cancelled', () => cancelled.length > 0);
  });

  it('cancels the order once the deadline of the permit has passed', async () => {
    await reorganize();
    nowSeconds = Number(DEADLINE) + 1;
    await judge();
    expect(cancelled).toEqual([ORDER_HASH]);
  });

  it('cancels the order where the trader has revoked what the permit allowed', async () => {
    await world.as(ann, world.collateral, testStablecoinAbi, 'approve', [world.settlement, 0n]);
    await judge();
    expect(cancelled).toEqual([ORDER_HASH]);
  });

  it('counts on no permit once it is confirmed', async () => {
    moveTo('confirmed');
    await waitFor('it is decided', () => !relays.permits.isUnconfirmed(owner));
    await reorganize();
    await judge();
    expect(cancelled).toEqual([ORDER_HASH]);
  });
});
