// What the screens are looked at with: a wallet with shares of both outcomes and an order in one market, and a win to redeem in another.

import type { TradingClient } from '@presage/sdk';
import { createOperatorClient } from '@presage/sdk/operator';
import { waitFor } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Visit } from '../browser.ts';
import { seeLiveBook, TIMEOUT } from '../page-actions.ts';
import { type Place, Visitor } from '../place.ts';

export interface Scene {
  readonly visit: Visit;
  /** The client of the visitor's wallet. */
  readonly client: TradingClient;
  readonly address: string;
  readonly chainId: number;
  readonly openId: string;
  readonly decidedId: string;
  readonly eventId: string;
  readonly decidedEventId: string;
}

export const OPEN_QUESTION = 'Is every figure of an open market true?';
const DECIDED_QUESTION = 'Is every figure of a decided market true?';
const OUTCOMES = ['First', 'Second', 'An outcome with a name that is too long for a line of a phone', 'None of them'];
const [CLOSED_SECONDS, DISPUTE_SECONDS] = [3_600, 7_200];

/** Call what it returns in a test or in a `beforeAll`. */
export function useScene(place: Place): () => Scene {
  let scene: Scene | undefined;
  beforeAll(async () => {
    scene = await setScene(place);
  });
  afterAll(() => scene?.visit.close());
  return () => {
    if (scene === undefined) throw new Error('the scene is not set yet');
    return scene;
  };
}

async function setScene(place: Place): Promise<Scene> {
  const { sandbox } = place;
  const chainId = (await sandbox.reader.getConfig()).chains[0]?.chainId ?? 0;
  const { id: decidedId } = await sandbox.newMarket(DECIDED_QUESTION, CLOSED_SECONDS);
  const { id: openId } = await sandbox.newMarket(OPEN_QUESTION);
  for (const id of [decidedId, openId]) await sandbox.quote(id);
  await sandbox.client('taker').placeOrder({ marketId: openId, side: 'buy', price: '56c', size: '310.5' });
  const { eventId, decidedEvent } = await listEvents(place);
  const operator = createOperatorClient({ url: sandbox.url, key: await sandbox.controls.getOperatorKey() });
  await operator.defineCategory('weather', 'Weather', {
    reason: 'for the log, and for a row of filters that is longer',
  });
  const visitor = new Visitor(place);
  const client = await visitor.bringWallet();
  for (const order of [
    { marketId: decidedId, side: 'buy', price: '55c', size: '60.6' },
    { marketId: openId, side: 'buy', price: '56c', size: '138.875' },
    { marketId: openId, side: 'buy', outcome: 'NO', price: '20c', size: '25' },
  ] as const) {
    await (await client.placeOrder(order)).waitForSettlement();
  }
  const visit = await visitor.open(`/m/${openId}`);
  await seeLiveBook(visit.page);
  await buyNo(visit.page, '12.34');
  await decide(place, [decidedId, decidedEvent.winner]);
  await sandbox.controls.pinPrice('BTC', 100_000);
  const events = { eventId, decidedEventId: decidedEvent.id };
  return { visit, client, address: client.address, chainId, openId, decidedId, ...events };
}

async function buyNo(page: Page, dollars: string): Promise<void> {
  await page.getByTestId('outcome-NO').click();
  await page.getByTestId('size').fill(dollars);
  await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
  await page.getByTestId('submit').click();
  await page.locator('[data-testid=order-life][data-stage=settled]').waitFor(TIMEOUT);
}

async function listEvents({ sandbox }: Place) {
  const [question, outcomes] = ['Which outcome of several is it?', OUTCOMES];
  const open = await sandbox.controls.createEvent({ question, outcomes, expiresIn: 30 * 86_400 });
  for (const { marketId, index } of open.outcomes) {
    const price = 10 + 10 * index;
    await sandbox.quote(marketId, [
      { side: 'buy', price: `${price - 1}c`, size: '300' },
      { side: 'sell', price: `${price + 1}c`, size: '300' },
    ]);
  }
  const decided = await sandbox.controls.createEvent({
    question: 'Which outcome of several was it?',
    outcomes,
    expiresIn: CLOSED_SECONDS,
  });
  return { eventId: open.id, decidedEvent: { id: decided.id, winner: decided.outcomes[1]!.marketId } };
}

async function decide({ sandbox }: Place, marketIds: readonly string[]): Promise<void> {
  const proposer = sandbox.client('proposer');
  await sandbox.controls.advanceTime(CLOSED_SECONDS);
  for (const marketId of marketIds) await (await proposer.proposeResolution(marketId, 'YES')).wait();
  await sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
  for (const marketId of marketIds) {
    await (await proposer.settleMarket(marketId)).wait();
    const isResolved = async () => (await sandbox.reader.getMarket(marketId)).status === 'resolved';
    await waitFor('it is resolved', isResolved);
  }
}
