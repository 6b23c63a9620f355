// Typed access to our contracts as they stand on a real chain.

import {
  conditionalTokensWithPermitAbi,
  marketAbi,
  marketFactoryAbi,
  marketOracleAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
} from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  marketBytecode,
  marketFactoryBytecode,
  marketOracleBytecode,
  optimisticOracleBytecode,
  presageSettlementBytecode,
} from '@presage/contracts/bytecode';
import type { Hex } from '@presage/protocol';
import { type Address, encodeDeployData, toHex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Contracts, createContracts } from '../src/contracts.ts';
import { ContractReverted } from '../src/typed-contract.ts';
import { amountOf, ChainFixture, recipientOf } from './chain-fixture.ts';
import { OWNER_ADDRESS } from './sandbox-accounts.ts';

const GRACE = 3_600n;

let chain: ChainFixture;
let contracts: Contracts;
beforeAll(async () => {
  chain = await ChainFixture.open();
  contracts = await deploy();
});
afterAll(() => chain.close());

async function execute(data: Hex, to?: Address): Promise<Address> {
  const request = { from: OWNER_ADDRESS, data, gas: toHex(15_000_000), ...(to && { to }) };
  const hash = await chain.rpc.request('presage_sendAs', [request]);
  await chain.mine();
  const receipt = await chain.rpc.request('eth_getTransactionReceipt', [hash]);
  expect(receipt).toMatchObject({ status: '0x1' });
  return (receipt as { contractAddress: Address }).contractAddress;
}

