// A process that was paused: after a short pause everybody is answered, after a long one a crowd is turned away in part.
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PriceStreamFixture } from '../prices/price-stream-fixture.ts';

let fixture: PriceStreamFixture;

beforeEach(async () => {
  fixture = await PriceStreamFixture.open();
  fixture.publish();
});
afterEach(() => fixture.close());

/** Nothing else runs in this process meanwhile. */
function pause(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

async function ask(): Promise<number> {
  return (await fetch(`${fixture.url}/api/v1/quick-markets/BTC/price`)).status;
}

describe('after a pause', () => {
  it.each([300, 1_200])('of %i ms requests are answered', async (milliseconds) => {
    // A busy machine makes some pauses longer than they were meant; one that refuses after such a pause refuses every time.
    await waitFor('a request right after the pause is answered', async () => {
      pause(milliseconds);
      return (await ask()) === 200;
    });
  });

  it('of more than two seconds a few waiting requests are answered', async () => {
    const waiting = Promise.all([ask(), ask(), ask()]);
    pause(2_600);
    expect(await waiting).toEqual([200, 200, 200]);
  });

  it('of more than two seconds of a crowd not all are answered, and later requests are answered again', async () => {
    const waiting = Promise.all(Array.from({ length: 400 }, ask));
    pause(2_600);
    expect(new Set(await waiting)).toEqual(new Set([200, 503]));
    await waitFor('questions are answered', async () => (await ask()) === 200);
  });
});
