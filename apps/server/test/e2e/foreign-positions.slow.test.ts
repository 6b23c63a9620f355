// Strangers may split for others, into positions of no market, on other collateral or below other conditions: an honest operator stays sound.
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '@presage/contracts';
import { testStablecoinBytecode } from '@presage/contracts/bytecode';
import { waitFor, walletOf } from '@presage/testkit';
import { type Abi, encodeFunctionData, getContractAddress, type Hex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import type { EventBody, MarketBody } from './wire.ts';

const DAY = 86_400;
const WINDOW_SECONDS = 7_200;
const MONEY = 1_000_000_000n;
let exchange: Exchange;
let stranger: RelayedWallet;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_KEEPER: 'off' } });
  const account = walletOf('a stranger');
  await exchange.client.post('/sandbox/fund', { address: account.address, amount: Number(MONEY) });
  stranger = await RelayedWallet.open(exchange, account);
  const { stablecoin, conditionalTokens } = stranger.chain;
  await send(stablecoin.address, testStablecoinAbi, 'approve', [conditionalTokens.address, MONEY]);
});
afterAll(() => exchange?.close());

function send(to: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Promise<Hex> {
  return exchange.chain.sendAs({ from: stranger.address, to, data: encodeFunctionData({ abi, functionName, args }) });
}

interface Divided {
  readonly condition: Hex;
  readonly parts: readonly bigint[];
  readonly amount: bigint;
  readonly parent?: Hex;
  readonly collateral?: Hex;
}

function divide(how: 'splitPosition' | 'mergePositions', divided: Divided): Promise<Hex> {
  const { condition, parts, amount, parent = zeroHash, collateral = stranger.chain.stablecoin.address } = divided;
  const args = [collateral, parent, condition, parts, amount];
  return send(stranger.chain.conditionalTokens.address, conditionalTokensWithPermitAbi, how, args);
}

function redeem(condition: Hex, sets: readonly bigint[]): Promise<Hex> {
  const { stablecoin, conditionalTokens } = stranger.chain;
  const args = [stablecoin.address, zeroHash, condition, sets];
  return send(conditionalTokens.address, conditionalTokensWithPermitAbi, 'redeemPositions', args);
}

async function newEvent(question: string): Promise<[EventBody, MarketBody[]]> {
  const body = { question, outcomes: ['Ann', 'Ben', 'Cid', 'Dan'], expiresIn: DAY };
  const { status, body: event } = await exchange.client.post<EventBody>('/sandbox/events', body);
  expect({ status, event }).toMatchObject({ status: 200 });
  const markets = event.outcomes.map(({ marketId }) => exchange.client.read<MarketBody>(`/api/v1/markets/${marketId}`));
  return [event, await Promise.all(markets)];
}

/** Resolves once the journal has all that the chain has; what is sound by then, and nothing is on its way. */
async function expectSound(): Promise<void> {
  const { url, rpcUrl } = exchange.sandbox;
  await waitFor('the journal has what the chain has', async () => {
    const { sound, violation, chains } = await verifyExchange({ url, rpcUrl, signatures: false });
    expect(violation).toBeUndefined();
    return sound && chains.length === 1 && chains.every(({ drifting }) => drifting.length === 0);
  });
}

/** Shares of YES and NO of every market, as the service has them. */
async function expectShares(markets: readonly MarketBody[]): Promise<void> {
  for (const market of markets) {
    await waitFor(`${market.question} is the same in both`, async () => {
      const { reported, onChain } = await exchange.sharesBothWays(market, stranger);
      return reported.yes === onChain.yes && reported.no === onChain.no;
    });
  }
}

async function resolve(markets: readonly MarketBody[], outcome: true | 2): Promise<void> {
  await exchange.travel(DAY + 1);
  await exchange.confirmed(await stranger.relayed('propose-resolution', await stranger.proposal(markets[0]!, outcome)));
  await exchange.travel(WINDOW_SECONDS);
  const settled = await stranger.settling(markets[0]!, outcome === 2 ? 2 : 0);
  await exchange.confirmed(await stranger.relayed('settle-market', settled));
  await waitFor('all markets are over', async () => {
    const reads = markets.map(({ id }) => exchange.client.read<MarketBody>(`/api/v1/markets/${id}`));
    return (await Promise.all(reads)).every(({ status }) => status === (outcome === 2 ? 'void' : 'resolved'));
  });
}

describe('positions of no market', () => {
  it.each([
    ['a winner', true],
    ['a void', 2],
  ] as const)('are made, divided, merged and redeemed beside the markets until %s', async (name, outcome) => {
    const [{ id: condition }, markets] = await newEvent(`Who wins with ${name}?`);
    await divide('splitPosition', { condition, parts: [0b0011n, 0b1100n], amount: 101n });
    await expectSound();
    await divide('splitPosition', { condition, parts: [0b0001n, 0b0010n], amount: 60n });
    await expectSound();
    await divide('splitPosition', { condition, parts: [0b0001n, 0b0010n, 0b1100n], amount: 30n });
    await divide('mergePositions', { condition, parts: [0b0001n, 0b0010n], amount: 20n });
    await divide('splitPosition', { condition, parts: [0b1000n, 0b0111n], amount: 40n });
    await divide('splitPosition', { condition, parts: [0b0001n, 0b0110n], amount: 33n });
    await expectSound();
    await divide('mergePositions', { condition, parts: [0b1100n, 0b0011n], amount: 50n });
    await expectSound();
    await expectShares(markets);
    await resolve(markets, outcome);
    await redeem(condition, [0b0011n, 0b0001n, 0b0110n]);
    await expectSound();
    await redeem(condition, [0b1100n, 0b0111n, 0b0010n, 0b1000n]);
    await expectSound();
    await expectShares(markets);
  });

  it('are no conversion of their owner', async () => {
    const { conversions = [] } = await exchange.client.read<{ conversions?: object[] }>(
      `/api/v1/users/${stranger.address}/activity?chain_id=31337`,
    );
    expect(conversions).toEqual([]);
  });
});

describe('a condition of the exchange', () => {
  it('backs the shares that a stranger splits for others', async () => {
    const { stablecoin, conditionalTokens } = stranger.chain;
    const [, [outcome]] = await newEvent('Who gets them?');
    const markets = [await exchange.newMarket('Are they for others?'), outcome!];
    const others = ['a friend', 'another friend'].map((name) => walletOf(name).address);
    for (const { id } of markets) {
      const args = [stablecoin.address, id, 70n, ...others];
      await send(conditionalTokens.address, conditionalTokensWithPermitAbi, 'splitTo', args);
    }
    await expectSound();
  });

  it('below another condition, or with another token, holds no collateral of its markets', async () => {
    const { conditionalTokens } = stranger.chain;
    const [first, second] = [await exchange.newMarket('Is it above?'), await exchange.newMarket('Is it below?')];
    const [event] = await newEvent('Which is below?');
    await divide('splitPosition', { condition: first.id as Hex, parts: [1n, 2n], amount: 90n });
    const args = [zeroHash, first.id, 1n];
    const parent = await exchange.chain.read(
      conditionalTokens.address,
      conditionalTokensWithPermitAbi,
      'getCollectionId',
      args,
    );
    await divide('splitPosition', { condition: second.id as Hex, parts: [1n, 2n], amount: 50n, parent: parent as Hex });
    await divide('splitPosition', { condition: event.id, parts: [3n, 12n], amount: 40n, parent: parent as Hex });
    const nonce = BigInt(await exchange.chain.transactionCount(stranger.address));
    const collateral = getContractAddress({ from: stranger.address, nonce });
    await exchange.chain.sendAs({
      from: stranger.address,
      data: testStablecoinBytecode,
    });
    await send(collateral, testStablecoinAbi, 'mint', [stranger.address, 500n]);
    await send(collateral, testStablecoinAbi, 'approve', [conditionalTokens.address, 500n]);
    for (const condition of [second.id as Hex, event.id]) {
      const parts = condition === event.id ? [3n, 12n] : [1n, 2n];
      await divide('splitPosition', { condition, parts, amount: 250n, collateral });
    }
    await expectSound();
  });
});
