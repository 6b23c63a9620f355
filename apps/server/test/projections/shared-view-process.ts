// A process that shares a view with others of its kind: it follows a journal in PostgreSQL, and says when it writes the view.
import { FollowedJournal, PostgresFrames } from '@presage/journal';
import { FollowedPartition } from '../../src/cluster/followed-partition.ts';
import { SharedView } from '../../src/projections/shared-view.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';
import { openStore } from '../../src/store/open.ts';

const [journalUrl, databaseUrl, name, leaseMs] = process.argv.slice(2) as [string, string, string, string];
const say = (line: string) => process.stdout.write(`${line}\n`);
const fail = (error: unknown): never => {
  say(`failed ${String(error)}`);
  process.exit(1);
};

const { database } = await openJournalDatabase(journalUrl);
const owners = {
  openFollowed: (partition: string) => FollowedJournal.open(new PostgresFrames({ database, partition })),
  ask: () => fail('nothing is asked for'),
  watch: () => () => undefined,
  isHeard: () => false,
};
const followed = await FollowedPartition.open({ partition: 'm0', owners, onFatal: fail });
const store = await openStore({ databaseUrl, dataDir: '' });
const view = new SharedView({
  sources: [followed.log],
  sql: store.sql,
  schema: store.schema,
  address: name,
  leaseMs: Number(leaseMs),
  limits: { maxChunk: 20 },
  moveOn: () => store.moveOn(),
  onTrouble: (error) => say(`trouble ${String(error)}`),
  onRebuild: (reason) => say(`rebuilt: ${reason}`),
  onLeading: (isLeading) => say(isLeading ? 'writes' : 'reads'),
});
followed.start();
await view.start();
say('ready');
// For the test: as a request that waits for what it has seen written.
process.stdin.on('data', (chunk) => {
  const seq = Number(chunk.toString('utf8'));
  void view.waitFor([seq], 30_000).then((isReached) => say(`reached ${seq} ${isReached}`));
});
