// Bounds a listener's connections: when it is full, the address with most, or else an idle one, makes room; silent ones get less time as it fills up.
import type { Socket } from 'node:net';
import { FairPlaces, type Placed } from '@presage/runtime';
import { ClientAddresses, NO_PROXIES, toRateKey } from './request-origin.ts';

interface Connection extends Placed {
  readonly socket: Socket;
  readonly openedMs: number;
  hasAsked: boolean;
}

/** Share of its time that a silent connection keeps when no place is free. */
const LEAST_SHARE = 0.1;

export class ConnectionTable {
  /** Resolver of client addresses; knows no proxies until it is replaced. */
  addresses = new ClientAddresses(NO_PROXIES);
  readonly #most: number;
  readonly #silentMs: number;
  readonly #nowMs: () => number;
  readonly #places = new FairPlaces<Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** Connections without a request in progress, in the order in which they became idle. */
  readonly #idle = new Set<Connection>();
  /** Connections that have sent no request yet, in the order in which they came. */
  readonly #silent = new Set<Connection>();
  #proxied = 0;

  /** `silentMs` is the time of a silent connection while half of the places are free; it falls as places run out. */
  constructor(most: number, silentMs: number, nowMs = () => performance.now()) {
    this.#most = most;
    this.#silentMs = silentMs;
    this.#nowMs = nowMs;
  }

  /** Adds a connection. If all places are taken, closes another one; or the new one, if all others are busy and no address holds many. */
  add(socket: Socket): void {
    this.#endLate();
    const connection = { socket, address: this.#addressOf(socket), openedMs: this.#nowMs(), hasAsked: false };
    if (this.#places.size >= this.#most && !this.#makeRoom(connection.address)) {
      socket.destroy();
      return;
    }
    this.#places.add(connection);
    this.#bySocket.set(socket, connection);
    this.#idle.add(connection);
    this.#silent.add(connection);
    socket.once('close', () => this.#delete(connection));
  }

  noteBusy(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.hasAsked = true;
    this.#idle.delete(connection);
    this.#silent.delete(connection);
  }

  noteIdle(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection !== undefined && !socket.destroyed) this.#idle.add(connection);
  }

  endAll(): void {
    for (const each of this.#places.all()) this.#end(each);
  }

  /** Address of the other end. Each connection of a proxy counts as an address of its own, since it carries requests of many clients. */
  #addressOf({ remoteAddress }: Socket): string {
    if (this.addresses.isTrustedPeer(remoteAddress)) return `proxied ${this.#proxied++}`;
    return toRateKey(this.addresses.of(remoteAddress, {}));
  }

  #makeRoom(newcomer: string): boolean {
    const crowd = this.#places.crowdBefore(newcomer);
    const isIdle = (each: Connection) => this.#idle.has(each);
    const leaving = crowd.find((each) => !each.hasAsked) ?? crowd.find(isIdle) ?? crowd[0] ?? this.#firstIdle(newcomer);
    if (leaving === undefined) return false;
    this.#end(leaving);
    return true;
  }

  /** Closes silent connections that are out of time. Runs when a newcomer arrives, since only newcomers need places. */
  #endLate(): void {
    const free = 2 * (1 - this.#places.size / this.#most);
    if (free >= 1) return;
    const latestMs = this.#nowMs() - this.#silentMs * Math.max(free, LEAST_SHARE);
    for (const each of this.#silent) {
      if (each.openedMs > latestMs) return;
      this.#end(each);
    }
  }

  /** Finds an idle connection of an address that holds more than the newcomer's; one that never sent a request goes first. */
  #firstIdle(newcomer: string): Connection | undefined {
    const own = this.#places.countOf(newcomer);
    let first: Connection | undefined;
    for (const each of this.#idle) {
      if (this.#places.countOf(each.address) <= own) continue;
      if (!each.hasAsked) return each;
      first ??= each;
    }
    return first;
  }

  #end(connection: Connection): void {
    this.#delete(connection);
    connection.socket.destroy();
  }

  #delete(connection: Connection): void {
    this.#places.delete(connection);
    this.#idle.delete(connection);
    this.#silent.delete(connection);
  }
}
