// The tables of a shared journal in memory: executes every statement of the journal and of the cluster atomically.
import {
  ADD_LEASE,
  APPEND,
  BEAT_NODE,
  DROP_CHECKPOINTS,
  FORGET_NODE,
  NODE_TABLES,
  PASS_ON_LEASE,
  RAISE_EPOCH,
  READ_CHECKPOINT,
  READ_CHECKPOINT_UP_TO,
  READ_FIRST_HASH,
  READ_FRAME_HASH,
  READ_FRAMES,
  READ_LEASE,
  READ_LEASES,
  READ_NEW_FRAMES,
  READ_NODES,
  READ_TAIL,
  RELEASE_LEASE,
  RENEW_LEASE,
  SWEEP_NODES,
  TABLES,
  TAKE_LEASE,
  WRITE_CHECKPOINT,
} from '../../packages/journal/src/postgres/statements.ts';

export interface FrameRow {
  readonly first: number;
  readonly last: number;
  readonly epoch: number;
  readonly hash: Uint8Array;
  readonly frame: Uint8Array;
}

export interface LeaseRow {
  epoch: number;
  owner: string;
  address: string;
  expiresMs: number;
}

interface CheckpointRow {
  readonly seq: number;
  readonly stateHash: string;
  readonly body: Uint8Array;
}

interface NodeRow {
  readonly link_address: string;
  readonly roles: string;
  readonly positions: string;
  readonly seenMs: number;
}

type Parameters = readonly unknown[];
type Rows = readonly object[];

export class JournalTables {
  readonly #nowMs: () => number;
  readonly #frames = new Map<string, FrameRow[]>();
  readonly #leases = new Map<string, LeaseRow>();
  readonly #checkpoints = new Map<string, CheckpointRow[]>();
  readonly #nodes = new Map<string, NodeRow>();
  readonly #statements: ReadonlyMap<string, (parameters: Parameters) => Rows>;

  /** `nowMs` is the database's clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    const nothing = () => [];
    this.#statements = new Map<string, (parameters: Parameters) => Rows>([
      ...[...TABLES, ...NODE_TABLES, SWEEP_NODES].map((statement) => [statement, nothing] as const),
      [ADD_LEASE, (given) => this.#addLease(given)],
      [TAKE_LEASE, (given) => this.#takeLease(given)],
      [RENEW_LEASE, (given) => this.#changeLease(RENEW_LEASE, given)],
      [RAISE_EPOCH, (given) => this.#changeLease(RAISE_EPOCH, given)],
      [PASS_ON_LEASE, (given) => this.#changeLease(PASS_ON_LEASE, given)],
      [RELEASE_LEASE, (given) => this.#releaseLease(given)],
      [READ_LEASE, (given) => this.#readLease(given)],
      [READ_LEASES, () => this.#readLeases()],
      [APPEND, (given) => this.#append(given)],
      [READ_TAIL, ([part]) => this.of(part).slice(-1).map(toTail)],
      [READ_FRAMES, (given) => this.#readFrames(given)],
      [READ_NEW_FRAMES, (given) => this.#readNewFrames(given)],
      [READ_FIRST_HASH, ([part]) => this.of(part).slice(0, 1).map(toHash)],
      [
        READ_FRAME_HASH,
        ([part, seq]) =>
          this.of(part)
            .filter(({ last }) => last === seq)
            .map(toHash),
      ],
      [WRITE_CHECKPOINT, (given) => this.#writeCheckpoint(given)],
      [DROP_CHECKPOINTS, (given) => this.#dropCheckpoints(given)],
      [READ_CHECKPOINT, (given) => this.#readCheckpoint(given)],
      [READ_CHECKPOINT_UP_TO, (given) => this.#readCheckpoint(given)],
      [BEAT_NODE, (given) => this.#beat(given)],
      [READ_NODES, (given) => this.#readNodes(given)],
      [FORGET_NODE, (given) => this.#forget(given)],
    ]);
  }

  run(statement: string, parameters: Parameters): Rows {
    const carryOut = this.#statements.get(statement);
    if (carryOut === undefined) throw new Error(`the simulated database does not know this statement: ${statement}`);
    return carryOut(parameters);
  }

  /** Frames of a partition, oldest first. */
  of(part: unknown): FrameRow[] {
    const known = this.#frames.get(String(part)) ?? [];
    this.#frames.set(String(part), known);
    return known;
  }

