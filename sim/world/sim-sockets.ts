// Connections between simulated machines, replacing node:net: ordered bytes with delays, and links that are cut, silent, slow or open in one direction only.
import { EventEmitter } from 'node:events';
import type { SeededRandom } from '@presage/testkit';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';

export interface LinkFaults {
  /** Connections are refused, and existing ones are reset. */
  isCut: boolean;
  /** Data arrives only after this ends, because a kernel retransmits until then. */
  isSilent: boolean;
  /** Additional delay in milliseconds. */
  extraMs: number;
}

export function noLinkFaults(): LinkFaults {
  return { isCut: false, isSilent: false, extraMs: 0 };
}

/** Chance that bytes are cut anywhere and arrive as several chunks. */
const SPLIT_CHANCE = 0.1;
const FIRST_PORT = 40_000;

type SocketEvent = 'connect' | 'data' | 'close' | 'error';

export class SimSockets {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  /** Links by sending and receiving machine. */
  readonly #links = new Map<string, LinkFaults>();
  readonly #servers = new Map<string, SimServer>();
  readonly #open = new Set<SimSocket>();
  #nextPort = FIRST_PORT;

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  /** The link in one direction. */
  link(from: string, to: string): LinkFaults {
    const key = `${from} ${to}`;
    const known = this.#links.get(key) ?? noLinkFaults();
    this.#links.set(key, known);
    return known;
  }

  /** Resets connections between the two and refuses new ones until mended. */
  cut(a: string, b: string): void {
    this.link(a, b).isCut = true;
    this.link(b, a).isCut = true;
    this.reset(a, b);
  }

