// A wallet that is a contract, a real Safe among them, trades and has its requests relayed; it stops on the chain; a question without an answer ends.
import { conditionalTokensWithPermitAbi, presageSettlementAbi } from '@presage/contracts';
import { OPERATION_TYPES, ORDER_TYPES } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import {
  concatHex,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  hashTypedData,
  http,
  parseAbi,
  size,
  zeroAddress,
  zeroHash,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Artifact, compileFolder, settings } from '../../../../contracts/scripts/compile.ts';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { fundAndApprove, OnChainWallet, UNLIMITED } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import { SAFE_CODE, SafeWallet } from './safe-wallet.ts';
import type { EventBody, FailedBody, MarketBody, OrderBody } from './wire.ts';

const [first, second] = [walletOf('owner one'), walletOf('owner two')];
const maker = walletOf('contract maker');
const ENV = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'enforce' };
const COIN = parseAbi(['function approve(address spender, uint256 amount)']);

let exchange: Exchange;
let artifact: Artifact;
let wallet: Hex;
let purse: OnChainWallet;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  await fundAndApprove(exchange, maker);
  artifact = compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'TwoKeyWallet')!;
  const transport = http(exchange.sandbox.rpcUrl);
  const client = createWalletClient({ transport, account: testAccount(5) });
  const { abi, bytecode } = artifact;
  const hash = await client.deployContract({ abi, bytecode, args: [first.address, second.address], chain: null });
  const receipt = await createPublicClient({ transport, pollingInterval: 25 }).waitForTransactionReceipt({ hash });
  wallet = receipt.contractAddress!;
  purse = await OnChainWallet.open(exchange, { address: wallet });
  await purse.fund(1_000_000_000n);
  const args = [purse.chain.settlement.address, UNLIMITED] as const;
  const data = encodeFunctionData({ abi: COIN, functionName: 'approve', args });
  const run = encodeFunctionData({ abi, functionName: 'run', args: [purse.chain.stablecoin.address, data] });
  await exchange.chain.sendAs({ from: maker.address, to: wallet, data: run });
});
afterAll(() => exchange?.close());

async function signTwice(hash: Hex): Promise<Hex> {
  return concatHex([await first.sign({ hash }), await second.sign({ hash })]);
}

interface Placed extends OrderBody {
  readonly code?: string;
  readonly matches?: number;
  readonly orderStatus?: string;
}

interface Signer {
  readonly address: Hex;
  sign(digest: Hex): Promise<Hex>;
}

function signOrder(market: MarketBody, nonce: bigint, spoil = (signature: Hex): Hex => signature) {
  return signOrderBy({ address: wallet, sign: async (digest) => spoil(await signTwice(digest)) }, market, nonce);
}

async function signOrderBy(signer: Signer, market: MarketBody, nonce: bigint) {
  const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
  const order = {
    marketId: market.id as Hex,
    trader: signer.address,
    side: 0,
    outcome: 0,
    price: 500_000n,
    size: 10_000_000n,
    nonce,
    expiration: BigInt(now + 86_400),
    makerFeeRecipient: zeroAddress,
  };
  const { domain } = exchange.client;
  const digest = hashTypedData({ domain, types: ORDER_TYPES, primaryType: 'Order', message: order });
  return { order, signature: await signer.sign(digest) };
}

async function place(submission: Awaited<ReturnType<typeof signOrder>>) {
  return exchange.client.post<Placed>('/api/v1/orders', submission);
}

/** What the wallet does by itself, on the chain. */
async function run(functionName: 'haltTrading' | 'resumeTrading'): Promise<void> {
  const call = encodeFunctionData({ abi: presageSettlementAbi, functionName });
  const args = [purse.chain.settlement.address, call];
  const data = encodeFunctionData({ abi: artifact.abi, functionName: 'run', args });
  await exchange.chain.sendAs({ from: maker.address, to: wallet, data });
}

interface SigningContract {
  readonly name: string;
  readonly version: string;
  readonly address: Hex;
}

async function readContracts() {
  const { chains } = await exchange.client.read<{
    chains: [{ chainId: number; conditionalTokens: SigningContract; stablecoin: SigningContract }];
  }>('/api/v1/config');
  return chains[0];
}

