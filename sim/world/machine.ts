// One simulated machine: a disk, and the process of one program on it, which is started, killed, stopped and asked.
import { PresageError } from '@presage/protocol';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import { describe } from './describe.ts';
import type { SimDisk } from './sim-disk.ts';

/** How a call to the service ended for whoever made it. */
export type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The process ended first, or there was none: nobody knows what became of it. */
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

/** What a program is told of the process that it runs in. */
export interface ProcessRun {
  readonly process: SimProcess;
  /** Counts the processes of this machine. */
  readonly pid: number;
  readonly bootId: string;
  readonly onWarning: (message: string) => void;
  /** The program waits for what another machine has: from now on it waits for whatever is wrong. */
  readonly onStandBy: () => void;
  /** The program cannot go on. */
  readonly onFatal: (error: unknown) => void;
}

export interface MachineOptions<P extends Program> {
  readonly name: string;
  readonly time: VirtualTime;
  readonly disk: SimDisk;
  readonly open: (run: ProcessRun) => Promise<P>;
  /** Whether the program closes and opens again in the same process after this failure. Ends otherwise. */
  readonly canStandBy: (error: unknown) => boolean;
  readonly say: (text: string) => void;
  readonly onViolation: (violation: string) => void;
  readonly onEnded: (machine: Machine, end: ProcessEnd) => void;
}

/** How the end of a process begins whose program never opened. */
export const START_FAILED = 'start failed: ';
/** A program that could not be opened again waits this long. */
const REOPEN_MS = 500;

export class Machine<P extends Program = Program> {
  readonly #options: MachineOptions<P>;
  #process: SimProcess | undefined;
  #program: P | undefined;
  #readyMs: number | undefined;
  #boot = 0;
  #starts = 0;
  /** Whether this process has run or stood by: from then on a failed opening is tried again. */
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

  /** The program, once it is open. */
  get program(): P | undefined {
    return this.#program;
  }

  /** When the program opened last. */
  get readyMs(): number | undefined {
    return this.#readyMs;
  }

  get starts(): number {
    return this.#starts;
  }

  get isRunning(): boolean {
    return this.#process?.isAlive === true;
  }

  /** A new process, unless one is there. */
  start(): void {
    if (this.isRunning) return;
    const { name, time, say } = this.#options;
    const process: SimProcess = { name: `${name}-${++this.#starts}`, machine: name, isAlive: true };
    this.#process = process;
    this.#isMember = false;
    say(`start ${process.name}`);
    time.after(1, () => this.#open(process), process);
  }

  /** The process is gone at once, in the middle of whatever it did. */
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

  /** Stops the program as an operator does; resolves when it has ended. */
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

  /** A call from outside, over a network that takes its time. */
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
            // Anything else than a refusal of the catalogue is a fault of the service.
            if (!(error instanceof PresageError) && process.isAlive)
              this.#options.onViolation(`a call failed: ${describe(error)}`);
            settle({ kind: 'refused', error });
          },
        );
      this.#options.time.after(delayMs, run, process);
    });
  }

  /** As main.ts does it: what fails after it has stood by or run is opened again where that may help. */
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

  /** A world of one machine does not name it. */
  get #prefix(): string {
    return this.name === SINGLE ? '' : `${this.name} `;
  }
}

/** What the only machine of a world is called. */
export const SINGLE = 'service';
