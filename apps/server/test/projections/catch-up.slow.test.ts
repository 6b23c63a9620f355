// A view that is rebuilt from a long journal: the same rows as a naive computation gives, and how fast it went.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { afterAll, expect, it } from 'vitest';
import { PlayedHistory } from './played-history.ts';
import { expectSameView } from './same-view.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const ORDERS = isLongRun ? 100_000 : 1_500;

const fixture = new ViewFixture();

afterAll(() => fixture.close());

it('catches up with a long journal', async () => {
  const played = new PlayedHistory({
    seed: seedFromEnv(51),
    orders: ORDERS,
    wallets: 200,
    markets: 20,
    failures: 0.01,
    syncs: 0.01,
  });
  const log = await fixture.openLog();
  await appendAll(log, played.play());
  const { sql } = await fixture.openStore();
  const projector = fixture.openProjector({ source: log, sql });
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  await projector.start();
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(startCpu);
  const rate = Math.round(log.lastSeq / seconds);
  const cost = ((user + system) / log.lastSeq).toFixed(1);
  console.log(
    `${log.lastSeq} records in ${seconds.toFixed(1)} s: ${rate} records/s, ${cost} us of this process a record`,
  );
  expect(projector.cursor).toBe(log.lastSeq);
  await expectSameView(sql, played);
});