/** viem carries the code and does not export it. */
async function multicallBytecode(): Promise<Hex> {
  const { href } = new URL('./constants/contracts.js', import.meta.resolve('viem'));
  return ((await import(href)) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}

async function deploy(): Promise<Contracts> {
  const stablecoin = chain.token.address;
  const multicall = await execute(await multicallBytecode());
  const conditionalTokens = await execute(
    encodeDeployData({ abi: conditionalTokensWithPermitAbi, bytecode: conditionalTokensWithPermitBytecode }),
  );
  const settlement = await execute(
    encodeDeployData({
      abi: presageSettlementAbi,
      bytecode: presageSettlementBytecode,
      args: [OWNER_ADDRESS, stablecoin, conditionalTokens, GRACE],
    }),
  );
  const oracle = await execute(
    encodeDeployData({
      abi: optimisticOracleAbi,
      bytecode: optimisticOracleBytecode,
      args: [OWNER_ADDRESS, OWNER_ADDRESS, stablecoin, 1n],
    }),
  );
  const marketOracle = await execute(
    encodeDeployData({
      abi: marketOracleAbi,
      bytecode: marketOracleBytecode,
      args: [OWNER_ADDRESS, stablecoin, oracle],
    }),
  );
  const market = await execute(
    encodeDeployData({
      abi: marketAbi,
      bytecode: marketBytecode,
      args: [conditionalTokens, stablecoin, settlement, marketOracle, false, 2_592_000n],
    }),
  );
  const marketFactory = await execute(
    encodeDeployData({
      abi: marketFactoryAbi,
      bytecode: marketFactoryBytecode,
      args: [OWNER_ADDRESS, market, settlement, 5_000_000n],
    }),
  );
  return createContracts({
    rpc: chain.rpc,
    deployment: { settlement, conditionalTokens, marketFactory, oracle, stablecoin, multicall },
  });
}

describe('our contracts', () => {
  it('answer typed reads', async () => {
    expect(await contracts.settlement.read('SETTLEMENT_GRACE', [])).toBe(GRACE);
    expect(await contracts.settlement.read('costOf', [333_333n, 10n])).toBe(4n);
    expect((await contracts.settlement.read('collateral', [])).toLowerCase()).toBe(contracts.stablecoin.address);
  });

  it('answer many reads of different types in one call on one block', async () => {
    const { to, data } = chain.mint(1);
    await execute(data!, to);
    const [symbol, balance, isPaused] = await contracts.readTogether([
      contracts.stablecoin.reading('symbol', []),
      contracts.stablecoin.reading('balanceOf', [recipientOf(1)]),
      contracts.settlement.reading('paused', []),
    ]);
    expect(symbol).toBe('USDC');
    expect(balance).toBe(amountOf(1));
    expect(isPaused).toBe(false);
    const reads = Array.from({ length: 7 }, (_, index) =>
      contracts.stablecoin.reading('balanceOf', [recipientOf(index)]),
    );
    const balances = await contracts.readTogether(reads, { maxReads: 3 });
    expect(balances).toEqual([0n, amountOf(1), 0n, 0n, 0n, 0n, 0n]);
  });

  it('take many calls as one transaction, and skip the one that fails', async () => {
    const { to, data } = contracts.callTogether([
      contracts.stablecoin.call('mint', [recipientOf(20), amountOf(20)]),
      contracts.stablecoin.call('transfer', [recipientOf(21), 1n]),
      contracts.stablecoin.call('mint', [recipientOf(22), amountOf(22)]),
    ]);
    await execute(data, to);
    const reads = [20, 21, 22].map((index) => contracts.stablecoin.reading('balanceOf', [recipientOf(index)]));
    expect(await contracts.readTogether(reads)).toEqual([amountOf(20), 0n, amountOf(22)]);
  });

  it('answer as of an older block, by number and by hash', async () => {
    const before = (await chain.rpc.request('eth_getBlockByNumber', ['latest', false])) as { number: Hex; hash: Hex };
    const { to, data } = chain.mint(2);
    await execute(data!, to);
    const balanceAt = (block: { number: number } | { hash: Hex }) =>
      contracts.stablecoin.read('balanceOf', [recipientOf(2)], block);
    expect(await balanceAt({ number: Number(before.number) })).toBe(0n);
    expect(await balanceAt({ hash: before.hash })).toBe(0n);
    expect(await contracts.stablecoin.read('balanceOf', [recipientOf(2)])).toBe(amountOf(2));
  });

  it('say why a call would revert, alone and among others', async () => {
    const outsider = recipientOf(9);
    const refused = await contracts.settlement
      .simulate('settleBatch', [[], '0x', '0x'], { from: outsider })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ContractReverted);
    expect((refused as ContractReverted).revert.name).toBe('MissingRole');
    expect(String((refused as ContractReverted).revert.args[1]).toLowerCase()).toBe(outsider);
    const unknown = contracts.settlement.reading('tokenIdOf', [zeroHash, 7n]);
    const together = contracts.readTogether([contracts.stablecoin.reading('symbol', []), unknown]);
    await expect(together).rejects.toBeInstanceOf(ContractReverted);
  });

  it('make calls whose simulation returns what they will return', async () => {
    const expiration = BigInt(Math.floor(Date.now() / 1_000) + 86_400);
    const role = await contracts.marketFactory.read('CREATOR_ROLE', []);
    await execute(
      contracts.marketFactory.call('grantRole', [role, OWNER_ADDRESS]).data,
      contracts.marketFactory.address,
    );
    const registrar = await contracts.settlement.read('REGISTRAR_ROLE', []);
    const grant = contracts.settlement.call('grantRole', [registrar, contracts.marketFactory.address]);
    await execute(grant.data, grant.to);
    const args = ['Will it rain tomorrow?', 'In Berlin.', 'weather', expiration] as const;
    const [marketId, address] = await contracts.marketFactory.simulate('createMarket', args, { from: OWNER_ADDRESS });
    const { to, data } = contracts.marketFactory.call('createMarket', args);
    await execute(data, to);
    const market = contracts.market(address);
    expect(await market.read('marketId', [])).toBe(marketId);
    expect(await market.read('question', [])).toBe(args[0]);
    expect(await contracts.marketFactory.read('isMarket', [address])).toBe(true);
  });
});