/** Relayed; resolves when it is mined. */
async function approveSharesBy(signer: Signer): Promise<void> {
  const { address: owner } = signer;
  const { chainId, conditionalTokens } = await readContracts();
  const { name, version, address: verifyingContract } = conditionalTokens;
  const operator = purse.chain.settlement.address;
  const message = { owner, operator, approved: true, nonce: 0n, deadline: 4_000_000_000n };
  const domain = { name, version, chainId, verifyingContract };
  const types = OPERATION_TYPES;
  const signature = await signer.sign(hashTypedData({ domain, types, primaryType: 'SetApprovalForAll', message }));
  const body = { chainId, owner, operator, approved: true, deadline: '4000000000', signature };
  const relayed = await exchange.client.post('/api/v1/relayer/ctf-approval', body);
  expect(relayed).toMatchObject({ status: 200, body: { success: true } });
  const path = `/api/v1/users/${owner}/approvals?chain_id=${chainId}`;
  await waitFor('the approval is mined', async () => {
    const { settlement } = await exchange.client.read<{ settlement: { sharesApproved: boolean } }>(path);
    return settlement.sharesApproved;
  });
}

/** Funded, and with an allowance that its owners gave by a transaction of their own. */
async function openSafe(owners: readonly (typeof first)[], is4337: boolean): Promise<SafeWallet> {
  const { rpcUrl } = exchange.sandbox;
  const { chainId } = exchange.client.domain;
  const safe = await SafeWallet.deploy({ rpcUrl, chainId, sender: testAccount(5), owners, is4337 });
  await (await OnChainWallet.open(exchange, safe)).fund(1_000_000_000n);
  const args = [purse.chain.settlement.address, UNLIMITED] as const;
  await safe.execute(purse.chain.stablecoin.address, encodeFunctionData({ abi: COIN, functionName: 'approve', args }));
  return safe;
}

describe('a Safe', () => {
  // The factory through which Safe deploys its releases, and where they stand on every chain.
  const SINGLETON_FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';

  it.each([
    ['safe', '0x41675C099F32341bf84BFc5382aF534df5C7461a'],
    ['proxyFactory', '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67'],
    ['fallbackHandler', '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99'],
  ] as const)('is the published one: its %s would stand at %s', (name, address) => {
    const { creationCode: bytecode } = SAFE_CODE[name];
    expect(getCreate2Address({ from: SINGLETON_FACTORY, salt: zeroHash, bytecode })).toBe(address);
  });

  it.each([
    ['of two owners', [first, second], false],
    ['that is an ERC-4337 account, with 65 bytes of signature', [first], true],
  ] as const)(
    '%s buys, and has its requests relayed; what others sign for it is refused',
    async (kind, owners, is4337) => {
      const safe = await openSafe(owners, is4337);
      const market = await exchange.newMarket(`Does a Safe ${kind} trade?`);
      await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size: '10' });
      const submission = await signOrderBy(safe, market, 1n);
      expect(size(submission.signature)).toBe(65 * owners.length);
      expect(await place(submission)).toMatchObject({ status: 200, body: { matches: 1, orderStatus: 'filled' } });
      await exchange.settled();
      expect(await exchange.chain.shares(market, safe.address)).toEqual({ yes: 10_000_000n, no: 0n });
      await approveSharesBy(safe);
      const stranger = { address: safe.address, sign: (digest: Hex) => maker.sign({ hash: digest }) };
      expect(await place(await signOrderBy(stranger, market, 2n))).toMatchObject({
        status: 400,
        body: { code: 'invalid_signature' },
      });
      expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(['confirmed']);
    },
  );

  it('converts NO of two outcomes of an event', async () => {
    const safe = await openSafe([first, second], false);
    const wallet = safe.address;
    const { conditionalTokens, stablecoin } = await readContracts();
    const asked = { question: 'Which wallet?', outcomes: ['Key', 'Safe', 'Both'], expiresIn: 86_400 };
    const { body: event } = await exchange.client.post<EventBody>('/sandbox/events', asked);
    const amount = 5_000_000n;
    const args = [conditionalTokens.address, UNLIMITED] as const;
    await safe.execute(stablecoin.address, encodeFunctionData({ abi: COIN, functionName: 'approve', args }));
    for (const parts of [
      [1n, 6n],
      [2n, 5n],
    ]) {
      const args = [stablecoin.address, zeroHash, event.id, parts, amount] as const;
      const data = encodeFunctionData({ abi: conditionalTokensWithPermitAbi, functionName: 'splitPosition', args });
      await safe.execute(conditionalTokens.address, data);
    }
    const before = await exchange.chain.money(wallet);
    const { name, version, address: verifyingContract } = conditionalTokens;
    const { chainId } = exchange.client.domain;
    const nonce = (await exchange.chain.read(verifyingContract, conditionalTokensWithPermitAbi, 'nonces', [
      wallet,
    ])) as bigint;
    const message = { owner: wallet, eventId: event.id, indexes: 3n, amount, nonce, deadline: 4_000_000_000n };
    const domain = { name, version, chainId, verifyingContract };
    const digest = hashTypedData({ domain, types: OPERATION_TYPES, primaryType: 'ConvertPositions', message });
    const request = { chainId, owner: wallet, eventId: event.id, indexes: [0, 1], deadline: '4000000000' };
    const body = { ...request, amount: amount.toString(), signature: await safe.sign(digest) };
    const forged = {
      ...body,
      signature: concatHex([await first.sign({ hash: digest }), await first.sign({ hash: digest })]),
    };
    expect(await exchange.client.post('/api/v1/relayer/ctf-conversion', forged)).toMatchObject({ status: 400 });
    const { body: relayed } = await exchange.client.post<{ tx_hash: string }>('/api/v1/relayer/ctf-conversion', body);
    await exchange.confirmed(relayed.tx_hash);
    expect((await exchange.chain.money(wallet)) - before).toBe(amount);
    const shares = async (index: number) => {
      const { yesShares, noShares } = await exchange.position(event.outcomes[index]!.marketId, { address: wallet });
      return [Number(yesShares), Number(noShares)];
    };
    await waitFor('the service has its shares', async () => (await shares(2))[0] === Number(amount));
    expect([await shares(0), await shares(1)]).toEqual([
      [5_000_000, 0],
      [5_000_000, 0],
    ]);
  });
});

