// Frames of a partition that are read a page at a time, from a server or from another process, each checked against the one before.
import { JournalCorrupt } from './errors.ts';
import type { Frame } from './frame.ts';
import { FrameChain } from './frame-chain.ts';

export interface PagesWanted {
  readonly partition: string;
  readonly fromSeq: number;
  readonly endSeq: number;
  /** Whole frames from the one on that holds the sequence: one at least, or it rejects. */
  readonly readPage: (fromSeq: number) => Promise<readonly Frame[]>;
}

export async function* readPages({ partition, fromSeq, endSeq, readPage }: PagesWanted) {
  let chain: FrameChain | undefined;
  for (let next = fromSeq; next <= endSeq; ) {
    for (const frame of await readPage(next)) {
      chain ??= chainBefore(frame, partition);
      assertFollows(chain, frame);
      chain.advance(frame);
      next = frame.lastSeq + 1;
      yield frame;
      if (next > endSeq) return;
    }
  }
}

function chainBefore({ firstSeq }: Frame, partition: string): FrameChain {
  if (firstSeq === 1) return FrameChain.atStart(partition);
  return new FrameChain({ partition, lastSeq: firstSeq - 1, hash: undefined, timeMs: 0, epoch: 0 });
}

export function assertFollows(chain: FrameChain, frame: Frame): void {
  const reason = chain.breach(frame);
  if (reason !== undefined) throw misplaced(chain.point.partition ?? '', frame.firstSeq, reason);
}

/** What is read is not the frame that belongs there. */
export function misplaced(partition: string, expectedSeq: number, reason: string): JournalCorrupt {
  return new JournalCorrupt({ file: `journal_frames of ${partition}`, offset: 0, expectedSeq, reason });
}
