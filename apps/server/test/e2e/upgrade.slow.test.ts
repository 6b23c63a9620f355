// An upgrade and the way back, as docs/compatibility.md describes them: backup, start, a journal that a newer version has written to, restore.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FileJournal, GroupCommit } from '@presage/journal';
import { RECORD_VERSION } from '@presage/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { keptRelease, tradersOf, unpack } from './kept-folders.ts';
import type { MarketBody } from './wire.ts';

const PRESAGE = fileURLToPath(new URL('../../../cli/bin/presage.mjs', import.meta.url));
const release = keptRelease('0.1.0');
const { ann, ben } = tradersOf(release);
const run = promisify(execFile);

async function presage(...words: string[]): Promise<string> {
  return (await run(process.execPath, [PRESAGE, ...words])).stdout;
}

async function findMarket({ client }: Exchange): Promise<MarketBody> {
  const { markets } = await client.read<{ markets: MarketBody[] }>('/api/v1/markets?kind=standard');
  return markets.find(({ question }) => question.includes(release.question))!;
}

/** A frame as a newer program would write it. */
async function appendNewerRecord(dataDir: string): Promise<void> {
  const dir = join(dataDir, 'service', 'journal', 'm0');
  const journal = await FileJournal.open({ dir, partition: 'm0' });
  const record = { v: RECORD_VERSION + 1, type: 'of-the-future', timeMs: Date.now() };
  await new GroupCommit({ journal, now: Date.now }).push([Buffer.from(JSON.stringify(record))]);
  await journal.close();
}

async function digestOf(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true });
  const hash = createHash('sha256');
  for (const name of names.filter((each) => each.endsWith('.frames')).sort())
    hash.update(name).update(await readFile(join(dir, name)));
  return hash.digest('hex');
}

describe('a service that is upgraded', () => {
  let dataDir: string;
  let backup: string;

  beforeAll(async () => {
    dataDir = await unpack(release.name);
    backup = join(await mkdtemp(join(tmpdir(), 'presage-upgrade-')), 'backup');
    await presage('backup', backup, '--data-dir', dataDir);
  });
  afterAll(async () => {
    for (const dir of [dataDir, join(backup, '..')]) await rm(dir, { recursive: true, force: true });
  });

  it('goes on with the folder of the previous version, without a migration', async () => {
    const exchange = await Exchange.open({ dataDir, env: { PRESAGE_DEMO: 'off' } });
    const market = await findMarket(exchange);
    await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.4', size: '1', nonce: 7n });
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }, { status: 'confirmed' }]);
    await exchange.sandbox.stop();
  });

  it('refuses to start on records of a newer version, says what to do, and leaves the journal as it is', async () => {
    await appendNewerRecord(dataDir);
    const journal = join(dataDir, 'service', 'journal');
    const before = await digestOf(journal);
    const said = `a record of version ${RECORD_VERSION + 1} was written by a newer program: this one reads up to version ${RECORD_VERSION}. Start the newer version again, or restore a backup`;
    await expect(Exchange.open({ dataDir, env: { PRESAGE_DEMO: 'off' } })).rejects.toThrow(said);
    expect(await digestOf(journal)).toBe(before);
  });

  it('returns with the backup from before the upgrade, and trades', async () => {
    const restored = join(backup, '..', 'restored');
    await presage('restore', backup, '--data-dir', restored);
    const exchange = await Exchange.open({ dataDir: restored, env: { PRESAGE_DEMO: 'off' } });
    try {
      const market = await findMarket(exchange);
      expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
      await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.4', size: '3', nonce: 7n });
      await exchange.settled();
      expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 5_000_000n, no: 0n });
      expect((await exchange.sharesBothWays(market, ann)).reported).toEqual({ yes: 0n, no: 5_000_000n });
    } finally {
      await exchange.close();
    }
  });
});