  /** Resets every connection between the two once. */
  reset(a: string, b: string): void {
    for (const socket of [...this.#open]) {
      if ((socket.here === a && socket.there === b) || (socket.here === b && socket.there === a)) socket.break();
    }
  }

  /** Ends the link's faults; delayed data arrives now. */
  mend(from: string, to: string): void {
    Object.assign(this.link(from, to), noLinkFaults());
    for (const socket of [...this.#open]) if (socket.here === from && socket.there === to) socket.flush();
  }

  mendAll(): void {
    for (const key of this.#links.keys()) {
      const [from = '', to = ''] = key.split(' ');
      this.mend(from, to);
    }
  }

  /**
   * Handles the end of a process. Its machine closes its connections, unless the machine failed as well: then the other
   * ends are not told.
   */
  onEnded(process: SimProcess, isTold: boolean): void {
    for (const [address, server] of this.#servers) if (server.owner === process) this.#servers.delete(address);
    for (const socket of [...this.#open]) {
      if (socket.owner !== process) continue;
      this.#open.delete(socket);
      if (isTold) socket.tellPeer();
    }
  }

  readonly createServer = (onConnection: (socket: SimSocket) => void): SimServer => {
    return new SimServer(this.#time.current, onConnection, {
      bind: (server, host, port) => {
        const bound = port === 0 ? this.#nextPort++ : port;
        this.#servers.set(`${host}:${bound}`, server);
        return bound;
      },
      unbind: (server) => {
        for (const [address, each] of this.#servers) if (each === server) this.#servers.delete(address);
      },
    });
  };

  readonly connect = ({ host, port }: { host: string; port: number }): SimSocket => {
    const owner = this.#time.current;
    const there = machineOf(host);
    const socket = new SimSocket({ sockets: this, owner, there });
    this.#open.add(socket);
    this.#carry(owner.machine, there, this.#time.world, () => this.#accept(socket, `${host}:${port}`));
    return socket;
  };

  #accept(socket: SimSocket, address: string): void {
    const server = this.#servers.get(address);
    const { owner, there } = socket;
    if (socket.destroyed || !owner.isAlive) return;
    const isRefused = server === undefined || !server.owner.isAlive || this.link(owner.machine, there).isCut;
    if (isRefused) return void this.#time.after(this.latencyMs(there, owner.machine), () => socket.break(), owner);
    const other = new SimSocket({ sockets: this, owner: server.owner, there: owner.machine });
    this.#open.add(other);
    other.pair(socket);
    socket.pair(other);
    this.#time.after(0, () => server.meet(other), server.owner);
  }

  latencyMs(from: string, to: string): number {
    const usual = this.#random.chance(0.01) ? 60 : 2;
    return 0.2 + usual * this.#random.fraction() + this.link(from, to).extraMs * this.#random.fraction();
  }

  /**
   * Runs the function for the process after the link's delay; on a silent link it waits until that is mended and then
   * checks again.
   */
  #carry(from: string, to: string, owner: SimProcess, arrive: () => void): void {
    const run = () => {
      if (this.link(from, to).isSilent) this.#time.after(SILENT_LOOK_MS, run, owner);
      else arrive();
    };
    this.#time.after(this.latencyMs(from, to), run, owner);
  }

  /** Cuts the bytes as the seed decides. */
  split(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.#random.chance(SPLIT_CHANCE)) return [bytes];
    const at = 1 + this.#random.below(bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  forget(socket: SimSocket): void {
    this.#open.delete(socket);
  }

  get time(): VirtualTime {
    return this.#time;
  }
}

/** Interval of retransmitted SYNs. */
const SILENT_LOOK_MS = 200;

interface Binding {
  readonly bind: (server: SimServer, host: string, port: number) => number;
  readonly unbind: (server: SimServer) => void;
}

/** The part of a server that a cluster's listener uses. */
export class SimServer {
  readonly owner: SimProcess;
  readonly #onConnection: (socket: SimSocket) => void;
  readonly #binding: Binding;
  #port = 0;
  listening = false;

  constructor(owner: SimProcess, onConnection: (socket: SimSocket) => void, binding: Binding) {
    this.owner = owner;
    this.#onConnection = onConnection;
    this.#binding = binding;
  }

  once(): this {
    return this;
  }

  listen(port: number, host: string, onListening: () => void): this {
    this.#port = this.#binding.bind(this, host, port);
    this.listening = true;
    process.nextTick(onListening);
    return this;
  }

  address(): { port: number } {
    return { port: this.#port };
  }

  close(onClosed: () => void): this {
    this.listening = false;
    this.#binding.unbind(this);
    process.nextTick(onClosed);
    return this;
  }

  meet(socket: SimSocket): void {
    if (this.listening) this.#onConnection(socket);
    else socket.destroy();
  }
}

interface SimSocketParts {
  readonly sockets: SimSockets;
  readonly owner: SimProcess;
  readonly there: string;
}

/** One end of a connection: the part of a socket that the message framing uses. */
export class SimSocket extends EventEmitter<Record<SocketEvent, [unknown?]>> {
  readonly owner: SimProcess;
  /** Machine of the other end. */
  readonly there: string;
  readonly #sockets: SimSockets;
  #peer: SimSocket | undefined;
  /** Data written but not sent, because the connection is not established yet or the link is silent. */
  #held: Arrival[] = [];
  #arrivesMs = 0;
  destroyed = false;

  constructor({ sockets, owner, there }: SimSocketParts) {
    super();
    this.#sockets = sockets;
    this.owner = owner;
    this.there = there;
  }

  get here(): string {
    return this.owner.machine;
  }

  get writable(): boolean {
    return !this.destroyed;
  }

  /** The network accepts everything at once. */
  get writableLength(): number {
    return 0;
  }

  pair(peer: SimSocket): void {
    this.#peer = peer;
    this.flush();
  }

  setNoDelay(): this {
    return this;
  }

  write(bytes: Uint8Array): boolean {
    // Copied, because the sender may reuse its buffer at once.
    this.#send(Buffer.from(bytes));
    return true;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.tellPeer();
    this.#close();
    return this;
  }

  /** Ends the connection from the network: both sides notice by themselves. */
  break(): void {
    for (const end of [this, this.#peer]) {
      if (end !== undefined) this.#sockets.time.after(0, () => end.#close(), end.owner);
    }
  }

  /** Tells the other end that this one is closed, after all data sent before. */
  tellPeer(): void {
    this.#post((peer) => peer.#close());
  }

  flush(): void {
    const held = this.#held;
    this.#held = [];
    for (const arrive of held) this.#post(arrive);
  }

  #send(bytes: Buffer): void {
    if (this.destroyed) return;
    for (const part of this.#sockets.split(bytes)) this.#post((peer) => peer.#take(part));
  }

  /** Delivers in order, never before earlier data. */
  #post(arrive: Arrival): void {
    const peer = this.#peer;
    const { time } = this.#sockets;
    if (peer === undefined || this.#sockets.link(this.here, this.there).isSilent) {
      this.#held.push(arrive);
      return;
    }
    const atMs = time.nowMs + this.#sockets.latencyMs(this.here, this.there);
    this.#arrivesMs = Math.max(this.#arrivesMs, atMs);
    time.after(this.#arrivesMs - time.nowMs, () => arrive(peer), peer.owner);
  }

  #take(bytes: Buffer): void {
    if (!this.destroyed) this.emit('data', bytes);
  }

  #close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#sockets.forget(this);
    process.nextTick(() => this.emit('close'));
  }
}

/** Effect at the other end when data arrives. */
type Arrival = (peer: SimSocket) => void;

/** Host `e1.sim` is the machine e1. */
function machineOf(host: string): string {
  return host.split('.')[0] ?? host;
}
