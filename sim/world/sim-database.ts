// The database of a shared journal: one server behind a network that loses statements and answers, fails over, and may cut off single machines.
import { ConnectionLost, decodeFrame, type Frame, type JournalDatabase } from '@presage/journal';
import type { SeededRandom } from '@presage/testkit';
import type { OpenJournalDatabase } from '../../apps/server/src/store/journal-database.ts';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import { failure, JournalTables } from './journal-tables.ts';

export interface DatabaseFaults {
  /**
   * Connections are refused: the server fails over to its synchronous standby, which has everything that was answered.
   */
  isDown: boolean;
  /** Probability that a statement is lost before it is executed. */
  lost: number;
  /** Probability that a statement is executed and its answer lost. */
  unanswered: number;
  /** Writes fail: the server's disk is full. */
  isFull: boolean;
  /** Additional delay in milliseconds. */
  extraMs: number;
  /** Machines that cannot reach it, and whose statements get no answer. */
  readonly cutOff: Set<string>;
}

export function noDatabaseFaults(): Omit<DatabaseFaults, 'cutOff'> {
  return { isDown: false, lost: 0, unanswered: 0, isFull: false, extraMs: 0 };
}

/** Timeout of the connection pool. */
const ANSWER_MS = 10_000;
/** PostgreSQL's code for a disk that is full. */
const DISK_FULL = '53100';

interface Sent {
  readonly statement: string;
  readonly parameters: readonly unknown[];
  readonly owner: SimProcess;
  readonly resolve: (rows: readonly object[]) => void;
  readonly reject: (error: unknown) => void;
}

export class SimDatabase {
  readonly faults: DatabaseFaults = { ...noDatabaseFaults(), cutOff: new Set() };
  readonly tables: JournalTables;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  /** Statements whose execution or answer is pending. */
  readonly #underWay = new Set<Sent>();

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
    this.tables = new JournalTables(() => time.nowMs);
  }

  /** Frames of a partition, read without any fault. */
  frames(partition: string): Frame[] {
    return this.tables.of(partition).map(({ frame }) => {
      const decoded = decodeFrame(frame);
      if ('fault' in decoded) throw new Error(`a frame of ${partition} has a bad ${decoded.fault}`);
      return decoded;
    });
  }

  /** Whether the frame with this hash is durable. */
  has(partition: string, seq: number, hash: string): boolean {
    const row = this.tables.of(partition).find(({ first, last }) => first <= seq && seq <= last);
    return row !== undefined && `0x${Buffer.from(row.hash).toString('hex')}` === hash;
  }

  /** Whether these bytes are in a frame of any partition. */
  holdsDurably(bytes: Buffer): boolean {
    return this.tables
      .parts()
      .some((part) => this.tables.of(part).some(({ frame }) => Buffer.from(frame).includes(bytes)));
  }

  /** Breaks all connections; for a while there is no server. */
  failOver(): void {
    this.faults.isDown = true;
    for (const sent of [...this.#underWay]) this.#answer(sent, () => sent.reject(lost('the server ended')));
  }

  /** Connects as a process does; rejects if it cannot. */
  readonly open = async (): Promise<OpenJournalDatabase> => {
    const database: JournalDatabase = {
      query: <Row>(statement: string, parameters: readonly unknown[]) =>
        // The caller knows the rows of its statement.
        this.#query(statement, parameters) as Promise<readonly Row[]>,
    };
    await this.#reach();
    return { database, warnings: [], close: async () => undefined };
  };

  async #reach(): Promise<void> {
    const owner = this.#time.current;
    await this.#time.wait(this.#latencyMs());
    if (this.faults.isDown || this.faults.cutOff.has(owner.machine)) throw lost('connection refused');
  }

  #query(statement: string, parameters: readonly unknown[]): Promise<readonly object[]> {
    const owner = this.#time.current;
    return new Promise((resolve, reject) => {
      if (!owner.isAlive) return;
      const sent: Sent = { statement, parameters, owner, resolve, reject };
      this.#underWay.add(sent);
      this.#time.after(this.#latencyMs(), () => this.#carryOut(sent), this.#time.world);
      this.#time.after(ANSWER_MS, () => this.#answer(sent, () => reject(lost('no answer'))), owner);
    });
  }

  /** A statement is executed even if its process has died meanwhile. */
  #carryOut(sent: Sent): void {
    const { statement, parameters, owner, resolve, reject } = sent;
    const { isDown, lost: lostShare, unanswered, isFull, cutOff } = this.faults;
    if (cutOff.has(owner.machine)) return;
    if (isDown || this.#random.fraction() < lostShare) {
      this.#answer(sent, () => reject(lost('connection reset')));
      return;
    }
    try {
      if (isFull && isWrite(statement)) throw failure(DISK_FULL, 'could not extend file: no space left on device');
      const rows = this.tables.run(statement, parameters);
      const isLost = this.#random.fraction() < unanswered;
      this.#answer(sent, () => (isLost ? reject(lost('connection reset')) : resolve(rows)));
    } catch (error) {
      this.#answer(sent, () => reject(error));
    }
  }

  /** Answers once, and only a process that is alive. */
  #answer(sent: Sent, run: () => void): void {
    if (!this.#underWay.delete(sent)) return;
    this.#time.after(this.#latencyMs(), run, sent.owner);
  }

  #latencyMs(): number {
    const usual = this.#random.chance(0.01) ? 40 : 1.5;
    return 0.1 + usual * this.#random.fraction() + this.faults.extraMs * this.#random.fraction();
  }
}

function lost(reason: string): ConnectionLost {
  return new ConnectionLost(new Error(reason));
}

/** Renewals update a row in place, which needs no room. */
function isWrite(statement: string): boolean {
  return statement.startsWith('insert');
}
