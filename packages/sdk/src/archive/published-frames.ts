// Reads the public journal page by page and checks each frame against the hash chain.
import { sha256 as nobleSha256 } from '@noble/hashes/sha2';
import { decodeRecord, isMarketPartition, type JournalRecord } from '@presage/protocol';
import { type CallOptions, Http, type HttpOptions } from '../http.ts';
import { bytesOfBase64 } from '../verify/base64.ts';
import { type CheckedFrame, FrameCheck, type Sha256, startOf } from '../verify/checks/frame-check.ts';

/** A frame that was checked against the chain, with its records. */
export interface ArchiveFrame extends Pick<CheckedFrame, 'firstSeq' | 'lastSeq' | 'timeMs' | 'frameHash'> {
  readonly records: readonly JournalRecord[];
}

export interface PublishedFramesOptions extends HttpOptions, CallOptions {
  /** Faster than the portable implementation. */
  readonly sha256?: Sha256 | undefined;
}

const PAGE_RECORDS = 10_000;

/** Names of the market partitions, in order. */
export async function listPublishedPartitions(options: HttpOptions & CallOptions): Promise<readonly string[]> {
  const { heads } = await new Http(options).get<Heads>('/api/v1/journal/head', {}, options);
  return heads.map(({ partition }) => partition).filter(isMarketPartition);
}

/** All published frames of a partition. Throws a `Violation` if the chain is broken. */
export async function* readPublishedFrames(
  partition: string,
  { sha256 = nobleSha256, signal, ...options }: PublishedFramesOptions,
): AsyncGenerator<ArchiveFrame> {
  const http = new Http(options);
  const chain = new FrameCheck(startOf(partition), sha256);
  for (let fromSeq = 1; ; ) {
    const query = { fromSeq, limit: PAGE_RECORDS, records: 'none' };
    const page = await http.get<Page>(`/api/v1/journal/${partition}`, query, { signal });
    for (const { bytes } of page.frames) yield toArchiveFrame(chain.check(bytesOfBase64(bytes)));
    if (page.frames.length === 0 || page.nextSeq > page.publishedSeq) return;
    fromSeq = page.nextSeq;
  }
}

function toArchiveFrame({ firstSeq, lastSeq, timeMs, frameHash, records }: CheckedFrame): ArchiveFrame {
  return { firstSeq, lastSeq, timeMs, frameHash, records: records.map(decodeRecord) };
}

interface Heads {
  readonly heads: readonly { readonly partition: string }[];
}

interface Page {
  readonly frames: readonly { readonly bytes: string }[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
}
