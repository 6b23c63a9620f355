// A range of old blocks in one file: each with its transactions and receipts, compressed, and an index of hashes and
// blooms.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { crc32c } from '@presage/journal';
import type { Hex } from '@presage/protocol';
import type { TransactionBody } from '../chain-record.ts';
import { readRange } from './chain-files.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The node's answers about a block, and the input to execute it again. */
export interface ArchivedBlock {
  readonly block: BlockWithTransactions;
  readonly receipts: readonly ReceiptView[];
  readonly branch: number;
  readonly bodies: readonly TransactionBody[];
}

interface BlockWithTransactions {
  readonly number: Hex;
  readonly hash: Hex;
  readonly timestamp: Hex;
  readonly stateRoot: Hex;
  readonly mixHash: Hex;
  readonly logsBloom: Hex;
  readonly parentBeaconBlockRoot: Hex;
  readonly transactions: readonly { readonly hash: Hex; readonly from: Hex; readonly nonce: Hex }[];
}

export interface ReceiptView {
  readonly logs: readonly LogView[];
}

export interface LogView {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

/*
 * Little-endian: the blocks, compressed; a row for each block (hash 32, offset 4, length 4, CRC-32C 4, transactions before it 4);
 * the hashes of all transactions (32 each); the blooms (256 each); and the footer: magic 8, first block 4, blocks 4,
 * transactions 4, bytes of the blocks 4, SHA-256 of rows and hashes 32, SHA-256 of the blooms 32.
 */
const MAGIC = 'PRSBLKS1';
const HASH_BYTES = 32;
const ROW_BYTES = 48;
const BLOOM_BYTES = 256;
const FOOTER_BYTES = 24 + 2 * HASH_BYTES;

/** Takes blocks in order and produces the parts of a file. */
export class SegmentBuilder {
  readonly #first: number;
  readonly #blocks: Buffer[] = [];
  readonly #rows: Buffer[] = [];
  readonly #hashes: Hex[] = [];
  readonly #blooms: Hex[] = [];
  #bytes = 0;

  constructor(first: number) {
    this.#first = first;
  }

  async add(archived: ArchivedBlock): Promise<void> {
    const { block } = archived;
    const bytes = await deflate(JSON.stringify(archived), { level: 1 });
    const row = Buffer.alloc(ROW_BYTES);
    row.write(block.hash.slice(2), 0, 'hex');
    const fields = [this.#bytes, bytes.length, crc32c(bytes), this.#hashes.length];
    for (const [index, field] of fields.entries()) row.writeUInt32LE(field >>> 0, HASH_BYTES + 4 * index);
    this.#rows.push(row);
    this.#blocks.push(bytes);
    this.#bytes += bytes.length;
    this.#hashes.push(...block.transactions.map(({ hash }) => hash));
    this.#blooms.push(block.logsBloom);
  }

  parts(): Buffer[] {
    const index = Buffer.concat([...this.#rows, toBytes(this.#hashes)]);
    const blooms = toBytes(this.#blooms);
    const footer = Buffer.alloc(FOOTER_BYTES);
    footer.write(MAGIC, 0, 'latin1');
    const fields = [this.#first, this.#rows.length, this.#hashes.length, this.#bytes];
    for (const [at, field] of fields.entries()) footer.writeUInt32LE(field, 8 + 4 * at);
    digest(index).copy(footer, 24);
    digest(blooms).copy(footer, 24 + HASH_BYTES);
    return [...this.#blocks, index, blooms, footer];
  }
}

/** Keeps the hashes in memory and reads everything else on demand. */
export class BlockSegment {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly #index: Buffer;
  readonly #blocksBytes: number;
  readonly #bloomsDigest: Buffer;

  private constructor(path: string, footer: Buffer, index: Buffer) {
    this.path = path;
    this.first = footer.readUInt32LE(8);
    this.last = this.first + footer.readUInt32LE(12) - 1;
    this.#blocksBytes = footer.readUInt32LE(20);
    this.#bloomsDigest = footer.subarray(24 + HASH_BYTES);
    this.#index = index;
  }

  static async open(path: string): Promise<BlockSegment> {
    const { size } = await stat(path);
    const footer = await readRange(path, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES);
    if (footer.toString('latin1', 0, 8) !== MAGIC) throw new Error(`${path} is not a file of blocks`);
    const [blocks, hashes, bytes] = [footer.readUInt32LE(12), footer.readUInt32LE(16), footer.readUInt32LE(20)];
    const index = await readRange(path, bytes, blocks * ROW_BYTES + hashes * HASH_BYTES);
    if (!digest(index).equals(footer.subarray(24, 24 + HASH_BYTES))) throw new Error(`the index of ${path} is damaged`);
    return new BlockSegment(path, footer, index);
  }

  get name(): string {
    return basename(this.path);
  }

  /** Number of the block with this hash. */
  findBlock(hash: Buffer): number | undefined {
    const at = findRow(this.#index.subarray(0, this.#rowsEnd), hash, ROW_BYTES);
    return at === undefined ? undefined : this.first + at;
  }

  findTransaction(hash: Buffer): { readonly number: number; readonly index: number } | undefined {
    const at = findRow(this.#index.subarray(this.#rowsEnd), hash, HASH_BYTES);
    if (at === undefined) return undefined;
    let number = this.last;
    while (this.#field(number, 3) > at) number -= 1;
    return { number, index: at - this.#field(number, 3) };
  }

  async read(number: number): Promise<ArchivedBlock> {
    const bytes = await readRange(this.path, this.#field(number, 0), this.#field(number, 1));
    if (crc32c(bytes) >>> 0 !== this.#field(number, 2)) throw new Error(`block ${number} in ${this.path} is damaged`);
    const block: ArchivedBlock = JSON.parse((await inflate(bytes)).toString('utf8'));
    return block;
  }

  /** The blooms of all blocks, concatenated. */
  async readBlooms(): Promise<Buffer> {
    const count = this.last - this.first + 1;
    const blooms = await readRange(this.path, this.#blocksBytes + this.#index.length, count * BLOOM_BYTES);
    if (!digest(blooms).equals(this.#bloomsDigest)) throw new Error(`the blooms of ${this.path} are damaged`);
    return blooms;
  }

  get #rowsEnd(): number {
    return (this.last - this.first + 1) * ROW_BYTES;
  }

  #field(number: number, index: number): number {
    return this.#index.readUInt32LE((number - this.first) * ROW_BYTES + HASH_BYTES + 4 * index);
  }
}

/** Finds the row that begins with the hash. A byte search is fast and needs no further memory. */
function findRow(rows: Buffer, hash: Buffer, rowBytes: number): number | undefined {
  let at = rows.indexOf(hash);
  while (at >= 0 && at % rowBytes !== 0) at = rows.indexOf(hash, at + 1);
  return at < 0 ? undefined : at / rowBytes;
}

function toBytes(words: readonly Hex[]): Buffer {
  return Buffer.from(words.map((word) => word.slice(2)).join(''), 'hex');
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
