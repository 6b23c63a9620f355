// Stablecoin deposited with the settlement contract: it covers orders, pays for fills and is paid by them, and leaves when its owner says so.
import { waitFor, walletOf } from '@presage/testkit';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove, OnChainWallet, UNLIMITED } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import type { MarketBody, OrderBody } from './wire.ts';

const elsewhere = walletOf('deposits elsewhere').address;
const UNIT = 1_000_000n;
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off' } });
  market = await exchange.newMarket('Who has deposited?');
});
afterAll(() => exchange?.close());

function balancesOf({ address }: { readonly address: string }): Promise<Record<string, string>> {
  return exchange.client.read(`/api/v1/users/${address}/balances?chain_id=${exchange.client.domain.chainId}`);
}

/** Deposits `amount` by signature, and sends what is left in the wallet away. */
async function openDepositor(name: string, amount: bigint): Promise<PrivateKeyAccount> {
  const account = walletOf(`deposits ${name}`);
  await fundAndApprove(exchange, account);
  const relayed = await RelayedWallet.open(exchange, account);
  await relayed.relayed('deposit', await relayed.deposit(amount));
  await waitFor('the deposit is there', async () => (await balancesOf(account)).deposited === `${amount}`);
  const onChain = await OnChainWallet.open(exchange, account);
  await onChain.send(elsewhere, await exchange.chain.money(account.address));
  await onChain.approve(0n);
  return account;
}

async function openTaker(name: string): Promise<PrivateKeyAccount> {
  const account = walletOf(`deposits ${name}`);
  await fundAndApprove(exchange, account);
  return account;
}

describe('a wallet whose money is all deposited', () => {
  it('buys, sells and mints from the deposit and into it, without an allowance', async () => {
    const [maker, taker] = [await openDepositor('maker', 100n * UNIT), await openTaker('taker')];
    expect(await balancesOf(maker)).toMatchObject({ balance: '0', allowance: '0', available: `${100n * UNIT}` });
    const order = { market: market.id, price: '0.4', size: '10' } as const;
    await exchange.client.order(maker, { ...order, side: 'buy' });
    await exchange.client.order(taker, { ...order, side: 'sell' });
    await exchange.settled();
    expect(await balancesOf(maker)).toMatchObject({ deposited: `${96n * UNIT}`, balance: '0' });
    // It holds 10 and sells 15: 5 are minted, which cost 5 and are paid from the 6 that the sale brings.
    await exchange.client.order(maker, { ...order, side: 'sell', size: '15' });
    await exchange.client.order(taker, { ...order, side: 'buy', size: '15' });
    await exchange.settled();
    expect(await balancesOf(maker)).toMatchObject({ deposited: `${97n * UNIT}`, balance: '0' });
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }, { status: 'confirmed' }]);
    expect((await exchange.sharesBothWays(market, maker)).onChain).toEqual({ yes: 0n, no: 5n * UNIT });
  });

  it('is refused what neither the deposit nor the wallet covers alone', async () => {
    const ann = await openDepositor('ann', 6n * UNIT);
    await (await OnChainWallet.open(exchange, ann)).fund(6n * UNIT);
    const order = { market: market.id, side: 'buy', price: '0.1' } as const;
    const { status, body } = await exchange.client.placeOrder(ann, { ...order, size: '70' });
    expect([status, body]).toMatchObject([400, { code: 'insufficient_balance' }]);
    await exchange.client.order(ann, { ...order, size: '50' });
    expect(await balancesOf(ann)).toMatchObject({ available: '999000' });
  });

  it('loses its orders when it takes the deposit out without the service', async () => {
    const ben = await openDepositor('ben', 10n * UNIT);
    const placed = await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.1', size: '50' });
    await (await OnChainWallet.open(exchange, ben)).withdrawDeposit(UNLIMITED, elsewhere);
    await waitFor('the order is cancelled', async () => {
      const { status } = await exchange.client.read<OrderBody>(`/api/v1/orders/${placed.orderHash}`);
      return status === 'cancelled';
    });
    expect(await balancesOf(ben)).toMatchObject({ balance: '0' });
    expect(await balancesOf(ben)).not.toHaveProperty('deposited');
  });

  it('takes the deposit out by signature, to another wallet', async () => {
    const cas = await openDepositor('cas', 10n * UNIT);
    const before = await exchange.chain.money(elsewhere);
    const relayed = await RelayedWallet.open(exchange, cas);
    await relayed.relayed('withdrawal', await relayed.withdrawal(4n * UNIT, elsewhere));
    await waitFor('it is paid', async () => (await exchange.chain.money(elsewhere)) === before + 4n * UNIT);
    expect(await balancesOf(cas)).toMatchObject({ deposited: `${6n * UNIT}` });
  });
});
