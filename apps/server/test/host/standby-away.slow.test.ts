// The journal's PostgreSQL loses its synchronous standby: it is said, and writes wait or continue as the operator chose.
import { PostgresJournal } from '@presage/journal';
import { PostgresPair, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

let pair: PostgresPair;
beforeAll(async () => {
  pair = await PostgresPair.open();
});
afterAll(() => pair?.close());

const record = (text: string): Uint8Array => new TextEncoder().encode(text);

async function openNode(standbyAway: 'wait' | 'alone', partition: string) {
  const said: string[] = [];
  const seen: boolean[] = [];
  const { database, close } = await openJournalDatabase(pair.url, {
    standbyAway,
    onWarning: (message) => said.push(message),
    onStandby: (isAway) => seen.push(isAway),
  });
  onTestFinished(close);
  const journal = await PostgresJournal.open({ database, partition, address: 'a node', leaseMs: 60_000 });
  return { journal, said, seen };
}

/** Puts the pair back together for the next test. */
async function loseStandby(): Promise<() => Promise<void>> {
  await pair.standby.stop();
  const bringBack = async () => {
    if (!pair.standby.isRunning) await pair.standby.start();
  };
  onTestFinished(bringBack);
  return bringBack;
}

describe('a synchronous standby that is away', () => {
  it('is said, and what is written waits for it', async () => {
    const { journal, said, seen } = await openNode('wait', 'm0');
    await journal.append([record('before')], 1);
    const bringBack = await loseStandby();
    let isWritten = false;
    const writing = journal.append([record('meanwhile')], 2).then(() => {
      isWritten = true;
    });
    await waitFor('it is noticed', () => seen.includes(true));
    expect(said.join()).toContain('nothing can be written until it is back');
    expect(isWritten).toBe(false);
    await bringBack();
    await writing;
    expect(journal.lastSeq).toBe(2);
    await waitFor('its return is said', () => seen.at(-1) === false);
  });

  it('is not waited for where the operator chose so, and nothing is written twice', async () => {
    const { journal, said, seen } = await openNode('alone', 'm1');
    await journal.append([record('before')], 1);
    const bringBack = await loseStandby();
    // This one waits already when the choice is carried out.
    await journal.append([record('meanwhile')], 2);
    expect(said.join()).toContain('the journal is written without its standby');
    await journal.append([record('alone')], 3);
    await bringBack();
    await waitFor('its return is said', () => seen.at(-1) === false);
    await journal.append([record('after')], 4);
    const texts: string[] = [];
    for await (const { records } of journal.read(1))
      texts.push(...records.map((bytes) => Buffer.from(bytes).toString()));
    expect(texts).toEqual(['before', 'meanwhile', 'alone', 'after']);
  });
});
