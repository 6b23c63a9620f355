// The connections of a listener: when all places are taken, the address that holds most of them, or else whoever is idle, makes room; and the fewer are left, the sooner a silent one must ask.
import type { Socket } from 'node:net';
import { FairPlaces, type Placed } from '@presage/runtime';
import { ClientAddresses, NO_PROXIES, toRateKey } from './request-origin.ts';

interface Connection extends Placed {
  readonly socket: Socket;
  readonly openedMs: number;
  hasAsked: boolean;
}

/** Without places to spare, a silent connection has this share of its time. */
const LEAST_SHARE = 0.1;

export class ConnectionTable {
  /** Who the other ends are; no proxy is known until it is told. */
  addresses = new ClientAddresses(NO_PROXIES);
  readonly #most: number;
  readonly #silentMs: number;
  readonly #nowMs: () => number;
  readonly #places = new FairPlaces<Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** Connections without a request under way, in the order in which they became idle. */
  readonly #idle = new Set<Connection>();
  /** Connections that have not asked for anything, in the order in which they came. */
  readonly #silent = new Set<Connection>();
  #proxied = 0;

  /** The time of a silent connection falls as places run out, from `silentMs` while half of them are free. */
  constructor(most: number, silentMs: number, nowMs = () => performance.now()) {
    this.#most = most;
    this.#silentMs = silentMs;
    this.#nowMs = nowMs;
  }

  /** Closes another connection if all places are taken, or the new one if all others are busy and nobody holds many. */
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

  /** A proxy's connections carry the requests of many, so each counts as an address of its own. */
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

  /** Only newcomers need places, so it is enough to look when one comes. */
  #endLate(): void {
    const free = 2 * (1 - this.#places.size / this.#most);
    if (free >= 1) return;
    const latestMs = this.#nowMs() - this.#silentMs * Math.max(free, LEAST_SHARE);
    for (const each of this.#silent) {
      if (each.openedMs > latestMs) return;
      this.#end(each);
    }
  }

  /** A connection that never asked for anything goes before one that waits for its next request; only for an address with fewer. */
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
