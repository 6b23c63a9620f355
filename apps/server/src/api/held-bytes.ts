// Accounts for memory held for clients: unread answers and unfinished bodies. Bounded per connection, per address and in total.

/** Something held for a client: an answer, the messages of a stream, the received part of a body. */
export interface Holder {
  /** The client's connection. */
  readonly connection: object;
  /** Key of the client's address; for IPv6 the whole /64. */
  readonly address: string;
  /** Maximum bytes of this holder alone; unbounded if absent. */
  readonly maxBytes?: number;
  /** Releases the memory, by closing the connection or refusing the body; `bytes` is how much the connection held. */
  giveUp(reason: string, bytes: number): void;
}

export interface HeldLimits {
  /** Limit of a connection with several holders. A single long answer is bounded by its list's limits instead. */
  readonly connection: number;
  readonly address: number;
  readonly all: number;
}

interface Connection {
  readonly client: Client;
  readonly holders: Set<Holder>;
  bytes: number;
}

/** Account of one address. */
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

  /** False while connections already given up still use more memory than an address may hold. */
  get hasRoom(): boolean {
    return this.#unreleasedBytes <= this.#limits.address;
  }

  /** Counts the memory of a connection that was given up until it closes; returns the function to call then. */
  countUnreleased(bytes: number): () => void {
    this.#unreleasedBytes += bytes;
    return () => {
      this.#unreleasedBytes -= bytes;
    };
  }

  /** Records the holder's current bytes, and gives up connections until no limit is exceeded. */
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

/** The largest entry; among equals the oldest. */
function largestOf<T extends { readonly bytes: number }>(each: Iterable<T>): T {
  return [...each].reduce((largest, next) => (next.bytes > largest.bytes ? next : largest));
}
