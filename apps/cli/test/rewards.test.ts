// Rewards are counted in the partition that lists the market, whichever others have frames.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '@presage/engine';
import { FileJournal, GroupCommit } from '@presage/journal';
import { type EngineCommand, encodeRecord, isJournalled } from '@presage/protocol';
import { createOrderBuilders, ManualClock, marketFacts, TEST_MARKET } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

const HOUR_MS = 3_600_000;

/** The journal of an exchange with several partitions, of which only m0 and m3 have frames: m3 has the market. */
async function writeJournal(): Promise<{ root: string; fromMs: number }> {
  const root = await mkdtemp(join(tmpdir(), 'presage-rewards-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [clock, engine] = [new ManualClock(), new Engine()];
  const [fromMs, traders] = [clock.nowMs, createOrderBuilders(clock)];
  const open = async (partition: string) => {
    const journal = await FileJournal.open({ dir: join(root, 'journal', partition), partition });
    onTestFinished(() => journal.close());
    return new GroupCommit({ journal, now: () => clock.nowMs });
  };
  const [other, markets] = [await open('m0'), await open('m3')];
  const play = (command: EngineCommand) =>
    markets.push(
      engine
        .apply({ ...command, timeMs: clock.nowMs })
        .filter(isJournalled)
        .map(encodeRecord),
    );
  await play({ type: 'list-market', timeMs: clock.nowMs, market: marketFacts() });
  await play(traders.aliceBuysYes({ price: '0.48', size: '100' }));
  await play(traders.bobSellsYes({ price: '0.52', size: '100' }));
  clock.advanceMs(HOUR_MS);
  const noted = { type: 'heartbeat-set', timeMs: clock.nowMs, trader: marketFacts().maker, lapseMs: 1 } as const;
  await other.push([encodeRecord(noted)]);
  await play(traders.carolBuysYes({ price: '0.10', size: '1' }));
  return { root, fromMs };
}

it('counts them where partitions without a frame are missing, and refuses a market that is nowhere', async () => {
  const { root, fromMs } = await writeJournal();
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const from = Math.floor(fromMs / 1_000);
  const range = ['--from', String(from), '--to', String(from + 3_600), '--spread', '3c', '--min-size', '10'];
  const count = (marketId: string) => {
    const args = ['rewards', '--market', marketId, ...range, '--pool', '100', '--data-dir', root, '--json'];
    return runCommand(args, { env: {}, stdout: sink, stderr: sink });
  };
  expect([await count(TEST_MARKET), said.join('')]).toEqual([0, expect.stringContaining('"final":true')]);
  expect(JSON.parse(said.join(''))).toMatchObject({ epochs: [{ paid: 100_000_000, rewards: [{}, {}] }] });
  expect(await count(`0x${'99'.repeat(32)}`)).toBe(EXIT_CODES.usage.code);
});
