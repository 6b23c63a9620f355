// When the view's statistics are renewed: as its tables grow, and not because a service starts.
import type { JournalRecord } from '@presage/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import { Projector, type ViewTarget } from '../../src/projections/projector.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const fixture = new ViewFixture();

afterEach(() => fixture.close());

/** Tables that only count. */
class CountingTarget implements ViewTarget {
  analyses = 0;
  readonly #cursor: number;
  readonly #wasAnalyzed: boolean;

  constructor(cursor: number, wasAnalyzed: boolean) {
    this.#cursor = cursor;
    this.#wasAnalyzed = wasAnalyzed;
  }

  readonly open = async () => this.#cursor;
  readonly prepare = async () => async () => undefined;
  readonly complete = async () => undefined;
  readonly isAnalyzed = async () => this.#wasAnalyzed || this.analyses > 0;

  async analyze(): Promise<void> {
    this.analyses++;
  }
}

function* switches(count: number): Generator<JournalRecord[]> {
  for (let left = count; left > 0; left--) yield [{ type: 'maker-set', timeMs: 0, running: true }];
}

/** Returns how often the statistics were renewed. */
async function follow(log: PartitionLog, target: CountingTarget, more: number): Promise<number> {
  const onTrouble = (error: unknown) => console.error(error);
  const projector = new Projector({ source: log, target, onTrouble });
  await projector.start();
  await appendAll(log, switches(more));
  expect(await projector.waitFor(log.lastSeq, 60_000)).toBe(true);
  await projector.close();
  return target.analyses;
}

async function openLog(records: number): Promise<PartitionLog> {
  const log = await fixture.openLog();
  await appendAll(log, switches(records));
  return log;
}

describe('the statistics of the view', () => {
  it('are made once the tables were built', async () => {
    expect(await follow(await openLog(5_000), new CountingTarget(0, false), 0)).toBe(1);
  });

  it('are not made again by a start while they are good enough', async () => {
    expect(await follow(await openLog(5_000), new CountingTarget(4_990, true), 5)).toBe(0);
  });

  it('are made by a start if an earlier one ended before it made them', async () => {
    expect(await follow(await openLog(5_000), new CountingTarget(4_990, false), 5)).toBe(1);
  });

  it('are renewed when the sequence has doubled since, also if a start came between', async () => {
    expect(await follow(await openLog(8_100), new CountingTarget(8_090, true), 200)).toBe(1);
  });
});
