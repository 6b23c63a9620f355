// Frames that the owner of a partition sends: followers need no database for them, believe only what follows, and a slow one is left to the database.
import { verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { FollowedJournal, type Frame, type JournalDatabase, PostgresFrames, PostgresJournal } from '@presage/journal';
import { fromHex, receiptText } from '@presage/protocol';
import { openPublicKey, openSigningKey } from '@presage/protocol/ed25519';
import {
  createOrderBuilders,
  ManualClock,
  MemoryJournal,
  MemoryStorage,
  marketFacts,
  SeededRandom,
  SILENT_LOG,
  seedFromEnv,
} from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EngineSeats } from '../../src/cluster/engine-seats.ts';
import { FollowedPartition } from '../../src/cluster/followed-partition.ts';
import type { LinkPeer } from '../../src/cluster/link-listener.ts';
import { decodeMessage } from '../../src/cluster/link-messages.ts';
import { openCluster } from '../../src/cluster/open.ts';
import { OwnedPartitions } from '../../src/cluster/owned-partitions.ts';
import { RemoteHost } from '../../src/cluster/remote-host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { Receipts } from '../../src/proof/receipts.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const SEED = seedFromEnv(5);
const clock = new ManualClock();
const nowMs = () => clock.nowMs;
const traders = createOrderBuilders(clock);
const KEY = '22'.repeat(32);
const onFatal = (error: unknown) => {
  throw error;
};
const onWarning = () => undefined;
let dataDir: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'presage-pushed-'));
  server = await EmbeddedPostgres.open({ dataDir });
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

type OpenDatabase = typeof openJournalDatabase;

async function joinAs(role: 'engine' | 'gateway', address: string, openDatabase: OpenDatabase = openJournalDatabase) {
  const cluster = { secret: 'the secret of a test', host: '127.0.0.1', port: 0 };
  const config = { roles: [role], cluster, journalUrl: server.url, leaseSeconds: 3 };
  const { signatureOf: sign, publicKey: receiptKey } = new Receipts(openSigningKey(KEY));
  const opened = await openCluster({ config, address, openDatabase, onWarning, sign, receiptKey });
  onTestFinished(() => opened.close());
  return opened;
}

/** A database that never has anything new: whoever asks it learns only that it has what was seen. */
const openStale: OpenDatabase = async (url) => {
  const { database, warnings, close } = await openJournalDatabase(url);
  const query: JournalDatabase['query'] = async <Row>(statement: string, parameters: readonly unknown[]) => {
    const rows = await database.query<Row>(statement, parameters);
    if (!statement.includes('then frame end as frame')) return rows;
    return rows.filter((row) => (row as { frame: unknown }).frame === null);
  };
  return { database: { query }, warnings, close };
};

