// A lane as its service sees it, with a process of its own: given connections only while that process is there.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { Lane, type LaneOptions } from '../../src/lanes/lane.ts';

/** How long the service looks at nothing: the word of a process and its end are then seen in the same turn. */
const BUSY_MS = 300;
const ENDS = 4;

async function openLane(program: string, extras: Pick<LaneOptions, 'log' | 'patienceMs'>): Promise<Lane> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-lane-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'program.mjs');
  await writeFile(script, program);
  const place = { index: 1, environment: process.env, program: [script] as const, onChange: () => undefined };
  const lane = new Lane({ ...place, ...extras });
  onTestFinished(() => lane.close(5_000));
  lane.start();
  return lane;
}

it('is killed and started again when it takes none of its connections, which break', async () => {
  const lane = await openLane("process.on('message', () => {}); process.send('ready');", {
    log: SILENT_LOG,
    patienceMs: 200,
  });
  const door = createServer({ pauseOnConnect: true }, (socket) => lane.hand(socket));
  onTestFinished(() => void door.close());
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  await waitFor('it is ready', () => lane.hasRoom);
  const client = connect((door.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) =>
    client
      .once('close', resolve)
      .on('error', () => undefined)
      .resume(),
  );
  await waitFor('it is started again', () => lane.restarts === 1 && lane.hasRoom);
});

it('takes no connections after its process ended, although it said just before that it is ready', async () => {
  let ends = 0;
  const log = { ...SILENT_LOG, warn: () => void ends++ };
  const lane = await openLane("process.send('ready', () => process.kill(process.pid, 'SIGKILL'));", { log });
  for (let end = 1; end <= ENDS; end++) {
    await waitFor('it ended', () => {
      const untilMs = performance.now() + BUSY_MS;
      while (performance.now() < untilMs);
      return ends >= end;
    });
    expect(lane.hasRoom).toBe(false);
    expect(lane.isReady).toBe(false);
  }
});
