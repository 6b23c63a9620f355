// A process that was paused: after a short pause everybody is answered, after a long one a crowd is turned away in part.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
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

const PATH = '/api/v1/quick-markets/BTC/price';

async function ask(): Promise<number> {
  return (await fetch(fixture.url + PATH)).status;
}

/** Writes at once, unlike fetch: a crowd has asked before the pause begins. */
async function askOver(socket: Socket): Promise<number> {
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const [answer]: string[] = await once(socket, 'data');
  return Number(answer?.slice('HTTP/1.1 '.length).slice(0, 3));
}

/** Connections that the service has accepted. */
function openCrowd(size: number): Promise<Socket[]> {
  const { hostname, port } = new URL(fixture.url);
  return Promise.all(
    Array.from({ length: size }, async () => {
      const socket = connect(Number(port), hostname).setEncoding('latin1');
      await askOver(socket);
      return socket;
    }),
  );
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
    const crowd = await openCrowd(200);
    const waiting = Promise.all(crowd.map(askOver));
    pause(2_600);
    expect(new Set(await waiting)).toEqual(new Set([200, 503]));
    for (const socket of crowd) socket.destroy();
    await waitFor('questions are answered', async () => (await ask()) === 200);
  });
});
