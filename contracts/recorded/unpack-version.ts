// How the creation code of earlier versions is kept: all contracts one behind the other, compressed.
import { brotliDecompressSync } from 'node:zlib';

type Recorded =
  | 'presageSettlement'
  | 'conditionalTokensWithPermit'
  | 'marketFactory'
  | 'market'
  | 'quickMarketFactory'
  | 'quickMarket';

/** Each contract's length in bytes, in the order in which they follow each other. */
export type RecordedLengths = Readonly<Record<Recorded, number>>;
export type RecordedVersion = Readonly<Record<Recorded, `0x${string}`>>;

/** @param packed Brotli, as base64: a quarter of what it was */
export function unpackVersion(lengths: RecordedLengths, packed: string): RecordedVersion {
  const all = brotliDecompressSync(Buffer.from(packed, 'base64'));
  let start = 0;
  const parts = Object.entries(lengths).map(([name, length]) => {
    const code = all.subarray(start, start + length);
    start += length;
    return [name, `0x${code.toString('hex')}`];
  });
  // The lengths name every contract once.
  return Object.fromEntries(parts) as RecordedVersion;
}
