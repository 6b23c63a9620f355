// Answers packed for who asks for it: brotli where it is understood, else gzip.
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

/** Packs about as fast as gzip does, and a fifth smaller; the default of 11 takes fifty times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Memory of one stream that packs, as measured over 200 of them. */
export const PACKER_BYTES: Readonly<Record<Coding, number>> = { br: 1_150_000, gzip: 300_000 };
const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** What the header Accept-Encoding asks for; undefined if the answer must be sent as it is. */
export function codingFor(accepted: string | string[] | undefined): Coding | undefined {
  if (accepted === undefined) return undefined;
  const codings = String(accepted);
  if (isAccepted(codings, 'br')) return 'br';
  return isAccepted(codings, 'gzip') ? 'gzip' : undefined;
}

export function isAccepted(codings: string, coding: Coding): boolean {
  for (const each of codings.split(',')) {
    const [name = '', ...parameters] = each.split(';');
    if (name.trim().toLowerCase() !== coding) continue;
    return !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
  }
  return false;
}

/** Texts that are packed at a time: each takes a thread of the pool that files are read with, and four times its length in memory. */
const AT_ONCE = 2;
let underWay = 0;
const waiting: (() => void)[] = [];

/** Texts that are being packed, because many may wait for the same one. */
const SHARED: Readonly<Record<Coding, Map<string, Promise<Buffer | undefined>>>> = { br: new Map(), gzip: new Map() };

/** Undefined if nobody wants the text any more when its turn comes. */
export async function pack(text: string, coding: Coding, isWanted: () => boolean): Promise<Buffer | undefined> {
  const underWayAlready = SHARED[coding].get(text);
  if (underWayAlready !== undefined) return (await underWayAlready) ?? pack(text, coding, isWanted);
  const packed = packInTurn(text, coding, isWanted);
  SHARED[coding].set(text, packed);
  try {
    return await packed;
  } finally {
    SHARED[coding].delete(text);
  }
}

async function packInTurn(text: string, coding: Coding, isWanted: () => boolean): Promise<Buffer | undefined> {
  if (underWay >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay++;
  try {
    if (!isWanted()) return undefined;
    return await (coding === 'br' ? packBrotli(text, BROTLI) : packGzip(text));
  } finally {
    // The next one takes the turn over.
    const next = waiting.shift();
    if (next === undefined) underWay--;
    else next();
  }
}

export function packer(coding: Coding): Transform {
  return coding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
}
