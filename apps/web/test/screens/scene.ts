// What the screens are looked at with: a wallet with shares of both outcomes and an order in one market, and a win to redeem in another.
import { waitFor } from '@presage/runtime';
import { createOperatorClient } from '@presage/sdk/operator';
import { afterAll, beforeAll } from 'vitest';
import type { Visit } from '../browser.ts';
import { nameOwnPrice, openScreen, seeLiveBook, TIMEOUT } from '../page-actions.ts';
import { type Place, Visitor } from '../place.ts';

export interface Scene {
  readonly visit: Visit;
  readonly address: string;
  readonly chainId: number;
  readonly openId: string;
  readonly decidedId: string;
}

export const OPEN_QUESTION = 'Is every figure of an open market true?';
const DECIDED_QUESTION = 'Is every figure of a decided market true?';
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
  const operator = createOperatorClient({ url: sandbox.url, key: await sandbox.controls.getOperatorKey() });
  await operator.defineCategory('weather', 'Weather', {
    reason: 'for the log, and for a row of filters that is longer',
  });
  const visitor = new Visitor(place);
  const visit = await visitor.open(`/m/${decidedId}`);
  await seeLiveBook(visit.page);
  const address = await visitor.openWallet(visit.page);
  await buy(visit, '33.33');
  await openScreen(visit.page, `/m/${openId}`);
  await visit.page.getByTestId('market-title').filter({ hasText: OPEN_QUESTION }).waitFor(TIMEOUT);
  await seeLiveBook(visit.page);
  await buy(visit, '77.77');
  await visit.page.getByTestId('outcome-NO').click();
  await buy(visit, '12.34');
  await nameOwnPrice(visit.page, '20');
  await press(visit, '5');
  await visit.page.locator('[data-testid=order-life][data-stage=resting]').waitFor(TIMEOUT);
  await decide(place, decidedId);
  await sandbox.controls.pinPrice('BTC', 100_000);
  return { visit, address, chainId, openId, decidedId };
}

async function press({ page }: Visit, dollars: string): Promise<void> {
  await page.getByTestId('size').fill(dollars);
  await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
  await page.getByTestId('submit').click();
  await page.locator('[data-testid=size][value=""]').waitFor(TIMEOUT);
}

async function buy(visit: Visit, dollars: string): Promise<void> {
  await press(visit, dollars);
  await visit.page.locator('[data-testid=order-life][data-stage=settled]').first().waitFor(TIMEOUT);
}

async function decide({ sandbox }: Place, marketId: string): Promise<void> {
  const proposer = sandbox.client('proposer');
  await sandbox.controls.advanceTime(CLOSED_SECONDS);
  await (await proposer.proposeResolution(marketId, 'YES')).wait();
  await sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
  await (await proposer.settleMarket(marketId)).wait();
  const isResolved = async () => (await sandbox.reader.getMarket(marketId)).status === 'resolved';
  await waitFor('it is resolved', isResolved);
}
