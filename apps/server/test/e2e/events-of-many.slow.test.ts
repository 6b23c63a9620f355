// An event of a hundred outcomes: listed in parts, traded, converted and resolved as a whole.
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet, UNLIMITED } from './relayed-wallet.ts';
import type { EventBody, MarketBody } from './wire.ts';

const COUNT = 100;
const NAMES = Array.from({ length: COUNT }, (_, index) => `Candidate ${index}`);
const LIFE_SECONDS = 86_400;
const SIZE = 10_000_000n;
const TRADED = [0, 19, 20, 57, 99];
let exchange: Exchange;
let ann: RelayedWallet;
let ben: RelayedWallet;
let event: EventBody;
let markets: MarketBody[];

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_KEEPER: 'off' } });
  ann = await equippedWallet('ann of many');
  ben = await equippedWallet('ben of many');
});
afterAll(() => exchange?.close());

async function equippedWallet(name: string): Promise<RelayedWallet> {
  const account = walletOf(name);
  await exchange.client.post('/sandbox/fund', { address: account.address, amount: 1_000_000_000 });
  const wallet = await RelayedWallet.open(exchange, account);
  await exchange.confirmed(
    await wallet.relayed('usdc-permit', await wallet.permit(wallet.chain.settlement.address, UNLIMITED)),
  );
  await exchange.confirmed(await wallet.relayed('ctf-approval', await wallet.approval()));
  return wallet;
}

const collateral = () => exchange.chain.money(ann.chain.conditionalTokens.address);

describe('an event of a hundred outcomes', () => {
  it('is listed whole, in several transactions', async () => {
    const body = { question: 'Who wins the marathon?', outcomes: NAMES, expiresIn: LIFE_SECONDS, feeRateBps: 100 };
    const answer = await exchange.client.post<EventBody>('/sandbox/events', body);
    expect(answer.status).toBe(200);
    event = answer.body;
    expect(event.outcomes.map(({ name }) => name)).toEqual(NAMES);
    const reads = TRADED.map((index) =>
      exchange.client.read<MarketBody>(`/api/v1/markets/${event.outcomes[index]!.marketId}`),
    );
    markets = await Promise.all(reads);
    for (const [place, index] of TRADED.entries()) {
      const name = NAMES[index]!;
      expect(markets[place]).toMatchObject({
        question: `Who wins the marathon?: ${name}`,
        feeRateBps: 100,
        event: { id: event.id, index, name },
      });
    }
  });

  it('is traded in markets of each part, and converted', async () => {
    for (const market of markets) {
      const terms = { market: market.id, price: '0.2', size: '10' };
      await exchange.client.order(ben.account, { ...terms, side: 'sell' });
      await exchange.client.order(ann.account, { ...terms, side: 'buy' });
    }
    await exchange.settled();
    expect(await collateral()).toBe(BigInt(TRADED.length) * SIZE);
    await exchange.confirmed(await ben.relayed('ctf-conversion', await ben.conversion(event.id, TRADED, SIZE)));
    expect(await collateral()).toBe(SIZE);
  });

  it('is resolved with one proposal, and pays all its collateral', async () => {
    await exchange.client.post('/sandbox/time', { advanceSeconds: LIFE_SECONDS + 1 });
    const winner = markets.at(-1)!;
    await exchange.confirmed(await ann.relayed('propose-resolution', await ann.proposal(winner, true)));
    await exchange.client.post('/sandbox/time', { advanceSeconds: 7_200 });
    await exchange.confirmed(await ann.relayed('settle-market', await ann.settling(winner, 0)));
    await waitFor('the event is resolved', async () => {
      const { resolved, winningIndex } = await exchange.client.read<EventBody>(`/api/v1/events/${event.id}`);
      return resolved && winningIndex === COUNT - 1;
    });
    await exchange.confirmed(await ann.relayed('ctf-redemption', await ann.redemption(winner)));
    expect(await collateral()).toBe(0n);
  });
});
