// Reads frames of a partition page by page, from a server or another process, and checks each against the previous one.
import { JournalCorrupt } from './errors.ts';
import type { Frame } from './frame.ts';
import { FrameChain } from './frame-chain.ts';

export interface PagesWanted {
  readonly partition: string;
  readonly fromSeq: number;
  readonly endSeq: number;
  /** Complete frames from the one that holds the sequence; at least one, or it rejects. */
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

/** The error for a frame that does not belong at this place. */
export function misplaced(partition: string, expectedSeq: number, reason: string): JournalCorrupt {
  return new JournalCorrupt({ file: `journal_frames of ${partition}`, offset: 0, expectedSeq, reason });
}
