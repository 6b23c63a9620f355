// Compresses answers for clients that accept it: with brotli if accepted, else with gzip.
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { RawResponse } from './exchange.ts';

export type Coding = 'br' | 'gzip';

/** Quality 4: about as fast as gzip and a fifth smaller; the default of 11 takes fifty times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Memory of one compressing stream, measured over 200 of them. */
export const PACKER_BYTES: Readonly<Record<Coding, number>> = { br: 1_150_000, gzip: 300_000 };
const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Coding chosen from the header Accept-Encoding; undefined if the answer must be sent uncompressed. */
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

/** The part of an answer that shows whether its reader has left. */
type Reader = Pick<RawResponse, 'destroyed' | 'once' | 'off'>;

/** Texts compressed concurrently. Each takes a thread of the pool that also reads files, and four times its length in memory. */
const AT_ONCE = 2;
let underWay = 0;
/** Callbacks of queued texts, oldest first; called when their turn comes. */
const waiting = new Set<() => void>();

/** Compressions in progress, shared because many readers may wait for the same text. */
const SHARED: Readonly<Record<Coding, Map<string, Promise<Buffer | undefined>>>> = { br: new Map(), gzip: new Map() };

/** Compresses a text; undefined if the reader left before its turn came. */
export async function pack(text: string, coding: Coding, reader: Reader): Promise<Buffer | undefined> {
  const underWayAlready = SHARED[coding].get(text);
  if (underWayAlready !== undefined) {
    const packed = await underWayAlready;
    return packed === undefined && !reader.destroyed ? pack(text, coding, reader) : packed;
  }
  const packed = packInTurn(text, coding, reader);
  SHARED[coding].set(text, packed);
  try {
    return await packed;
  } finally {
    SHARED[coding].delete(text);
  }
}

async function packInTurn(text: string, coding: Coding, reader: Reader): Promise<Buffer | undefined> {
  if (underWay < AT_ONCE) underWay++;
  else if (!(await hasTurn(reader))) return undefined;
  try {
    if (reader.destroyed) return undefined;
    return await (coding === 'br' ? packBrotli(text, BROTLI) : packGzip(text));
  } finally {
    // The next text takes over the turn.
    const [next] = waiting;
    if (next === undefined) underWay--;
    else next();
  }
}

/** Resolves to true when the turn comes, or to false as soon as the reader leaves, since nobody needs the text then. */
function hasTurn(reader: Reader): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isTurn: boolean) => {
      waiting.delete(onTurn);
      reader.off('close', onClose);
      resolve(isTurn);
    };
    const onTurn = () => end(true);
    const onClose = () => end(false);
    waiting.add(onTurn);
    reader.once('close', onClose);
  });
}

export function packer(coding: Coding): Transform {
  return coding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
}
