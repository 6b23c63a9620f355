// A lane as its service sees it, with a process of its own: given connections only while that process is there.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RUNNER, SILENT_LOG, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { Lane, type LaneOptions } from '../../src/lanes/lane.ts';

/** How long the service looks at nothing: the word of a process and its end are then seen in the same turn. */
const BUSY_MS = 300;
const ENDS = 4;

/** Ends by itself, as a lane does. */
const LANE_PROCESS = fileURLToPath(new URL('./lane-process.ts', import.meta.url));

type Extras = Pick<LaneOptions, 'log' | 'program'> & Partial<LaneOptions>;

function startLane(extras: Extras): Lane {
  const lane = new Lane({ index: 1, environment: process.env, onChange: () => undefined, ...extras });
  onTestFinished(() => lane.close(5_000));
  lane.start();
  return lane;
}

async function openLane(program: string, extras: Extras): Promise<Lane> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-lane-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'program.mjs');
  await writeFile(script, program);
  return startLane({ program: [script], ...extras });
}

/** The address of a service that has this lane alone. */
async function openDoor(lane: Lane, onHanded: () => void = () => undefined): Promise<string> {
  const door = createServer({ pauseOnConnect: true }, (socket) => {
    lane.hand(socket);
    onHanded();
  });
  onTestFinished(() => void door.close());
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
}

/** The process id of the lane that answers. */
async function ask(url: string): Promise<number> {
  return Number(await (await fetch(url, { headers: { connection: 'close' } })).text());
}

it('is killed and started again when it takes none of its connections, which break', async () => {
  const program = "process.on('message', (word) => word === 'end' && process.exit()); process.send('ready');";
  const lane = await openLane(program, { log: SILENT_LOG, patienceMs: 200 });
  const url = await openDoor(lane);
  await waitFor('it is ready', () => lane.hasRoom);
  const client = connect(Number(new URL(url).port), '127.0.0.1');
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

it('answers what it was given before it ends, although it is signalled and told to end at the same time', async () => {
  const lane = startLane({ log: SILENT_LOG, program: [RUNNER, LANE_PROCESS] });
  const url = await openDoor(lane);
  await waitFor('it is ready', () => lane.hasRoom);
  const pid = await ask(url);
  const asked = Promise.all([ask(url), ask(url)]);
  await sleep(100);
  // A terminal and systemd signal the service and its lanes.
  process.kill(pid, 'SIGTERM');
  await sleep(100);
  process.kill(pid, 'SIGINT');
  await lane.close(5_000);
  expect(await asked).toEqual([pid, pid]);
});

it('takes connections that were handed to it just before it was told to end', async () => {
  const lane = startLane({ log: SILENT_LOG, program: [RUNNER, LANE_PROCESS] });
  let closing: Promise<void> | undefined;
  const url = await openDoor(lane, () => {
    closing ??= lane.close(5_000);
  });
  await waitFor('it is ready', () => lane.hasRoom);
  expect(await ask(url)).toBeGreaterThan(0);
  await closing;
});

it('is given no more connections when it begins to end by itself, and is started again', async () => {
  const lane = startLane({ log: SILENT_LOG, program: [RUNNER, LANE_PROCESS] });
  const url = await openDoor(lane);
  await waitFor('it is ready', () => lane.hasRoom);
  const pid = await ask(url);
  const asked = ask(url);
  await sleep(100);
  process.kill(pid, 'SIGTERM');
  await waitFor('it has no room', () => !lane.hasRoom);
  expect(lane.restarts).toBe(0);
  expect(await asked).toBe(pid);
  await waitFor('it is started again', () => lane.restarts === 1 && lane.hasRoom);
});

it.each([
  // The system refuses a variable of this length when it is asked to start the process.
  ['refuses at once', process.execPath, 'x'.repeat(200_000)],
  ['refuses a moment later', '/nowhere/node', ''],
])('is tried again, and can be closed, when the system %s to start its process', async (_, execPath, long) => {
  const own = process.execPath;
  onTestFinished(() => {
    process.execPath = own;
  });
  process.execPath = execPath;
  const warnings: unknown[] = [];
  const log = { ...SILENT_LOG, warn: (about: unknown) => void warnings.push(about) };
  const program = [RUNNER, LANE_PROCESS] as const;
  const lane = startLane({ log, program, environment: { ...process.env, LONG: long } });
  await waitFor('it is tried again', () => lane.restarts >= 2, { timeoutMs: 10_000 });
  expect(lane.hasRoom).toBe(false);
  expect(warnings[0]).toMatchObject({ lane: 1, error: expect.stringMatching(/E2BIG|ENOENT/) });
  await lane.close(1_000);
});
