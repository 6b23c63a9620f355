// Dead-man switches: a wallet whose heartbeat expires loses its resting orders. Wall time, and durable across a restart.
import type { Address, HeartbeatSet, JournalRecord } from '@presage/protocol';
import type { Log } from '../log/log.ts';

export interface DeadManSwitchesOptions {
  readonly wallMs: () => number;
  /** Appends the record; resolves when it is durable and followed. */
  readonly note: (record: HeartbeatSet) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
  /** Whether this node carries out expired switches; only one of several nodes does. */
  readonly isActing?: () => boolean;
}

export interface SwitchCommands {
  cancelOrders(trader: Address, reason: 'heartbeat_lapsed'): Promise<unknown>;
}

const LOOK_EVERY_MS = 250;

interface Disarming {
  readonly timeMs: number;
  /** Expiry of the switch that this record disarmed, by the order of the journal. */
  replacedMs: number | undefined;
}

export class DeadManSwitches {
  readonly #options: DeadManSwitchesOptions;
  readonly #lapseMs = new Map<Address, number>();
  #timer: NodeJS.Timeout | undefined;
  /** Changes of switches that are not durable yet. */
  readonly #setting = new Set<HeartbeatSet>();
  /** Expired switches whose orders are being cancelled. */
  readonly #underWay = new Map<Address, Promise<unknown>>();
  readonly #disarming = new Map<Address, Disarming>();

  constructor(options: DeadManSwitchesOptions) {
    this.#options = options;
  }

  get armed(): number {
    return this.#lapseMs.size;
  }

  /** Called with every durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type !== 'heartbeat-set') return;
    const { trader, lapseMs, timeMs } = record;
    const disarming = this.#disarming.get(trader);
    if (lapseMs === 0 && disarming?.timeMs === timeMs) disarming.replacedMs = this.#lapseMs.get(trader);
    if (lapseMs === 0) this.#lapseMs.delete(trader);
    else this.#lapseMs.set(trader, lapseMs);
  }

  /** Checks at once: orders of a switch that expired while the service was down must not fill when it takes orders again. */
  start(commands: SwitchCommands): void {
    const look = () => {
      if (this.#options.isActing?.() !== false) this.#look(commands);
    };
    this.#timer = setInterval(look, LOOK_EVERY_MS);
    look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay.values());
  }

  /** Arms the switch, or disarms it with zero seconds. Returns its expiry in wall milliseconds. */
  async set(trader: Address, timeoutSeconds: number): Promise<number> {
    const lapseMs = timeoutSeconds === 0 ? 0 : this.#options.wallMs() + timeoutSeconds * 1_000;
    const record = this.#toRecord(trader, lapseMs);
    this.#setting.add(record);
    try {
      await this.#options.note(record);
    } finally {
      this.#setting.delete(record);
    }
    return lapseMs;
  }

  /**
   * Carries out each expired switch separately: a wallet whose orders cannot be cancelled, for example in an unavailable partition, does
   * not hold up the others.
   */
  #look(commands: SwitchCommands): void {
    const { wallMs, onTrouble } = this.#options;
    const now = wallMs();
    for (const [trader, lapseMs] of this.#lapseMs) {
      if (lapseMs > now || this.#underWay.has(trader)) continue;
      const done = this.#carryOut(trader, lapseMs, commands).catch(onTrouble);
      this.#underWay.set(
        trader,
        done.finally(() => this.#underWay.delete(trader)),
      );
    }
  }

  /** Cancels the orders, then disarms: after a kill between the two, the next start finds the switch still expired. */
  async #carryOut(trader: Address, lapseMs: number, commands: SwitchCommands): Promise<void> {
    await commands.cancelOrders(trader, 'heartbeat_lapsed');
    // Disarming now would undo a change that its wallet is making; the next check sees the result of that.
    if ([...this.#setting].some((record) => record.trader === trader)) return;
    if (this.#lapseMs.get(trader) === lapseMs) await this.#disarm(trader, lapseMs);
  }

  /** Disarms an expired switch. If another node set it again right before in the journal, it is restored, since its wallet was told the new expiry. */
  async #disarm(trader: Address, expiredMs: number): Promise<void> {
    const { note } = this.#options;
    const record = this.#toRecord(trader, 0);
    const disarming: Disarming = { timeMs: record.timeMs, replacedMs: expiredMs };
    this.#disarming.set(trader, disarming);
    try {
      await note(record);
      const { replacedMs } = disarming;
      const isSetAgain = replacedMs !== undefined && replacedMs !== expiredMs && !this.#lapseMs.has(trader);
      if (isSetAgain) await note(this.#toRecord(trader, replacedMs));
    } finally {
      this.#disarming.delete(trader);
    }
  }

  #toRecord(trader: Address, lapseMs: number): HeartbeatSet {
    return { type: 'heartbeat-set', timeMs: this.#options.wallMs(), trader, lapseMs };
  }
}

/** Opens the switches; expired ones are carried out only by the owner of the control partition. */
export function openSwitches(note: DeadManSwitchesOptions['note'], log: Log, isActing: () => boolean): DeadManSwitches {
  const onTrouble = (error: unknown) =>
    log.warn({ error: String(error) }, 'an expired dead-man switch could not be carried out');
  return new DeadManSwitches({ wallMs: Date.now, note, onTrouble, isActing });
}
