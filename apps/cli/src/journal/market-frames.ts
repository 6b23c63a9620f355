// Reads frames of the markets' partitions from a data folder or from the public journal of a service.
import { createHash } from 'node:crypto';
import { FrameCursor } from '@presage/journal';
import { decodeRecord, toHex } from '@presage/protocol';
import { type ArchiveFrame, listPublishedPartitions, readPublishedFrames } from '@presage/sdk/archive';
import type { Context } from '../context.ts';
import { type DataDirOption, JournalDir } from './journal-dir.ts';

export interface MarketFrames {
  readonly partitions: readonly string[];
  read(partition: string): AsyncGenerator<ArchiveFrame>;
}

/** Reads the data folder if one is named, else the service. */
export async function openMarketFrames(context: Context, options: DataDirOption): Promise<MarketFrames> {
  if (options.dataDir !== undefined) return openFolder(await JournalDir.open(options, context.env));
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const source = { url: context.url, sha256 };
  return {
    partitions: await listPublishedPartitions({ url: context.url, signal: context.signal }),
    read: (partition) => readPublishedFrames(partition, source),
  };
}

function openFolder(journal: JournalDir): MarketFrames {
  async function* read(partition: string): AsyncGenerator<ArchiveFrame> {
    for await (const frame of new FrameCursor({ dir: journal.pathOf(partition) }).read()) {
      const { firstSeq, lastSeq, timeMs, hash, records } = frame;
      yield { firstSeq, lastSeq, timeMs, frameHash: toHex(hash), records: records.map(decodeRecord) };
    }
  }
  return { partitions: journal.marketPartitions, read };
}