describe('a follower', () => {
  it('shows what is answered without reading it from the database, and has its receipt signed by the owner', async () => {
    const engine = await joinAs('engine', 'http://pushing-engine');
    const seats = new EngineSeats({
      peers: engine,
      address: 'http://pushing-engine',
      leaseMs: 3_000,
      dataDir: join(dataDir, 'engine'),
      partitions: ['control', 'm0'],
      nowMs,
      onDecided: () => undefined,
      onControl: () => undefined,
      log: SILENT_LOG,
    });
    seats.start();
    onTestFinished(() => seats.close());
    const gateway = await joinAs('gateway', 'http://followed-gateway', openStale);
    const followed = await FollowedPartition.open({ partition: 'm0', owners: gateway, onFatal });
    onTestFinished(() => followed.close());
    const host = await RemoteHost.open({ log: followed.log, ask: gateway.ask, onStart: () => followed.start() });
    host.start();
    await host.submit({ type: 'list-market', market: marketFacts() });
    const sell = () => traders.aliceSellsYes({ price: '0.6', size: '1' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => host.run(sell())));
    expect(host.reads.openOrders({})).toHaveLength(20);
    const publicKey = openPublicKey(openSigningKey(KEY).publicKeyHex);
    for (const { frame, firstSeq } of answers) {
      expect(frame?.signature).toHaveLength(64);
      // A node with another key tells whose signature it is.
      const receipt = new Receipts(openSigningKey('33'.repeat(32))).receiptOf(frame!, firstSeq);
      expect(verify(null, Buffer.from(receiptText(receipt)), publicKey, fromHex(receipt.signature))).toBe(true);
    }
  });

  it('shows each frame once and in order, whatever it is sent: twice, late, early, forged, or while it asks the database', async () => {
    const random = new SeededRandom(SEED);
    const { database: inner, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    const owner = await PostgresJournal.open({ database: inner, partition: 'm5', address: 'owner', leaseMs: 60_000 });
    onTestFinished(() => owner.close());
    const frames: Frame[] = [];
    owner.subscribe((frame) => void frames.push(frame));
    const follower = await FollowedJournal.open(new PostgresFrames({ database: inner, partition: 'm5' }));
    const shown: number[] = [];
    follower.subscribe(({ firstSeq, lastSeq }) => void shown.push(firstSeq, lastSeq));
    for (let n = 0; n < 120; n++) {
      await owner.append([new Uint8Array([n]), new Uint8Array([n, n])], n);
      const newest = frames.at(-1)!;
      const asking = random.chance(0.2) ? follower.advance() : undefined;
      if (random.chance(0.2)) expect(follower.offer({ ...newest, previousHash: new Uint8Array(32) })).toBe(false);
      if (random.chance(0.2)) follower.offer(random.pick(frames));
      if (random.chance(0.6)) follower.offer(newest);
      await asking;
    }
    while ((await follower.advance()) !== 'none');
    expect(shown).toEqual(Array.from({ length: 240 }, (_, index) => index + 1));
    expect(follower.headHash).toBe(owner.headHash);
  });

  it('starts from an older checkpoint where the owner has written a newer one than the end that it has read', async () => {
    const { database, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    const owner = await PostgresJournal.open({ database, partition: 'm6', address: 'owner', leaseMs: 60_000 });
    onTestFinished(() => owner.close());
    const write = async (seq: number) => {
      await owner.append([new Uint8Array([seq])], seq);
      await owner.writeCheckpoint({ seq, stateHash: '00'.repeat(32), body: new Uint8Array([seq]) });
    };
    await write(1);
    const follower = await FollowedJournal.open(new PostgresFrames({ database, partition: 'm6' }));
    await write(2);
    expect((await follower.readCheckpoint()).checkpoint?.seq).toBe(1);
    await write(3);
    await write(4);
    // Only the newest ones are kept: then it starts from the beginning.
    expect((await follower.readCheckpoint()).checkpoint).toBeUndefined();
    while ((await follower.advance()) !== 'none');
    expect((await follower.readCheckpoint()).checkpoint?.seq).toBe(4);
  });
});

describe('an owner', () => {
  it('sends nothing to a follower that does not read, and tells it how far it is once it does', async () => {
    const log = await PartitionLog.open({
      journal: await MemoryJournal.open({ storage: new MemoryStorage('m0') }),
      nowMs,
      onFatal,
    });
    const owned = new OwnedPartitions();
    const follow = owned.handlers().get('follow')!;
    const [quick, slow, other] = [new Peer(), new Peer(), new Peer()];
    owned.add({ log });
    for (const peer of [quick, slow]) await follow({ partitions: ['m0'] } as never, peer);
    await follow({ partitions: ['m1'] } as never, other);
    const note = () => log.append([{ type: 'clock-offset-set', timeMs: 1, offsetSeconds: 0 }]);
    await note();
    slow.unread = 5 * 1024 * 1024;
    await note();
    await note();
    slow.unread = 0;
    await note();
    await note();
    expect(quick.topics).toEqual(['heads', 'frame', 'frame', 'frame', 'frame', 'frame']);
    expect(slow.topics).toEqual(['heads', 'frame', 'heads', 'frame']);
    expect(other.topics).toEqual(['heads']);
  });
});

/** The end of a link, with what it was told. */
class Peer implements LinkPeer {
  readonly node = 'http://peer';
  readonly topics: string[] = [];
  unread = 0;

  tell(news: Uint8Array): void {
    const message = decodeMessage(Buffer.from(news), () => undefined);
    if (message?.kind === 'news') this.topics.push(message.topic);
  }

  readonly backlogBytes = () => this.unread;

  readonly onClosed = () => undefined;
}
