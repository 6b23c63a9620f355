// Fills of a buyer whose permit loses its block in a reorganization: nobody is blamed while the permit can be mined again.
import { NodeReader, type OperationView, type Rpc, type TransactionRequest } from '@presage/chain';
import { testStablecoinAbi } from '@presage/contracts';
import { OPERATION_TYPES, toLowerHex } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { type Hex, parseSignature, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { multicall3Bytecode } from '../../../../packages/chain/src/setup/deploy/multicall3-bytecode.ts';
import type { TradeChange } from '../../src/host/host-commands.ts';
import type { OrderWithPermit } from '../../src/relayer/ports.ts';
import { WaitingPermits } from '../../src/relayer/waiting-permits.ts';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { toRpc } from '../in-process-rpc.ts';
import { openSettlement } from './settlement-stand-in.ts';
import { COST, openFill, SHARES } from './world-fill.ts';

const DEADLINE = 4_000_000_000n;
const buyer = privateKeyToAccount(toHex(11, { size: 32 }));
const owner = toLowerHex(buyer.address);

let world: World;
let rpc: Rpc;
let signed: OrderWithPermit;
let permits: WaitingPermits;
let settlement: Settlement;
let sent: TransactionRequest[];
let changes: TradeChange[];
let batch: OperationView | undefined;
let onBatch: (view: OperationView) => void;
let snapshot: unknown;

/** A trade waits whose buyer's permit is in the newest block. */
beforeEach(async () => {
  world = await World.open();
  rpc = toRpc(world.chain);
  const { contractAddress } = await world.chain.mustSend(testAccount(5), { data: multicall3Bytecode });
  const seller = await world.openTrader({ key: 12, stablecoin: 0n, yesShares: SHARES });
  await world.as(buyer, world.collateral, testStablecoinAbi, 'mint', [owner, COST]);
  signed = await signPermit();
  permits = new WaitingPermits({ nowSeconds: () => 1_000_000 });
  snapshot = await rpc.request('evm_snapshot');
  await submit(testAccount(6));
  permits.addUnconfirmed(signed);
  await open(seller, contractAddress!);
});
afterEach(() => settlement.close());

async function signPermit(): Promise<OrderWithPermit> {
  const message = { owner, spender: toLowerHex(world.settlement), value: COST, nonce: 0n, deadline: DEADLINE };
  const domain = { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: world.collateral };
  const signature = await buyer.signTypedData({ domain, types: OPERATION_TYPES, primaryType: 'Permit', message });
  const { r, s, yParity } = parseSignature(signature);
  return { order: { trader: owner }, permit: { ...message, v: 27 + yParity, r, s } } as unknown as OrderWithPermit;
}

async function submit(account: ReturnType<typeof testAccount>): Promise<void> {
  const { value, deadline, v, r, s } = signed.permit;
  const args = [owner, world.settlement, value, deadline, v, r, s];
  await world.as(account, world.collateral, testStablecoinAbi, 'permit', args);
}

async function open(seller: PrivateKeyAccount, multicall: Hex): Promise<void> {
  sent = [];
  changes = [];
  batch = undefined;
  const { trades, chain } = await openFill(world, buyer, seller, multicall);
  settlement = openSettlement({
    trades,
    sender: {
      ready: async () => undefined,
      enqueue: async (request) => {
        sent.push(request);
        return {} as OperationView;
      },
      status: (batchId) => (batchId === 'batch-1' ? batch : undefined),
      onChange: (listener) => {
        onBatch = listener;
        return () => undefined;
      },
    },
    changeTrades: async (changed) => void changes.push(...changed),
    holds: permits,
    chain: { rpc, node: new NodeReader(rpc), ...chain },
  });
}

/** The permit's block leaves the chain; the permit waits in the pool again. */
async function reorganize(): Promise<void> {
  await rpc.request('evm_revert', [snapshot]);
  await rpc.request('hardhat_mine', ['0x1', '0x7']);
}

/** The batch that was sent is in a block that is confirmed. */
async function confirmBatch(): Promise<void> {
  const [{ to, data }] = sent as [Required<TransactionRequest>];
  const { transactionHash, blockHash, blockNumber } = await world.chain.mustSend(world.operator, { to, data });
  const place = { hash: transactionHash, hashes: [transactionHash], blockHash, blockNumber: Number(blockNumber) };
  batch = { operationId: 'batch-1', stage: 'confirmed', nonce: 0, ...place, reason: null, final: false };
  onBatch(batch);
}

const faults = () => changes.filter(({ to }) => typeof to === 'object');

describe('fills of a buyer whose permit is in a block that may leave the chain', () => {
  it('are sent once the permit is mined again', async () => {
    await reorganize();
    settlement.start();
    await waitFor('the fill was simulated', () => settlement.trouble.attempts > 0 || faults().length > 0);
    expect(faults()).toEqual([]);
    await submit(testAccount(7));
    await waitFor('the fill is sent', () => sent.length === 1);
  });

  it('fail once the permit has failed for good', async () => {
    await reorganize();
    settlement.start();
    await waitFor('the fill was simulated', () => settlement.trouble.attempts > 0 || faults().length > 0);
    expect(faults()).toEqual([]);
    permits.removeDecided(signed);
    await waitFor('the buyer is blamed', () => faults().length === 1);
    expect(faults()).toMatchObject([{ to: { faultParty: 'buyer' } }]);
  });

  it('fail at once where the buyer has revoked what the permit allowed', async () => {
    await world.as(buyer, world.collateral, testStablecoinAbi, 'approve', [world.settlement, 0n]);
    settlement.start();
    await waitFor('the buyer is blamed', () => faults().length === 1);
    expect(settlement.trouble.attempts).toBe(0);
  });

  it('are sent again where the batch was mined before the permit', async () => {
    settlement.start();
    await waitFor('the fill is sent', () => sent.length === 1);
    await reorganize();
    await confirmBatch();
    await submit(testAccount(7));
    await waitFor('the fill is sent again, or blamed', () => sent.length === 2 || faults().length > 0);
    expect(faults()).toEqual([]);
  });
});
