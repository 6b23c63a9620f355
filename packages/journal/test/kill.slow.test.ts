// A writing process is killed again and again: nothing that it had acknowledged is lost, and nothing is out of order.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment, isLongRun, RUNNER, SeededRandom, seedFromEnv } from '@presage/testkit';
import { expect, test } from 'vitest';
import { FileJournal, verifyJournal } from '../src/index.ts';
import { readTexts, temporaryDir } from './journal-contents.ts';

const KILLS = isLongRun ? 50 : 6;
const SEED = seedFromEnv(20_261);
const WRITER = fileURLToPath(new URL('./writer-process.ts', import.meta.url));

/** Lets a writer run until it has acknowledged that many records, kills it, and returns every line it had printed. */
async function writeAndKill(dir: string, run: number, acknowledgements: number): Promise<string[]> {
  const child = spawn(process.execPath, [RUNNER, WRITER, dir, String(run)], {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  let lines = 0;
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('latin1');
    for (const byte of chunk) lines += byte === 0x0a ? 1 : 0;
    if (lines > acknowledgements) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  expect({ signal, complaints }).toEqual({ signal: 'SIGKILL', complaints: '' });
  return printed.split('\n').slice(0, -1);
}

test(`nothing acknowledged is lost in ${KILLS} kills of a writing process (seed ${SEED})`, async () => {
  const dir = join(await temporaryDir(), 'm0');
  const random = new SeededRandom(SEED);
  let history: string[] = [];
  let torn = 0;
  let acknowledged = 0;
  for (let run = 0; run < KILLS; run++) {
    const [opened, ...acks] = await writeAndKill(dir, run, 1 + random.below(3000));
    expect(opened).toBe(`opened ${history.length}`);
    torn += (await verifyJournal(dir)).tornBytes > 0 ? 1 : 0;
    const journal = await FileJournal.open({ dir, partition: 'm0' });
    const records = (await readTexts(journal)).map((text) => text.replace(/\.+$/, ''));
    expect(records.slice(0, history.length)).toEqual(history);
    for (const ack of acks) {
      const [, seq, text] = /^(\d+) (.*)$/.exec(ack)!;
      expect(records[Number(seq) - 1], `acknowledged as ${seq} in run ${run}`).toBe(text);
    }
    acknowledged += acks.length;
    history = records;
    expect(journal.lastSeq).toBe(history.length);
    await journal.close();
  }
  console.log(`${KILLS} kills, ${acknowledged} acknowledged, ${history.length} in the journal, ${torn} torn tails`);
  expect(acknowledged).toBeGreaterThan(KILLS);
});
