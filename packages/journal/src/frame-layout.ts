// The binary layout of a frame, and the only code that writes or reads it; without platform APIs, so that anyone can
// check a published frame.
import { crc32c } from './crc32c.ts';

/*
 * All numbers are little-endian.
 *
 *  offset size
 *       0    4  magic F8 'P' 'J' 'F'. F8 never occurs in UTF-8, so no JSON record can contain what looks like a frame
 *       4    4  CRC-32C of bytes 8 to the end: everything after itself, the length included
 *       8    4  length of the whole frame in bytes
 *      12    2  format version, 1. Every future version keeps the first 14 bytes as they are
 *      14    2  zero
 *      16    4  epoch of the writer
 *      20    4  number of records, at least 1
 *      24    8  sequence of the first record; the first of a journal is 1
 *      32    8  time in milliseconds, never less than that of the frame before
 *      40   24  partition name, ASCII, padded with zeros
 *      64   32  SHA-256 of the whole frame before; zeros in the first
 *      96       records: 4 bytes of length, then that many bytes, for each
 */
export const FRAME_HEADER_BYTES = 96;
const FRAME_VERSION = 1;
export const FRAME_MAGIC = Uint8Array.of(0xf8, 0x50, 0x4a, 0x46);
export const HASH_BYTES = 32;
/** Large enough for any group commit, small enough that a damaged length cannot ask for all memory. */
export const MAX_FRAME_BYTES = 256 * 1024 * 1024;

const MAGIC = 0x464a50f8;
const CRC_COVERS_FROM = 8;

export interface FrameHeader {
  readonly partition: string;
  readonly epoch: number;
  readonly firstSeq: number;
  readonly timeMs: number;
  readonly previousHash: Uint8Array;
}

/** A frame before it is hashed. */
export interface ParsedFrame extends FrameHeader {
  readonly lastSeq: number;
  /** Views of shared memory: read them, keep them, never write to them. */
  readonly records: readonly Uint8Array[];
}

export interface FrameFault {
  readonly fault: 'magic' | 'length' | 'checksum' | 'version' | 'layout';
}

export function frameBytes(records: readonly Uint8Array[]): number {
  let total = FRAME_HEADER_BYTES + 4 * records.length;
  for (const record of records) total += record.length;
  return total;
}

/** Writes the frame into `target` when it is large enough, else into new memory; returns exactly the frame's bytes. */
export function encodeFrame(header: FrameHeader, records: readonly Uint8Array[], target?: Uint8Array): Uint8Array {
  const length = frameBytes(records);
  assertEncodable(header, records.length, length);
  const bytes = target && target.length >= length ? target.subarray(0, length) : new Uint8Array(length);
  const view = viewOf(bytes);
  view.setUint32(0, MAGIC, true);
  view.setUint32(8, length, true);
  view.setUint16(12, FRAME_VERSION, true);
  view.setUint16(14, 0, true);
  view.setUint32(16, header.epoch, true);
  view.setUint32(20, records.length, true);
  view.setBigUint64(24, BigInt(header.firstSeq), true);
  view.setBigUint64(32, BigInt(header.timeMs), true);
  writePartition(bytes, header.partition);
  bytes.set(header.previousHash, 64);
  writeRecords(bytes, view, records);
  view.setUint32(4, crc32c(bytes, CRC_COVERS_FROM), true);
  return bytes;
}

/** Parses one frame that must fill `bytes` exactly; returns its fault rather than throwing. */
export function parseFrame(bytes: Uint8Array): ParsedFrame | FrameFault {
  if (bytes.length < FRAME_HEADER_BYTES) return { fault: 'length' };
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== MAGIC) return { fault: 'magic' };
  if (view.getUint32(8, true) !== bytes.length) return { fault: 'length' };
  if (view.getUint32(4, true) !== crc32c(bytes, CRC_COVERS_FROM)) return { fault: 'checksum' };
  if (view.getUint16(12, true) !== FRAME_VERSION) return { fault: 'version' };
  const header = readHeader(bytes);
  const count = view.getUint32(20, true);
  if (!header || !isFilled(bytes, view, count)) return { fault: 'layout' };
  return toParsed(header, bytes, count);
}

/** The source bytes of parsed frames. */
const sources = new WeakMap<ParsedFrame, Uint8Array>();

/** Creates views of the records only on demand: a replay reads them in place. */
function toParsed(header: FrameHeader, bytes: Uint8Array, count: number): ParsedFrame {
  let records: readonly Uint8Array[] | undefined;
  const frame = {
    ...header,
    lastSeq: header.firstSeq + count - 1,
    get records() {
      records ??= readRecords(bytes, count);
      return records;
    },
  };
  sources.set(frame, bytes);
  return frame;
}