  parts(): string[] {
    return [...this.#frames.keys()];
  }

  get leases(): ReadonlyMap<string, LeaseRow> {
    return this.#leases;
  }

  /** The owner that may append; undefined if there is none. */
  holderOf(part: string): string | undefined {
    const lease = this.#leases.get(part);
    return lease !== undefined && lease.expiresMs > this.#nowMs() ? lease.address : undefined;
  }

  #addLease([part]: Parameters): Rows {
    const none = { epoch: 0, owner: '', address: '', expiresMs: Number.NEGATIVE_INFINITY };
    if (!this.#leases.has(String(part))) this.#leases.set(String(part), none);
    return [];
  }

  #takeLease([part, owner, address, ms]: Parameters): Rows {
    const lease = this.#leases.get(String(part));
    const isFree = lease !== undefined && (lease.expiresMs < this.#nowMs() || !asks(TAKE_LEASE, 'expires <'));
    if (!isFree) return [];
    const epoch = lease.epoch + (asks(TAKE_LEASE, 'epoch = epoch + 1') ? 1 : 0);
    Object.assign(lease, { epoch, owner, address, expiresMs: this.#nowMs() + Number(ms) });
    return [{ epoch: String(lease.epoch) }];
  }

  /** Executes the three statements of an owner that return the epoch. */
  #changeLease(statement: string, [part, owner, ms, fourth, fifth]: Parameters): Rows {
    const lease = this.#leases.get(String(part));
    if (lease === undefined || (asks(statement, 'owner = $2') && lease.owner !== owner)) return [];
    lease.expiresMs = this.#nowMs() + Number(ms);
    if (statement === RAISE_EPOCH) lease.epoch = Math.max(lease.epoch + 1, Number(fourth));
    if (statement === PASS_ON_LEASE) {
      const epoch = lease.epoch + (asks(statement, 'epoch = epoch + 1') ? 1 : 0);
      Object.assign(lease, { epoch, owner: fourth, address: fifth });
    }
    return [{ epoch: String(lease.epoch) }];
  }

  #releaseLease([part, owner]: Parameters): Rows {
    const lease = this.#leases.get(String(part));
    const isMine = lease !== undefined && (lease.owner === owner || !asks(RELEASE_LEASE, 'owner = $2'));
    if (isMine) Object.assign(lease, { owner: '', address: '', expiresMs: Number.NEGATIVE_INFINITY });
    return [];
  }

  #readLease([part]: Parameters): Rows {
    const lease = this.#leases.get(String(part));
    if (lease === undefined) return [];
    const { owner, address, epoch, expiresMs } = lease;
    return [{ owner, address, epoch: String(epoch), held: expiresMs > this.#nowMs() }];
  }

  #readLeases(): Rows {
    return [...this.#leases]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([part, { address, epoch, expiresMs }]) => {
        const held_ms = Math.max(0, Math.ceil(expiresMs - this.#nowMs()));
        return { part, address, epoch: String(epoch), held_ms };
      });
  }

  /** Each parameter holds one value per frame. */
  #append(columns: Parameters): Rows {
    const lists = columns as readonly (readonly unknown[])[];
    return lists[0]!.flatMap((_, index) => this.#appendFrame(lists.map((list) => list[index])));
  }

  /** Checks only the conditions in the statement, so that a bug in the statement is a bug here. */
  #appendFrame([part, first, last, epoch, hash, frame, owner, previous]: Parameters): Rows {
    const lease = this.#leases.get(String(part));
    const frames = this.of(part);
    if (asks(APPEND, 'journal_leases')) {
      if (lease === undefined) return [];
      if (asks(APPEND, 'held.epoch = given.epoch') && lease.epoch !== Number(epoch)) return [];
      if (asks(APPEND, 'held.owner = given.owner') && lease.owner !== owner) return [];
    }
    const head = frames.at(-1)?.hash;
    if (asks(APPEND, 'is not distinct from given.previous') && !isSame(head, previous)) return [];
    if (frames.some((row) => row.first === Number(first))) return [];
    frames.push({
      first: Number(first),
      last: Number(last),
      epoch: Number(epoch),
      hash: copyOf(hash),
      frame: copyOf(frame),
    });
    frames.sort((a, b) => a.first - b.first);
    return [{ part }];
  }

  #readFrames([part, from, to, limit]: Parameters): Rows {
    const rows = this.#from(part, Number(from)).filter(({ last }) => last <= Number(to));
    return rows.slice(0, Number(limit)).map(({ frame }) => ({ frame: copyOf(frame) }));
  }

