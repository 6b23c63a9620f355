// The account of memory that is held for clients until they read, or until the rest of their body comes: bounded for a connection, for an address and for all.

/** Something that is held for a client: an answer, the messages of a stream, the part of a body that has come. */
export interface Holder {
  /** The connection by which the client reads or sends. */
  readonly connection: object;
  /** Key of the client's address: a whole /64 of IPv6. */
  readonly address: string;
  /** Most bytes of this holder alone; unbounded if absent. */
  readonly maxBytes?: number;
  /** Releases everything that is held for the connection; `bytes` is what it held. */
  giveUp(reason: string, bytes: number): void;
}

export interface HeldLimits {
  /** Applies to a connection with several holders: a single long answer is bounded by the limits of its list. */
  readonly connection: number;
  readonly address: number;
  readonly all: number;
}

interface Connection {
  readonly client: Client;
  readonly holders: Set<Holder>;
  bytes: number;
}

/** Everything that is held for one address. */
interface Client {
  readonly address: string;
  readonly connections: Set<Connection>;
  bytes: number;
}

const REASONS = {
  connection: 'too slow: too much waits to be read by this connection',
  address: 'too slow: too much waits to be read by this address',
  all: 'too slow: too much waits to be read by all connections together',
} as const;

export class HeldBytes {
  readonly #limits: HeldLimits;
  readonly #held = new Map<Holder, { readonly connection: Connection; bytes: number }>();
  readonly #connections = new Map<object, Connection>();
  readonly #clients = new Map<string, Client>();
  #bytes = 0;
  #unreleasedBytes = 0;

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False while connections that were given up still take more memory than an address may hold. */
  get hasRoom(): boolean {
    return this.#unreleasedBytes <= this.#limits.address;
  }

  /** Counts what a connection that was given up takes until it is closed; returns what to call then. */
  countUnreleased(bytes: number): () => void {
    this.#unreleasedBytes += bytes;
    return () => {
      this.#unreleasedBytes -= bytes;
    };
  }

  /** Records what the holder holds now, and gives connections up until no limit is exceeded. */
  note(holder: Holder, bytes: number): void {
    const entry = this.#held.get(holder) ?? (bytes === 0 ? undefined : this.#enter(holder));
    if (entry === undefined) return;
    const { connection } = entry;
    const grown = bytes - entry.bytes;
    entry.bytes = bytes;
    this.#add(connection, grown);
    if (bytes === 0) this.#leave(holder, connection);
    if (grown > 0) this.#enforce(holder, connection);
  }

  #enter(holder: Holder): { connection: Connection; bytes: number } {
    const connection = this.#connections.get(holder.connection) ?? this.#open(holder);
    connection.holders.add(holder);
    const entry = { connection, bytes: 0 };
    this.#held.set(holder, entry);
    return entry;
  }

  #open({ connection: key, address }: Holder): Connection {
    const client = this.#clients.get(address) ?? { address, connections: new Set(), bytes: 0 };
    this.#clients.set(address, client);
    const connection = { client, holders: new Set<Holder>(), bytes: 0 };
    client.connections.add(connection);
    this.#connections.set(key, connection);
    return connection;
  }

  #add(connection: Connection, bytes: number): void {
    connection.bytes += bytes;
    connection.client.bytes += bytes;
    this.#bytes += bytes;
  }

  #leave(holder: Holder, connection: Connection): void {
    this.#held.delete(holder);
    connection.holders.delete(holder);
    if (connection.holders.size > 0) return;
    const { client } = connection;
    this.#connections.delete(holder.connection);
    client.connections.delete(connection);
    if (client.connections.size === 0) this.#clients.delete(client.address);
  }

  #enforce(holder: Holder, connection: Connection): void {
    const { client } = connection;
    const isLarge = this.#held.get(holder)!.bytes > (holder.maxBytes ?? Number.POSITIVE_INFINITY);
    const isCrowded = connection.holders.size > 1 && connection.bytes > this.#limits.connection;
    if (isLarge || isCrowded) this.#giveUp(connection, REASONS.connection);
    while (client.bytes > this.#limits.address) this.#giveUp(largestOf(client.connections), REASONS.address);
    while (this.#bytes > this.#limits.all) {
      this.#giveUp(largestOf(largestOf(this.#clients.values()).connections), REASONS.all);
    }
  }

  #giveUp(connection: Connection, reason: string): void {
    const holders = [...connection.holders];
    const { bytes } = connection;
    for (const holder of holders) {
      this.#add(connection, -this.#held.get(holder)!.bytes);
      this.#leave(holder, connection);
    }
    holders[0]?.giveUp(reason, bytes);
  }
}

/** The oldest of the largest. */
function largestOf<T extends { readonly bytes: number }>(each: Iterable<T>): T {
  return [...each].reduce((largest, next) => (next.bytes > largest.bytes ? next : largest));
}
