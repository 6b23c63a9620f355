// Named bugs of the cluster: leases, fencing, links, handover, followers and standby.
import type { Mutation } from './mutation.ts';

const CLUSTER = 'apps/server/src/cluster';
const POSTGRES = 'packages/journal/src/postgres';

const BUGS: readonly Mutation[] = [
  {
    name: 'a lease is taken while somebody holds it',
    file: `${POSTGRES}/statements.ts`,
    find: 'where part = $1 and expires < clock_timestamp() returning epoch::text',
    replace: 'where part = $1 returning epoch::text',
  },
  {
    name: 'an append compares neither epoch nor owner',
    noticedBy: 'apps/server/test/host/postgres-journal.slow.test.ts',
    file: `${POSTGRES}/statements.ts`,
    find: 'where exists (select 1 from journal_leases held\n      where held.part = given.part and held.epoch = given.epoch and held.owner = given.owner for share)\n    and (select hash',
    replace: 'where (select hash',
  },
  {
    name: 'an append does not compare the frame before it',
    noticedBy: 'apps/server/test/host/postgres-journal.slow.test.ts',
    file: `${POSTGRES}/statements.ts`,
    find: 'and (select hash from journal_frames newest where newest.part = given.part order by first_seq desc limit 1)\n      is not distinct from given.previous',
    replace: '',
  },
  {
    name: 'a lease is not renewed',
    file: `${POSTGRES}/lease.ts`,
    find: 'this.renew().catch((error: unknown) => {',
    replace: 'Promise.resolve().catch((error: unknown) => {',
  },
  {
    name: 'a seat is kept after its lease was lost',
    noticedBy: 'packages/journal/test/lease.test.ts',
    file: `${POSTGRES}/lease.ts`,
    find: 'clearInterval(this.#renewing);\n        onLost(error);',
    replace: 'clearInterval(this.#renewing);',
  },
  {
    name: 'an append whose answer was lost counts as not written',
    noticedBy: 'apps/server/test/host/postgres-journal.slow.test.ts',
    file: `${POSTGRES}/postgres-journal.ts`,
    find: 'if (tail !== undefined && Buffer.compare(tail.hash, frame.hash) === 0) return true;',
    replace: '',
  },
  {
    name: 'an owner answers before the database has',
    file: `${POSTGRES}/postgres-journal.ts`,
    find: 'const written = await this.#write(sealed, records, timeMs);\n      this.chain.advance(written);',
    replace:
      'const written = sealed.frame;\n      void this.#write(sealed, records, timeMs);\n      this.chain.advance(written);',
  },
  {
    name: 'a gateway answers before it shows what it answers',
    file: `${CLUSTER}/remote-host.ts`,
    find: 'await untilShown(log, answer.durableSeq);\n    return answer;',
    replace: 'return answer;',
  },
  {
    name: 'a handover forgets what is under way',
    noticedBy: 'apps/server/test/cluster/owned-partitions.test.ts',
    file: `${CLUSTER}/owned-partitions.ts`,
    find: 'await Promise.allSettled(underWay.map(({ answer }) => answer));',
    replace: 'this.#underWay.clear();',
  },
  {
    name: 'what was asked for twice is carried out twice',
    noticedBy: 'apps/server/test/cluster/remote-host.slow.test.ts',
    file: `${CLUSTER}/owned-partitions.ts`,
    find: 'if (retryFromSeq === undefined) return undefined;\n    const found',
    replace: 'if (retryFromSeq !== -1) return undefined;\n    const found',
  },
  {
    name: 'a token that was used is remembered by its gateway alone',
    file: `${CLUSTER}/owned-partitions.ts`,
    find: 'for (const record of records) accept?.(record);',
    replace: 'void accept;',
  },
  {
    name: 'a follower skips a frame',
    file: 'packages/journal/src/followed-journal.ts',
    find: 'for (const listener of this.#listeners) listener(frame);',
    replace: 'if (frame.firstSeq % 7 !== 0) for (const listener of this.#listeners) listener(frame);',
  },
  {
    name: 'a pushed frame is shown whatever it follows',
    noticedBy: 'apps/server/test/cluster/pushed-frames.slow.test.ts',
    file: 'packages/journal/src/followed-journal.ts',
    find: 'if (this.chain.breach(frame) !== undefined) return false;\n    this.#show(frame);',
    replace: 'this.chain.advance(frame);\n    for (const listener of this.#listeners) listener(frame);',
  },
  {
    name: 'a frame is not pushed to the first follower',
    noticedBy: 'apps/server/test/cluster/pushed-frames.slow.test.ts',
    file: `${CLUSTER}/owned-partitions.ts`,
    find: 'for (const [peer] of peers) this.#send(peer, news);',
    replace: 'for (const [peer] of peers.slice(1)) this.#send(peer, news);',
  },
  {
    name: 'the directory keeps the first owner that it saw',
    file: `${CLUSTER}/directory.ts`,
    find: 'this.#leases = new Map(leases.map((lease) => [lease.partition, lease]));',
    replace: 'if (this.#leases.size < 3) this.#leases = new Map(leases.map((lease) => [lease.partition, lease]));',
  },
  {
    name: 'a silent peer is never cut off',
    noticedBy: 'apps/server/test/cluster/link.test.ts',
    file: `${CLUSTER}/link.ts`,
    find: 'if (this.#unanswered >= MOST_UNANSWERED) framed?.destroy();',
    replace: 'void framed;',
  },
  {
    name: 'a settler that takes over does not read what the one before it wrote',
    file: 'apps/server/src/host/partitions.ts',
    find: 'await this.#catchUp();',
    replace: '',
  },
  {
    name: 'a settler blames without asking whether the chain is still its own',
    file: 'apps/server/src/settlement/settlement.ts',
    find: 'await this.#options.journal.confirm();',
    replace: '',
  },
  {
    name: 'a settler ends where it should stand by',
    file: 'apps/server/src/config/stand-by.ts',
    find: 'return isOnlySettler &&',
    replace: 'return false && isOnlySettler &&',
  },
];

export const CLUSTER_MUTATIONS: readonly Mutation[] = BUGS.map((bug) => ({ ...bug, isCluster: true }));
