// Records of the chain's log, from which the same chain is rebuilt after any restart.
import { type Hex, isHex, isObject } from '@presage/protocol';
import type { Hardfork } from './edr-node.ts';

/** A transaction in the form in which the node takes it again: signed bytes, or a call in the name of an account. */
export type TransactionBody =
  | { readonly kind: 'signed'; readonly raw: Hex }
  | {
      readonly kind: 'sent-as';
      readonly from: Hex;
      readonly to: Hex | null;
      readonly data: Hex;
      readonly value: Hex;
      readonly gas: Hex;
      readonly nonce: number;
    };

export interface StoredTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  readonly body: TransactionBody;
}

export interface BlockRecord {
  readonly number: number;
  readonly time: number;
  /** Number of reorganisations before this block; part of its randomness, so that no two branches share a hash. */
  readonly branch: number;
  readonly hash: Hex;
  readonly transactions: readonly Hex[];
}

export type ChainRecord =
  | {
      readonly type: 'genesis';
      readonly version: 1;
      readonly chainId: number;
      readonly time: number;
      readonly blockGasLimit: number;
      /** Absent for chains created before Osaka. */
      readonly hardfork?: 'Osaka';
    }
  | { readonly type: 'transaction'; readonly transaction: StoredTransaction }
  | { readonly type: 'block'; readonly block: BlockRecord; readonly refused: readonly Hex[] }
  | { readonly type: 'reorg'; readonly depth: number; readonly blocks: readonly BlockRecord[] }
  | { readonly type: 'forgotten'; readonly hashes: readonly Hex[] }
  | { readonly type: 'offset'; readonly seconds: number }
  /** The state of this block was taken while the node continued: a start may begin from it. */
  | { readonly type: 'saved'; readonly number: number; readonly hash: Hex }
  /** The node was replaced by one that began from the state of this block, which is older than the newest. */
  | { readonly type: 'rebased'; readonly number: number; readonly hash: Hex };

export type GenesisRecord = Extract<ChainRecord, { type: 'genesis' }>;

export function hardforkOf({ hardfork }: Pick<GenesisRecord, 'hardfork'>): Hardfork {
  return hardfork ?? 'Prague';
}

export function encodeRecord(record: ChainRecord): Uint8Array {
  assertRecord(record);
  return Buffer.from(JSON.stringify(record), 'utf8');
}

export function parseRecord(bytes: Uint8Array): ChainRecord {
  const record: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  assertRecord(record);
  return record;
}

function assertRecord(value: unknown): asserts value is ChainRecord {
  if (isObject(value) && isKnownRecord(value)) return;
  throw new Error(`not a chain record: ${(JSON.stringify(value) ?? String(value)).slice(0, 200)}`);
}

function isKnownRecord(value: Readonly<Record<string, unknown>>): boolean {
  switch (value.type) {
    case 'genesis':
      return (
        value.version === 1 &&
        [value.chainId, value.time, value.blockGasLimit].every(isCount) &&
        (value.hardfork === undefined || value.hardfork === 'Osaka')
      );
    case 'transaction':
      return isStoredTransaction(value.transaction);
    case 'block':
      return isBlock(value.block) && isHashes(value.refused);
    case 'reorg':
      return isCount(value.depth) && Array.isArray(value.blocks) && value.blocks.every(isBlock);
    case 'forgotten':
      return isHashes(value.hashes);
    case 'offset':
      return Number.isSafeInteger(value.seconds);
    case 'saved':
    case 'rebased':
      return isCount(value.number) && isHash(value.hash);
    default:
      return false;
  }
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false;
  const counts = [value.number, value.time, value.branch];
  return counts.every(isCount) && isHash(value.hash) && isHashes(value.transactions);
}

function isStoredTransaction(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.body)) return false;
  const body = value.body;
  const known = body.kind === 'signed' ? isHex(body.raw) : body.kind === 'sent-as' && isHex(body.data);
  return known && isHash(value.hash) && isHex(value.from) && isCount(value.nonce);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isHash = (value: unknown): boolean => isHex(value) && String(value).length === 66;
const isHashes = (value: unknown): boolean => Array.isArray(value) && value.every(isHash);
