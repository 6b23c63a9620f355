// Stores an asset's recent prices on disk: a ring file with one fixed slot per second.
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32c } from '@presage/journal';
import { LIMITS, PRICE_SOURCES } from '@presage/protocol';
import { makePrivateFolder, PRIVATE_FILE } from '@presage/runtime/node';
import type { Price } from './ports.ts';

/** Number of slots; more than the history has seconds, so that no shown price is overwritten. */
const SLOTS = LIMITS.priceHistorySeconds + 80;
const SLOT_BYTES = 32;
const AT = { timeMs: 0, price: 8, source: 16, flags: 17, checksum: 28 } as const;
const SIMULATED = 1;

export class PriceRing {
  readonly #asset: string;
  readonly #file: FileHandle;

  private constructor(asset: string, file: FileHandle) {
    this.#asset = asset;
    this.#file = file;
  }

  static async open(path: string, asset: string): Promise<PriceRing> {
    await makePrivateFolder(dirname(path));
    // 'a+' ignores the position and appends; 'r+' requires an existing file.
    const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return open(path, 'w+', PRIVATE_FILE);
      throw error;
    });
    return new PriceRing(asset, file);
  }

  /** Loads all complete slots, oldest first; skips a slot torn by a power failure. */
  async load(): Promise<Price[]> {
    const bytes = await this.#file.readFile();
    const covered = toCovered(this.#asset);
    const prices: Price[] = [];
    for (let at = 0; at + SLOT_BYTES <= bytes.length; at += SLOT_BYTES) {
      const price = decodeSlot(bytes.subarray(at, at + SLOT_BYTES), this.#asset, covered);
      if (price !== undefined && slotOf(price) * SLOT_BYTES === at) prices.push(price);
    }
    return prices.sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Writes a price; it is durable when this resolves. */
  async write(price: Price): Promise<void> {
    await this.#file.write(encodeSlot(price), 0, SLOT_BYTES, slotOf(price) * SLOT_BYTES);
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function slotOf({ timeMs }: Price): number {
  return Math.floor(timeMs / 1_000) % SLOTS;
}

/** Buffer for the data that a checksum covers. Includes the asset's name, so that a file renamed to another asset has no valid slots. */
function toCovered(asset: string): Buffer {
  return Buffer.concat([Buffer.alloc(AT.checksum), Buffer.from(asset)]);
}

function checksumOf(slot: Buffer, covered: Buffer): number {
  slot.copy(covered, 0, 0, AT.checksum);
  return crc32c(covered);
}

function encodeSlot({ asset, timeMs, price, source, simulated }: Price): Buffer {
  const slot = Buffer.alloc(SLOT_BYTES);
  slot.writeBigUInt64LE(BigInt(timeMs), AT.timeMs);
  slot.writeBigUInt64LE(BigInt(price), AT.price);
  slot.writeUInt8(PRICE_SOURCES.indexOf(source), AT.source);
  slot.writeUInt8(simulated ? SIMULATED : 0, AT.flags);
  slot.writeUInt32LE(checksumOf(slot, toCovered(asset)), AT.checksum);
  return slot;
}

/** Decodes a slot; undefined if it was never written, as most are in a young service, or is damaged. Overwrites `covered`. */
function decodeSlot(slot: Buffer, asset: string, covered: Buffer): Price | undefined {
  const timeMs = Number(slot.readBigUInt64LE(AT.timeMs));
  if (timeMs === 0) return undefined;
  const source = PRICE_SOURCES[slot.readUInt8(AT.source)];
  const isWhole = slot.readUInt32LE(AT.checksum) === checksumOf(slot, covered);
  if (source === undefined || !isWhole) return undefined;
  const price = Number(slot.readBigUInt64LE(AT.price));
  return { asset, price, timeMs, source, simulated: (slot.readUInt8(AT.flags) & SIMULATED) !== 0 };
}