describe('a wallet that is a contract', () => {
  it('buys with a signature of its own kind, and it settles', async () => {
    const market = await exchange.newMarket('Do contracts trade?');
    await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size: '10' });
    const order = await signOrder(market, 1n);
    const placed = await place(order);
    expect(placed).toMatchObject({ status: 200, body: { matches: 1, orderStatus: 'filled' } });
    // The same again is the same order.
    expect(await place(order)).toMatchObject({ status: 200, body: { orderHash: placed.body.orderHash } });
    await exchange.settled();
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(['confirmed']);
    expect(await exchange.chain.shares(market, wallet)).toEqual({ yes: 10_000_000n, no: 0n });
  });

  it('is refused what its owners did not sign, and a longer signature of a key is as ever', async () => {
    const market = await exchange.newMarket('Are contracts careful?');
    const forged = await place(await signOrder(market, 2n, (signature) => `${signature.slice(0, -4)}0000` as Hex));
    expect(forged).toMatchObject({ status: 400, body: { code: 'invalid_signature' } });
    const order = {
      marketId: market.id,
      trader: maker.address,
      side: 0,
      outcome: 0,
      price: 1,
      size: 1,
      nonce: 1,
      expiration: 4_000_000_000,
      makerFeeRecipient: zeroAddress,
    };
    const long = await exchange.client.post('/api/v1/orders', { order, signature: `0x${'ab'.repeat(66)}` });
    expect(long).toMatchObject({ status: 400, body: { code: 'invalid_signature_length' } });
  });

  it('has its requests relayed', async () => {
    await approveSharesBy({ address: wallet, sign: signTwice });
  });

  it('stops everything by itself: its orders leave the book and new ones are refused, until it resumes', async () => {
    const market = await exchange.newMarket('Do contracts stop?');
    const { body } = await place(await signOrder(market, 3n));
    expect(body.orderStatus).toBe('open');
    const path = `/api/v1/users/${wallet}/approvals?chain_id=${exchange.client.domain.chainId}`;
    const approvals = () => exchange.client.read<{ settlement: { haltEffectiveAfter: number | null } }>(path);
    expect((await approvals()).settlement.haltEffectiveAfter).toBeNull();
    await run('haltTrading');
    await waitFor('the order is off the book', async () => {
      const order = await exchange.client.read<OrderBody>(`/api/v1/orders/${body.orderHash}`);
      return order.status === 'cancelled';
    });
    const { haltEffectiveAfter } = (await approvals()).settlement;
    expect(haltEffectiveAfter).toBeGreaterThan(0);
    const next = await signOrder(market, 4n);
    const { chainId } = exchange.client.domain;
    expect(await place(next)).toMatchObject({
      status: 409,
      body: { code: 'trading_halted', details: { chainId, effectiveAfter: haltEffectiveAfter } },
    });
    const validated = await exchange.client.post('/api/v1/orders/validate', next);
    expect(validated).toMatchObject({ body: { errors: [{ code: 'trading_halted' }] } });
    await run('resumeTrading');
    await waitFor('the wallet trades again', async () => (await place(next)).status === 200);
    expect((await approvals()).settlement.haltEffectiveAfter).toBeNull();
  });
});

