// Two people in two browsers: they trade with each other, see each other's fills at once, one wins and redeems.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { money } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { nameOwnPrice, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

const MARKET_SECONDS = 3_600;
const DISPUTE_SECONDS = 7_200;
/** The keeper gives others half a minute after the window. */
const KEEPER_SECONDS = 31;

/** Both have money and a past by now: what counts is what they gain and lose here. */
export function testTwoPeople(place: Place, first: Visitor, second: Visitor): void {
  describe('two people in two browsers', () => {
    let visits: Visit[];
    let alice: Page;
    let bob: Page;
    let marketId: string;
    let addresses: { alice: string; bob: string };
    /** What the browsers had complained of before. */
    let past: number[];
    let before: { alice: bigint; bob: bigint };

    beforeAll(async () => {
      marketId = (await place.sandbox.newMarket('Do Alice and Bob see the same?', MARKET_SECONDS)).id;
      visits = [await first.open(`/m/${marketId}`), await second.open(`/m/${marketId}`)];
      [alice, bob] = visits.map(({ page }) => page) as [Page, Page];
      past = visits.map(({ complaints }) => complaints.length);
      addresses = { alice: await first.openWallet(alice), bob: await second.openWallet(bob) };
      before = { alice: await available('alice'), bob: await available('bob') };
    });
    // Nobody comes back to them, and an open page goes on reading.
    afterAll(() => Promise.all((visits ?? []).map(({ close }) => close())));

    const available = async (name: keyof typeof addresses) => {
      const chain_id = (await place.sandbox.reader.getConfig()).chains[0]!.chainId;
      return BigInt((await place.sandbox.reader.getBalances(addresses[name], { chain_id })).available);
    };
    const seePurse = (page: Page, amount: bigint) =>
      page
        .getByTestId('wallet')
        .filter({ hasText: money(amount) })
        .waitFor(TIMEOUT);
    /** From the press in one browser to the sight of it in the other, which is printed and never asserted. */
    const timed = async (what: string, press: () => Promise<void>, seen: () => Promise<unknown>) => {
      const startMs = performance.now();
      await press();
      await seen();
      console.log(`${what}: ${Math.round(performance.now() - startMs)} ms`);
    };
    const ready = (page: Page) => page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    const press = (page: Page) => page.getByTestId('submit').click();
    const side = (page: Page, name: 'Buy' | 'Sell') =>
      page.getByTestId('ticket').getByText(name, { exact: true }).click();

    it('are two wallets', () => {
      expect(addresses.alice).not.toBe(addresses.bob);
    });

    it("see each other's offers in the book", async () => {
      await nameOwnPrice(alice, '40');
      await alice.getByTestId('unit').click();
      await alice.getByTestId('size').fill('100');
      await ready(alice);
      const offered = () => bob.getByTestId('bid-0').filter({ hasText: '40.0' }).waitFor(TIMEOUT);
      await timed("Alice's offer in Bob's book", () => press(alice), offered);
    });

    it("see each other's fills: in the tape, as a message to the one who waited, and as shares", async () => {
      await side(bob, 'Sell');
      await bob.getByTestId('size').fill('60');
      await ready(bob);
      // Bob has no shares: he pays for the pair and keeps the other side.
      expect(await textOf(bob, 'submit')).toBe('Sell 60 YES short for at most $36.30');
      const filled = () =>
        Promise.all([
          alice.getByTestId('tape').getByText('YES 40.0¢').waitFor(TIMEOUT),
          alice.getByTestId('toast').filter({ hasText: 'Bought 60 YES' }).first().waitFor(TIMEOUT),
        ]);
      await timed("Bob's sale in Alice's tape and messages", () => press(bob), filled);
      await alice.getByTestId('position-YES').filter({ hasText: '60' }).waitFor(TIMEOUT);
      await bob.getByTestId('position-NO').filter({ hasText: '60' }).waitFor(TIMEOUT);
      await alice.getByTestId('own').filter({ hasText: '40 yours' }).waitFor(TIMEOUT);
    });

    it('do so in the other direction too', async () => {
      await nameOwnPrice(bob, '45');
      await bob.getByTestId('size').fill('20');
      await ready(bob);
      const offered = () => alice.getByTestId('ask-0').filter({ hasText: '45.0' }).waitFor(TIMEOUT);
      await timed("Bob's offer in Alice's book", () => press(bob), offered);
      await alice.getByTestId('ask-0').click();
      await alice.getByTestId('size').fill('20');
      await ready(alice);
      const filled = () =>
        Promise.all([
          bob.getByTestId('tape').getByText('YES 45.0¢').waitFor(TIMEOUT),
          bob.getByTestId('toast').filter({ hasText: 'Sold 20 YES' }).first().waitFor(TIMEOUT),
        ]);
      await timed("Alice's purchase in Bob's tape and messages", () => press(alice), filled);
      await alice.getByTestId('position-YES').filter({ hasText: '80' }).waitFor(TIMEOUT);
      await bob.getByTestId('position-NO').filter({ hasText: '80' }).waitFor(TIMEOUT);
    });

    it('hold what the service says they hold', async () => {
      const settled = async (name: keyof typeof addresses) => {
        const { yesShares, noShares } = await place.sandbox.reader.getPosition(marketId, addresses[name]);
        return [Number(yesShares), Number(noShares)];
      };
      await expect.poll(() => settled('alice'), { timeout: 120_000 }).toEqual([80_000_000, 0]);
      await expect.poll(() => settled('bob'), { timeout: 120_000 }).toEqual([0, 80_000_000]);
    });

    it('learn who won, and the winner redeems', async () => {
      await place.sandbox.controls.advanceTime(MARKET_SECONDS);
      await place.sandbox.client('proposer').proposeResolution(marketId, 'YES');
      await place.sandbox.controls.advanceTime(DISPUTE_SECONDS + KEEPER_SECONDS);
      // The keeper settles what nobody disputed.
      const decided = { timeout: 120_000 };
      await alice.getByText('You picked YES, and YES won').waitFor(decided);
      await bob.getByText('YES won. Your 80 NO pay nothing.').waitFor(decided);
      expect(await bob.getByTestId('redeem').count()).toBe(0);
      // 60 at 40¢ and 20 at 45¢.
      expect(await textOf(alice, 'claim-profit')).toBe('+$47.00');
      expect(await textOf(bob, 'claim-profit')).toBe('−$47.00');
      await alice.getByTestId('redeem').filter({ hasText: 'Redeem $80.00' }).click();
      await alice.getByTestId('toast').filter({ hasText: '$80.00 paid out' }).waitFor(TIMEOUT);
      await seePurse(alice, before.alice + 47_000_000n);
      await seePurse(bob, before.bob - 47_000_000n);
    });

    it('saw no error in the browser console', () => {
      expect(visits.flatMap(({ complaints }, index) => complaints.slice(past[index]))).toEqual([]);
    });
  });
}
