// A process that was paused: after a short pause everybody is answered, after a long one a crowd is turned away in part.
import { sleep } from '@presage/runtime';
import { waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/api/http/request.ts';
import { type OrderGate, shedLoad } from '../../src/api/load-shedding.ts';
import { PriceStreamFixture } from '../prices/price-stream-fixture.ts';

const CROWD = 400;

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
    const gate = { isFlooded: false, look: () => undefined } as unknown as OrderGate;
    const { check, close } = shedLoad(gate, () => undefined);
    /** How many of a crowd are answered that comes in one turn of the event loop, as after a pause. */
    const countAnswered = () => Array.from({ length: CROWD }, () => isAnswered(check)).filter(Boolean).length;
    try {
      pause(2_600);
      await sleep(0);
      expect(countAnswered()).toBe(64);
      await waitFor('all of a crowd are answered', async () => countAnswered() === CROWD);
    } finally {
      close();
    }
  });
});

function isAnswered(check: ReturnType<typeof shedLoad>['check']): boolean {
  try {
    check({ route: undefined } as HttpRequest);
    return true;
  } catch {
    return false;
  }
}