/** Visits the records of a frame in place, without creating a view of each. */
export function visitRecords(
  frame: ParsedFrame,
  visit: (bytes: Uint8Array, seq: number, start: number, end: number) => void,
): void {
  const bytes = sources.get(frame);
  if (bytes === undefined) {
    for (const [index, record] of frame.records.entries()) visit(record, frame.firstSeq + index, 0, record.length);
    return;
  }
  const view = viewOf(bytes);
  let at = FRAME_HEADER_BYTES;
  for (let seq = frame.firstSeq; seq <= frame.lastSeq; seq++) {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    visit(bytes, seq, start, at);
  }
}

/** The length that a frame claims at `offset`; undefined if no frame can begin there. At least a header must be readable. */
export function peekFrameLength(bytes: Uint8Array, offset: number): number | undefined {
  const view = viewOf(bytes);
  if (view.getUint32(offset, true) !== MAGIC) return undefined;
  const length = view.getUint32(offset + 8, true);
  return length < FRAME_HEADER_BYTES || length > MAX_FRAME_BYTES ? undefined : length;
}

/** The header at the start of `bytes` if it is valid by itself, regardless of payload and checksum. */
export function readHeader(bytes: Uint8Array): FrameHeader | undefined {
  const view = viewOf(bytes);
  const partition = readPartition(bytes);
  const firstSeq = Number(view.getBigUint64(24, true));
  const timeMs = Number(view.getBigUint64(32, true));
  const knownLayout = view.getUint16(12, true) === FRAME_VERSION && view.getUint16(14, true) === 0;
  if (!knownLayout || view.getUint32(20, true) === 0 || !partition) return undefined;
  if (firstSeq < 1 || !Number.isSafeInteger(firstSeq) || !Number.isSafeInteger(timeMs)) return undefined;
  return { partition, epoch: view.getUint32(16, true), firstSeq, timeMs, previousHash: bytes.slice(64, 96) };
}

/** Whether this many records fill the frame exactly. */
function isFilled(bytes: Uint8Array, view: DataView, count: number): boolean {
  let at = FRAME_HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    if (at + 4 > bytes.length) return false;
    at += 4 + view.getUint32(at, true);
    if (at > bytes.length) return false;
  }
  return at === bytes.length;
}

function readRecords(bytes: Uint8Array, count: number): Uint8Array[] {
  const view = viewOf(bytes);
  let at = FRAME_HEADER_BYTES;
  return Array.from({ length: count }, () => {
    const length = view.getUint32(at, true);
    const start = at + 4;
    at = start + length;
    return new Uint8Array(bytes.buffer, bytes.byteOffset + start, length);
  });
}

function writeRecords(bytes: Uint8Array, view: DataView, records: readonly Uint8Array[]): void {
  let at = FRAME_HEADER_BYTES;
  for (const record of records) {
    view.setUint32(at, record.length, true);
    bytes.set(record, at + 4);
    at += 4 + record.length;
  }
}

function writePartition(bytes: Uint8Array, partition: string): void {
  bytes.fill(0, 40, 40 + PARTITION_NAME_BYTES);
  for (let index = 0; index < partition.length; index++) bytes[40 + index] = partition.charCodeAt(index);
}

function readPartition(bytes: Uint8Array): string | undefined {
  let name = '';
  let at = 40;
  for (; at < 64 && bytes[at] !== 0; at++) name += String.fromCharCode(bytes[at]!);
  for (; at < 64; at++) if (bytes[at] !== 0) return undefined;
  return isPartitionName(name) ? name : undefined;
}

function assertEncodable(header: FrameHeader, count: number, length: number): void {
  if (count === 0) throw new RangeError('A frame holds at least one record.');
  if (length > MAX_FRAME_BYTES)
    throw new RangeError(`A frame of ${length} bytes is over the limit of ${MAX_FRAME_BYTES}.`);
  if (!isPartitionName(header.partition)) throw new RangeError(`"${header.partition}" is not a partition name.`);
  if (!Number.isSafeInteger(header.timeMs) || header.timeMs < 0)
    throw new RangeError(`${header.timeMs} is not a time.`);
  if (header.firstSeq < 1 || !Number.isSafeInteger(header.firstSeq + count))
    throw new RangeError('Sequence out of range.');
  if (header.epoch < 0 || header.epoch > 0xffffffff) throw new RangeError('Epoch out of range.');
  if (header.previousHash.length !== HASH_BYTES) throw new RangeError('The previous hash has 32 bytes.');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export const PARTITION_NAME_BYTES = 24;

const NAME = /^[a-z0-9][a-z0-9-]{0,23}$/;

export function isPartitionName(name: string): boolean {
  return NAME.test(name);
}

export function assertPartitionName(name: string): void {
  if (!isPartitionName(name)) {
    throw new RangeError(`"${name}" is not a partition name: 1 to 24 of a-z, 0-9 and "-", such as m0 or chain-31337.`);
  }
}
