// One snapshot as bytes: the state of a block, what followed it when it was taken, and a checksum over all of it.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Hex } from '@presage/protocol';
import type { GenesisRecord, StoredTransaction } from '../chain-record.ts';
import type { LedgerBlock } from '../ledger.ts';
import type { NodeOrigin } from './seeded-node.ts';
import { SLOT_BYTES, Storage, WorldState } from './world-state.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/*
 * Magic 8, SHA-256 of the rest 32, and compressed: length of the head 4 (little-endian), the head as JSON, and the storage of each
 * account of the head, packed, in its order.
 */
const MAGIC = Buffer.from('PRSSNAP1', 'latin1');
const PREFIX_BYTES = MAGIC.length + 32;

export interface Snapshot {
  /** Sequence of the record that says that the chain continued from this state. */
  readonly seq: number;
  readonly genesis: GenesisRecord;
  readonly origin: NodeOrigin;
  readonly branch: number;
  readonly offsetSeconds: number;
  /** Blocks after the origin and before that record. */
  readonly blocks: readonly LedgerBlock[];
  /** Accepted transactions that are not mined, in order of arrival. */
  readonly waiting: readonly StoredTransaction[];
  /** Files with all blocks up to the origin, in order. */
  readonly segments: readonly string[];
  readonly state: WorldState;
}

interface AccountHead {
  readonly address: string;
  readonly balance: Hex;
  readonly nonce: number;
  readonly code: Hex;
  readonly slots: number;
}

type Head = Omit<Snapshot, 'state'> & { readonly accounts: readonly AccountHead[] };

export async function encodeSnapshot({ state, ...rest }: Snapshot): Promise<Buffer> {
  const storages = [...state.accounts.values()].map(({ storage }) => storage.pack());
  const accounts = [...state.accounts].map(([address, { balance, nonce, code }], index): AccountHead => {
    return { address, balance, nonce, code, slots: (storages[index]?.length ?? 0) / SLOT_BYTES };
  });
  const head = Buffer.from(JSON.stringify({ ...rest, accounts } satisfies Head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = await deflate(Buffer.concat([length, head, ...storages]), { level: 1 });
  return Buffer.concat([MAGIC, createHash('sha256').update(body).digest(), body]);
}

/** Throws if a single bit differs from what was written. */
export async function parseSnapshot(bytes: Buffer): Promise<Snapshot> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('it is not a snapshot');
  const compressed = bytes.subarray(PREFIX_BYTES);
  const digest = createHash('sha256').update(compressed).digest();
  if (!digest.equals(bytes.subarray(MAGIC.length, PREFIX_BYTES))) throw new Error('its checksum is wrong');
  const body = await inflate(compressed);
  const end = 4 + body.readUInt32LE(0);
  const { accounts, ...rest }: Head = JSON.parse(body.toString('utf8', 4, end));
  return { ...rest, state: toState(accounts, body.subarray(end)) };
}

function toState(accounts: readonly AccountHead[], packed: Buffer): WorldState {
  const state = new WorldState();
  let at = 0;
  for (const { address, balance, nonce, code, slots } of accounts) {
    const storage = new Storage(packed.subarray(at, at + slots * SLOT_BYTES));
    state.accounts.set(address, { balance, nonce, code, storage });
    at += slots * SLOT_BYTES;
  }
  return state;
}
