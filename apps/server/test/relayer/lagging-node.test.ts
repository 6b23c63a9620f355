// Permits of orders where nodes are behind each other or answer no logs: none is given up that the newest block would take or has taken.
import { createContracts, NodeReader } from '@presage/chain';
import { testStablecoinAbi } from '@presage/contracts';
import { OPERATION_TYPES, toLowerHex } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { encodeFunctionData, type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { RpcError } from '../../../../packages/chain/src/rpc.ts';
import { multicall3Bytecode } from '../../../../packages/chain/src/setup/deploy/multicall3-bytecode.ts';
import { InterceptedRpc } from '../../../../packages/chain/test/intercepted-rpc.ts';
import { LaggingRpc } from '../../../../packages/chain/test/lagging-rpc.ts';
import { simulateCall } from '../../src/relayer/call-simulation.ts';
import { findUsedPermit, type SignedPermit } from '../../src/relayer/used-permit.ts';
import { WalletReads } from '../../src/wallets/wallet-reads.ts';
import { toRpc } from '../in-process-rpc.ts';

const recovery = await openSignerRecovery();
const ann = privateKeyToAccount(`0x${'a1'.repeat(32)}`);
const owner = toLowerHex(ann.address);
const VALUE = 7_000_000n;
const DEADLINE = 4_000_000_000n;

let world: World;
let rpc: InterceptedRpc;
let lagging: LaggingRpc;
let node: NodeReader;
let reads: WalletReads;
let contracts: ReturnType<typeof createContracts>;

beforeEach(async () => {
  world = await World.open();
  lagging = new LaggingRpc(toRpc(world.chain));
  rpc = new InterceptedRpc(lagging);
  node = new NodeReader(rpc);
  const { contractAddress } = await world.chain.mustSend(testAccount(5), { data: multicall3Bytecode });
  const { settlement, shares: conditionalTokens, collateral: stablecoin, factory: marketFactory, oracle } = world;
  const deployment = { settlement, conditionalTokens, stablecoin, marketFactory, oracle, multicall: contractAddress! };
  contracts = createContracts({ rpc, deployment });
  reads = new WalletReads({ node, contracts });
});

function domain() {
  return { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: world.collateral };
}

async function sign(nonce: bigint): Promise<SignedPermit> {
  const spender = toLowerHex(world.settlement);
  const message = { owner, spender, value: VALUE, nonce, deadline: DEADLINE };
  const signature = await ann.signTypedData({
    domain: domain(),
    types: OPERATION_TYPES,
    primaryType: 'Permit',
    message,
  });
  const { r, s, yParity } = parseSignature(signature);
  return { owner, spender, value: VALUE, deadline: DEADLINE, v: 27 + yParity, r, s };
}

function toCall({ spender, value, deadline, v, r, s }: SignedPermit): { to: Hex; data: Hex } {
  const args = [owner, spender, value, deadline, v, r, s] as const;
  return { to: world.collateral, data: encodeFunctionData({ abi: testStablecoinAbi, functionName: 'permit', args }) };
}

/** The permit is in the newest block then, which everybody who follows the chain has seen. */
async function submit(permit: SignedPermit): Promise<number> {
  await world.chain.mustSend(testAccount(6), toCall(permit));
  return (await node.head()).number;
}

const findUsed = (permit: SignedPermit) => {
  const signers = { recover: async (digest: Uint8Array, bytes: Uint8Array) => recovery.recover(digest, bytes) };
  return findUsedPermit({ rpc, contracts, signers, wallets: reads, domain: domain() }, permit);
};

describe('a permit behind one that has just been mined', () => {
  it('is not refused by a node that lacks that one', async () => {
    const newest = await submit(await sign(0n));
    const simulate = async () => simulateCall({ rpc, node, relayer: undefined }, toCall(await sign(1n)));
    lagging.newest = newest - 1;
    await expect(simulate()).rejects.toMatchObject({ code: 'chain_unavailable' });
    lagging.answersByHash = true;
    await expect(simulate()).rejects.toMatchObject({ code: 'chain_unavailable' });
    expect(await reads.nonces([{ owner, contract: world.collateral }], 'pending')).toEqual([1n]);
    lagging.newest = undefined;
    await simulate();
  });

  it('is refused where the newest block refuses it', async () => {
    await submit(await sign(0n));
    const refused = simulateCall({ rpc, node, relayer: undefined }, toCall(await sign(2n)));
    await expect(refused).rejects.toMatchObject({ code: 'simulation_failed' });
  });
});

describe('a permit that somebody else has submitted', () => {
  it('is found although the node that is asked has not seen it', async () => {
    const permit = await sign(0n);
    lagging.newest = (await submit(permit)) - 1;
    await expect(findUsed(permit)).rejects.toMatchObject({ code: 'chain_unavailable' });
    lagging.answersByHash = true;
    expect(await findUsed(permit)).toBeDefined();
  });

  it('counts as submitted where the node refuses to search so many blocks for its transaction', async () => {
    const permit = await sign(0n);
    await submit(permit);
    expect(await findUsed(permit)).toMatch(/^0x/);
    rpc.on('eth_getLogs', async () => {
      throw new RpcError(-32005, 'eth_getLogs is limited to a range of 500 blocks');
    });
    expect(await findUsed(permit)).toBe('');
  });
});
