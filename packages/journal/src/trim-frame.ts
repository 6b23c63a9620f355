// Cuts the records before a wanted sequence off a frame, for readers that begin in its middle.

import type { Frame } from './frame.ts';

export function trimFrame(frame: Frame, fromSeq: number): Frame {
  if (frame.firstSeq >= fromSeq) return frame;
  return { ...frame, firstSeq: fromSeq, records: frame.records.slice(fromSeq - frame.firstSeq) };
}
