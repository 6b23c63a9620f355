// A trade that fails on chain, as the page shows it: why, whose fault it was, and what happened to the money.
import type { TradingClient } from '@presage/sdk';
import { CHROMIUM } from '@presage/testkit/chromium';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openScreen, seeLiveBook, startDemoWallet, TIMEOUT, textOf } from './page-actions.ts';
import { usePlace, Visitor } from './place.ts';

/** Wallets are not funded automatically, and cover is not checked beforehand. */
const ENV = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' };

/** As Chromium does when cookies are blocked. */
const KEEPS_NOTHING = `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, {
  configurable: true,
  get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
})`;
/** As Chromium does when a page has kept 5 MB. */
const IS_FULL = `Storage.prototype.setItem = () => {
  throw new DOMException('Setting the value exceeded the quota.', 'QuotaExceededError');
}`;

describe.skipIf(CHROMIUM === undefined)('a trade that fails', () => {
  const place = usePlace(ENV);
  let page: Page;
  let id: string;
  let trader: TradingClient;

  beforeAll(async () => {
    ({ id } = await place.sandbox.newMarket('Does the seller have it?'));
    await place.sandbox.quote(id, [{ side: 'sell', price: '55c', size: '10' }], 'a seller without anything');
    const visitor = new Visitor(place);
    trader = await visitor.bringWallet();
    ({ page } = await visitor.open(`/m/${id}`));
    await seeLiveBook(page);
    expect(await textOf(page, 'thin')).toBe('thin market');
  });

  it('is shown with its reason and the party at fault, and costs the innocent side nothing', async () => {
    await page.getByTestId('ask-0').click();
    await page.getByTestId('unit').click();
    await page.getByTestId('size').fill('10');
    await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    await page.getByTestId('submit').click();
    await page.locator('[data-testid=order-life][data-stage=failed]').waitFor(TIMEOUT);
    const life = await textOf(page, 'order-life');
    expect(life).toMatch(/Failed\. .*seller.*\(fault of the seller\)\. No money moved/);
    expect(life).toContain('rests on the book again');
    await page.getByTestId('own').filter({ hasText: '10 yours' }).waitFor(TIMEOUT);
    await page.getByTestId('tab-orders').click();
    await page.getByTestId('open-orders').getByText('55.0¢').waitFor(TIMEOUT);
  });

  it('is offered for cancelling, and a cancel without an answer keeps no other order from being cancelled', async () => {
    await trader.placeOrder({ marketId: id, side: 'buy', price: '20c', size: '1' });
    await openScreen(page, '/portfolio');
    await page.getByTestId('tab-orders').click();
    const cancel = (price: string) => page.getByRole('button', { name: `Cancel Buy YES at ${price}` });
    await cancel('20.0¢').waitFor(TIMEOUT);
    // Never answered.
    await page.route(/\/api\/v1\/orders\/0x/, () => undefined, { times: 1 });
    await cancel('55.0¢').click();
    await cancel('20.0¢').click();
    await cancel('20.0¢').waitFor({ ...TIMEOUT, state: 'detached' });
    expect(await cancel('55.0¢').count()).toBe(1);
  });

  it('of a screen whose script is gone leaves the page, which can be loaded anew', async () => {
    const { page: old, close } = await place.browser.visit(place.sandbox.url);
    await old.route('**/assets/lazy-screens-*', (route) => route.fulfill({ status: 404, body: '{}' }));
    await old.getByRole('link', { name: 'Proof' }).click();
    const failed = old.getByRole('alert').filter({ hasText: 'This screen could not be read' });
    await failed.waitFor(TIMEOUT);
    await old.getByTestId('wallet').waitFor(TIMEOUT);
    await old.getByTestId('open-sandbox').click();
    await old.getByRole('alert').filter({ hasText: 'The sandbox could not be read' }).waitFor(TIMEOUT);
    await old.keyboard.press('Escape');
    await old.unrouteAll();
    await failed.getByRole('button', { name: 'Try again' }).click();
    await old.getByTestId('verify').waitFor(TIMEOUT);
    await close();
  });

  it.each([
    ['keeps nothing', KEEPS_NOTHING],
    ['has no room left', IS_FULL],
  ])('is not that the browser %s: the page, its demo wallet and its choices work', async (_why, script) => {
    const { page: strict, close } = await place.browser.visit('about:blank');
    await strict.addInitScript(script);
    await strict.goto(`${place.sandbox.url}/m/${id}`);
    await strict.locator('[data-testid=conn][data-state=live]').waitFor(TIMEOUT);
    await startDemoWallet(strict);
    const theme = () => strict.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await strict.getByTestId('theme').click();
    expect(await theme()).not.toBe(before);
    await close();
  });

  it("is listed on the operator's screen", async () => {
    await page.getByRole('link', { name: 'Operator' }).click();
    const failed = page.getByTestId('failed-trades').getByRole('listitem');
    await failed.filter({ hasText: '10 YES at 55.0¢' }).waitFor(TIMEOUT);
    expect(await failed.innerText()).toMatch(/Fault: seller\. No money moved: the seller’s order was cancelled/);
  });
});