describe('a question without an answer', () => {
  it('is proposed as half and half, settled, and redeemed with one that somebody else has redeemed already', async () => {
    const owner = await RelayedWallet.open(exchange, walletOf('half owner'));
    await fundAndApprove(exchange, owner);
    await (await OnChainWallet.open(exchange, owner)).approve(UNLIMITED, owner.chain.conditionalTokens.address);
    const markets = [await exchange.newMarket('Half one?', 600), await exchange.newMarket('Half two?', 600)];
    for (const market of markets) {
      await mined(await owner.relayed('split', await owner.amount('SplitPosition', market, 7_000_000n)));
    }
    await exchange.client.post('/sandbox/time', { advanceSeconds: 601 });
    for (const market of markets)
      await mined(await owner.relayed('propose-resolution', await owner.proposal(market, 2)));
    const proposed = await waitFor('the proposal is seen', async () => {
      const seen = await exchange.client.read<{ assertion?: object }>(`/api/v1/resolution/${markets[1]!.id}`);
      return seen.assertion;
    });
    expect(proposed).toMatchObject({ outcome: 2, proposedOutcome: false });
    await exchange.client.post('/sandbox/time', { advanceSeconds: 7_201 });
    for (const market of markets) await mined(await owner.relayed('settle-market', await owner.settling(market, 2)));

    // Both are signed; then the first is carried out by itself, as anybody who has seen it can.
    const batch = (await owner.batch(markets)) as { redemptions: object[]; chainId: number; owner: string };
    const { chainId, owner: address } = batch;
    await mined(await owner.relayed('ctf-redemption', { chainId, owner: address, ...batch.redemptions[0] }));
    const before = await exchange.chain.money(owner.address);
    await mined(await owner.relayed('batch-ctf-redemption', batch));
    expect((await exchange.chain.money(owner.address)) - before).toBe(7_000_000n);
    for (const market of markets) {
      expect(await exchange.client.read(`/api/v1/resolution/${market.id}`)).toMatchObject({
        status: 'void',
        payouts: [500_000, 500_000],
      });
    }
  });
});

function mined(hash: Hex): Promise<unknown> {
  return waitFor(`${hash} is confirmed`, async () => {
    const path = `/api/v1/relayer/transactions/${hash}`;
    const { status, error } = await exchange.client.read<{ status: string; error: string | null }>(path);
    if (status === 'failed') throw new Error(`${hash} failed: ${error}`);
    return status === 'confirmed';
  });
}

describe('a market that nobody decides', () => {
  it('is voided when its time has come, and each share pays half', async () => {
    const market = await exchange.newMarket('Does anybody care?', 600);
    await exchange.client.post('/sandbox/time', { advanceSeconds: 601 + 31 * 86_400 });
    await waitFor('the keeper has voided it', async () => {
      const resolution = await exchange.client.read<{ status: string }>(`/api/v1/resolution/${market.id}`);
      return resolution.status === 'void';
    });
    expect(await exchange.client.read(`/api/v1/resolution/${market.id}`)).toMatchObject({
      resolved: true,
      payouts: [500_000, 500_000],
    });
  });
});

