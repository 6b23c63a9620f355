// One simulated machine: a disk, and the process of one program on it, which is started, killed, stopped and called.
import { PresageError } from '@presage/protocol';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import { describe } from './describe.ts';
import type { SimDisk } from './sim-disk.ts';

/** Result of a call to the service, for its caller. */
export type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The process ended first, or there was none: the outcome is unknown. */
  | { readonly kind: 'lost' };

export type EndOfProcess = 'killed' | 'power lost' | 'ended itself' | 'stopped';

interface ProcessEnd {
  readonly process: SimProcess;
  readonly how: EndOfProcess;
  readonly why: string;
}

interface Program {
  /** Closes it as an operator does. */
  close(): Promise<void>;
}

/** The environment of a program's process. */
export interface ProcessRun {
  readonly process: SimProcess;
  /** Number of the process on this machine. */
  readonly pid: number;
  readonly bootId: string;
  readonly onWarning: (message: string) => void;
  /** Reports that the program waits for something that another machine holds: from now on it waits out failures. */
  readonly onStandBy: () => void;
  /** Reports that the program cannot continue. */
  readonly onFatal: (error: unknown) => void;
}

export interface MachineOptions<P extends Program> {
  readonly name: string;
  readonly time: VirtualTime;
  readonly disk: SimDisk;
  readonly open: (run: ProcessRun) => Promise<P>;
  /**
   * Whether the program is closed and opened again in the same process after this failure; otherwise the process ends.
   */
  readonly canStandBy: (error: unknown) => boolean;
  readonly say: (text: string) => void;
  readonly onViolation: (violation: string) => void;
  readonly onEnded: (machine: Machine, end: ProcessEnd) => void;
}

/** Prefix of the reason for a process whose program never opened. */
export const START_FAILED = 'start failed: ';
/** Delay before a failed opening is retried. */
const REOPEN_MS = 500;

export class Machine<P extends Program = Program> {
  readonly #options: MachineOptions<P>;
  #process: SimProcess | undefined;
  #program: P | undefined;
  #readyMs: number | undefined;
  #boot = 0;
  #starts = 0;
  /** Whether this process has run or stood by: from then on a failed opening is retried. */
  #isMember = false;
  readonly #pending = new Set<() => void>();

  constructor(options: MachineOptions<P>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get disk(): SimDisk {
    return this.#options.disk;
  }

  /** The program, if it is open. */
  get program(): P | undefined {
    return this.#program;
  }

  /** Time at which the program last opened. */
  get readyMs(): number | undefined {
    return this.#readyMs;
  }

  get starts(): number {
    return this.#starts;
  }

  get isRunning(): boolean {
    return this.#process?.isAlive === true;
  }

  /** Starts a new process unless one is running. */
  start(): void {
    if (this.isRunning) return;
    const { name, time, say } = this.#options;
    const process: SimProcess = { name: `${name}-${++this.#starts}`, machine: name, isAlive: true };
    this.#process = process;
    this.#isMember = false;
    say(`start ${process.name}`);
    time.after(1, () => this.#open(process), process);
  }

  /** Ends the process at once, in the middle of any operation. */
  end(how: EndOfProcess, why = ''): void {
    const process = this.#process;
    if (process === undefined || !process.isAlive) return;
    process.isAlive = false;
    this.#program = undefined;
    this.#options.say(`${how} ${process.name}${why && `: ${why}`}`);
    if (how === 'power lost') {
      this.#boot++;
      this.disk.losePower();
    }
    this.#losePending();
    this.#options.onEnded(this, { process, how, why });
  }

  /** Stops the program like an operator; resolves when it has ended. */
  async stop(): Promise<void> {
    const [program, process] = [this.#program, this.#process];
    if (program === undefined || process === undefined) return;
    this.#options.say(`stop ${process.name}`);
    const closed = new Promise<void>((resolve) => {
      this.#options.time.after(0, () => void program.close().then(resolve), process);
    });
    await closed;
    this.end('stopped');
  }

  /** A call from outside, over a network with this delay. */
  ask<T>(delayMs: number, call: (program: P) => Promise<T>): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const [program, process] = [this.#program, this.#process];
      if (process === undefined || program === undefined) return resolve({ kind: 'lost' });
      const settle = (outcome: Outcome<T>) => {
        this.#pending.delete(lose);
        resolve(outcome);
      };
      const lose = () => settle({ kind: 'lost' });
      this.#pending.add(lose);
      const run = () =>
        void call(program).then(
          (value) => settle({ kind: 'answered', value }),
          (error) => {
            // Any error other than a refusal of the catalogue is a bug of the service.
            if (!(error instanceof PresageError) && process.isAlive)
              this.#options.onViolation(`a call failed: ${describe(error)}`);
            settle({ kind: 'refused', error });
          },
        );
      this.#options.time.after(delayMs, run, process);
    });
  }

  /** Like main.ts: after standing by or running, a failure leads to another opening if that may help. */
  #open(process: SimProcess): void {
    const { canStandBy, open } = this.#options;
    let [opened, failure]: [P | undefined, { readonly error: unknown } | undefined] = [undefined, undefined];
    const onFatal = (error: unknown) => {
      if (!process.isAlive || failure !== undefined) return;
      if (!canStandBy(error)) return this.end('ended itself', String(error));
      failure = { error };
      if (opened !== undefined) void this.#standBy(process, opened, error);
    };
    open(this.#toRun(process, onFatal)).then(
      (program) => {
        if (!process.isAlive) return;
        opened = program;
        this.#isMember = true;
        if (failure === undefined) this.#onReady(process, program);
        else void this.#standBy(process, program, failure.error);
      },
      (error) => {
        if (!process.isAlive) return;
        if (this.#isMember) this.#reopen(process, error);
        else this.end('ended itself', `${START_FAILED}${describe(error)}`);
      },
    );
  }

  #toRun(process: SimProcess, onFatal: (error: unknown) => void): ProcessRun {
    const { say } = this.#options;
    return {
      process,
      pid: this.#starts,
      bootId: `boot-${this.#boot}`,
      onWarning: (message) => process.isAlive && say(`${this.#prefix}warning: ${message}`),
      onStandBy: () => {
        this.#isMember = true;
      },
      onFatal,
    };
  }

  #onReady(process: SimProcess, program: P): void {
    this.#program = program;
    this.#readyMs = this.#options.time.nowMs;
    this.#options.say(`ready ${process.name}`);
  }

  async #standBy(process: SimProcess, program: P, error: unknown): Promise<void> {
    this.#program = undefined;
    this.#losePending();
    this.#options.say(`stands by ${process.name}: ${describe(error)}`);
    await program.close();
    if (process.isAlive) this.#open(process);
  }

  #reopen(process: SimProcess, error: unknown): void {
    this.#options.say(`could not be opened again ${process.name}: ${describe(error)}`);
    this.#options.time.after(REOPEN_MS, () => this.#open(process), process);
  }

  #losePending(): void {
    for (const lose of [...this.#pending]) lose();
  }

  /** Lines of a world with one machine do not name it. */
  get #prefix(): string {
    return this.name === SINGLE ? '' : `${this.name} `;
  }
}

/** Name of the only machine of a world. */
export const SINGLE = 'service';
