// Time to rebuild two engines from a journal of a million events, without a checkpoint.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '@presage/engine';
import { FileJournal, visitRecords } from '@presage/journal';
import { decodeRecord, type EngineEvent, encodeRecord, isEngineEvent, isJournalled } from '@presage/protocol';
import { marketFacts } from '@presage/testkit';
import { makeFlow, toCommands } from './engine-flow.ts';
import type { Measurement } from './measurement.ts';

const EVENTS = 1_000_000;
/** Records per frame in a busy service. */
const FRAME_RECORDS = 500;
const START_MS = 1_900_000_000_000;

export async function measure(): Promise<Measurement> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-bench-'));
  try {
    await writeHistory(dir);
    const startMs = performance.now();
    const cpu = process.cpuUsage();
    const open = await replay(dir);
    const seconds = (performance.now() - startMs) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    const conditions = `opened, every frame checked and decoded, applied to an engine and copied to the other, ${open.toLocaleString('en')} orders open at the end; ${((user + system) / 1e6).toFixed(1)} s of processor time`;
    return { key: 'recovery.events', value: seconds, conditions };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function writeHistory(dir: string): Promise<void> {
  const journal = await FileJournal.open({ dir, partition: 'm0' });
  const engine = new Engine();
  let waiting: EngineEvent[] = [];
  const write = async () => {
    await journal.append(waiting.map(encodeRecord), START_MS);
    waiting = [];
  };
  const note = (command: Parameters<Engine['apply']>[0]) => {
    for (const output of engine.apply(command)) if (isJournalled(output)) waiting.push(output);
  };
  note({ type: 'list-market', timeMs: START_MS, market: marketFacts() });
  // Four operations in ten cancel: about one event per operation, and a book that stays small.
  const flow = makeFlow({ seed: 5, operations: EVENTS, cancels: 0.45, overlap: 11 });
  for (const command of toCommands(flow, START_MS)) {
    note(command);
    if (waiting.length >= FRAME_RECORDS) await write();
    if (journal.lastSeq >= EVENTS) break;
  }
  if (waiting.length > 0) await write();
  await journal.close();
}

/** Recovers as the host does: opening checks the last segment, reading checks every frame, and the second engine is a copy. */
async function replay(dir: string): Promise<number> {
  const journal = await FileJournal.open({ dir, partition: 'm0', verify: 'tail' });
  const engine = new Engine({ ordersAhead: EVENTS / 2 });
  for await (const frame of journal.readWhole(1)) {
    visitRecords(frame, (bytes, seq, start, end) => {
      if (engine.evolveBytes(bytes, seq, start, end)) return;
      const record = decodeRecord(bytes.subarray(start, end));
      if (isEngineEvent(record)) engine.evolve(record, seq);
    });
  }
  await journal.close();
  return engine.copy().size().openOrders;
}