  #readNewFrames([part, seen, limit]: Parameters): Rows {
    const rows = this.#from(part, Number(seen)).slice(0, Number(limit));
    return rows.map(({ first, last, hash, frame }) => ({
      last_seq: String(last),
      hash: copyOf(hash),
      frame: first > Number(seen) ? copyOf(frame) : null,
    }));
  }

  /** Frames from the one that holds the sequence. */
  #from(part: unknown, seq: number): FrameRow[] {
    const frames = this.of(part);
    const start = frames.findLast(({ first }) => first <= seq)?.first ?? 1;
    return frames.filter(({ first }) => first >= start);
  }

  #writeCheckpoint([part, seq, stateHash, body]: Parameters): Rows {
    const others = this.#checkpointsOf(part).filter((row) => row.seq !== Number(seq));
    const row = { seq: Number(seq), stateHash: String(stateHash), body: copyOf(body) };
    this.#checkpoints.set(
      String(part),
      [...others, row].sort((a, b) => b.seq - a.seq),
    );
    return [];
  }

  #dropCheckpoints([part, kept]: Parameters): Rows {
    this.#checkpoints.set(String(part), this.#checkpointsOf(part).slice(0, Number(kept)));
    return [];
  }

  #readCheckpoint([part, upTo = Number.POSITIVE_INFINITY]: Parameters): Rows {
    const newest = this.#checkpointsOf(part).find(({ seq }) => seq <= Number(upTo));
    if (newest === undefined) return [];
    return [{ seq: String(newest.seq), state_hash: newest.stateHash, body: copyOf(newest.body) }];
  }

  #checkpointsOf(part: unknown): CheckpointRow[] {
    return this.#checkpoints.get(String(part)) ?? [];
  }

  #beat([address, link_address, roles, positions]: Parameters): Rows {
    this.#nodes.set(String(address), {
      link_address: String(link_address),
      roles: String(roles),
      positions: String(positions),
      seenMs: this.#nowMs(),
    });
    return [];
  }

  #readNodes([withinMs]: Parameters): Rows {
    const sinceMs = this.#nowMs() - Number(withinMs);
    return [...this.#nodes]
      .filter(([, { seenMs }]) => seenMs > sinceMs)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, { link_address, roles, positions }]) => ({ address, link_address, roles, positions }));
  }

  #forget([address]: Parameters): Rows {
    this.#nodes.delete(String(address));
    return [];
  }
}

function asks(statement: string, condition: string): boolean {
  return statement.includes(condition);
}

export function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function isSame(a: Uint8Array | undefined, b: unknown): boolean {
  if (a === undefined || !(b instanceof Uint8Array)) return a === undefined && b === null;
  return Buffer.compare(a, b) === 0;
}

/** Copies bytes, so that callers and tables never share memory. */
function copyOf(bytes: unknown): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new Error('the simulated database was given no bytes');
  return new Uint8Array(bytes);
}

function toTail({ last, hash, frame }: FrameRow): object {
  return { last_seq: String(last), hash: copyOf(hash), frame: copyOf(frame) };
}

function toHash({ hash }: FrameRow): object {
  return { hash: copyOf(hash) };
}