describe('an event that nobody decides', () => {
  it('is voided as a whole when its time has come, and all its outcomes pay the same', async () => {
    const asked = { question: 'Does anybody care who?', outcomes: ['Ann', 'Ben', 'Cid'], expiresIn: 600 };
    const { body: event } = await exchange.client.post<EventBody>('/sandbox/events', asked);
    await exchange.client.post('/sandbox/time', { advanceSeconds: 601 + 31 * 86_400 });
    for (const { marketId } of event.outcomes) {
      const voided = await waitFor('the keeper has voided it', async () => {
        const resolution = await exchange.client.read<{ status: string }>(`/api/v1/resolution/${marketId}`);
        return resolution.status === 'void' && resolution;
      });
      expect(voided).toMatchObject({ resolved: true, payouts: [333_333, 666_666] });
    }
    expect(await exchange.client.read(`/api/v1/events/${event.id}`)).toMatchObject({
      status: 'void',
      winningIndex: null,
    });
  });
});

describe('a wallet that refuses on chain what it stood by', () => {
  const settler = testAccount(1).address;
  let hostile: { readonly address: Hex; readonly abi: Artifact['abi'] };
  let market: MarketBody;
  let nonce = 0n;

  beforeAll(async () => {
    const { abi, bytecode } = compileFolder('test/solidity', settings.tests).find(
      ({ name }) => name === 'HostileWallet',
    )!;
    const transport = http(exchange.sandbox.rpcUrl);
    const hash = await createWalletClient({ transport, account: testAccount(5) }).deployContract({
      abi,
      bytecode,
      chain: null,
    });
    const reader = createPublicClient({ transport, pollingInterval: 25 });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
    hostile = { address: contractAddress!, abi };
    await (await OnChainWallet.open(exchange, hostile)).fund(1_000_000_000n);
    const args = [purse.chain.settlement.address, UNLIMITED] as const;
    const data = encodeFunctionData({ abi: COIN, functionName: 'approve', args });
    await act('run', [purse.chain.stablecoin.address, data]);
    market = await exchange.newMarket('Does the wallet keep its word?');
  });

  async function act(functionName: string, args: readonly unknown[]): Promise<void> {
    const data = encodeFunctionData({ abi: hostile.abi, functionName, args });
    await exchange.chain.sendAs({ from: maker.address, to: hostile.address, data });
  }

  async function lieInWait(readsGasPrice: boolean): Promise<void> {
    const client = createPublicClient({ transport: http(exchange.sandbox.rpcUrl) });
    await act('lieInWait', [await client.getBalance({ address: settler }), readsGasPrice]);
  }

  /** The wallet's purchase meets a sale of an honest trader; answers that trader's order and why the trade failed. */
  async function tradeInVain() {
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const sale = { market: market.id, side: 'sell', price: '0.5', size: '10', expiration: now + 86_400 } as const;
    const { orderHash } = await exchange.client.order(maker, sale);
    const sign = async (): Promise<Hex> => `0x${'5a'.repeat(66)}`;
    const placed = await place(await signOrderBy({ address: hostile.address, sign }, market, ++nonce));
    expect(placed).toMatchObject({ status: 200, body: { matches: 1 } });
    await exchange.settled();
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    const innocent = await exchange.client.read<OrderBody>(`/api/v1/orders/${orderHash}`);
    expect(innocent).toMatchObject({ status: 'open', remainingSize: 10_000_000 });
    await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
    const here = failedTrades.filter(({ marketId }) => marketId === market.id);
    const sent = await createPublicClient({ transport: http(exchange.sandbox.rpcUrl) }).getTransactionCount({
      address: settler,
    });
    return { failed: here, sent };
  }

  it('is found out before anything is sent where it asks for the gas price', async () => {
    await lieInWait(true);
    const client = createPublicClient({ transport: http(exchange.sandbox.rpcUrl) });
    const before = await client.getTransactionCount({ address: settler });
    const { failed, sent } = await tradeInVain();
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ faultParty: 'buyer', reason: expect.stringContaining('signature') });
    expect(sent).toBe(before);
  });

  it('costs a transaction twice and no third time, whenever the service is killed; the other order returns each time', async () => {
    const counts: number[] = [];
    for (const _attempt of [1, 2, 3]) {
      await exchange.sandbox.killGroup();
      exchange = await exchange.reopen({ env: ENV });
      await lieInWait(false);
      const { sent, failed } = await tradeInVain();
      expect(failed.every(({ faultParty }) => faultParty === 'buyer')).toBe(true);
      counts.push(sent);
    }
    const [first = 0, second, third] = counts;
    expect([second, third]).toEqual([first + 1, first + 1]);
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    const reasons = failedTrades.filter(({ marketId }) => marketId === market.id).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.includes('twice refused on chain'))).toHaveLength(1);
  });
});
