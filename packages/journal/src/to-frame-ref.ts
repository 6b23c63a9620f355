// A frame that became durable as its writer gets it: without its records, which nobody should hold on to.
import type { Frame } from './frame.ts';
import type { FrameRef, FrameSeal } from './journal.ts';

export function toFrameRef({ partition, firstSeq, lastSeq, timeMs, hash }: Frame): FrameRef {
  return { firstSeq, lastSeq, timeMs, frame: { partition, firstSeq, lastSeq, timeMs, hash } };
}

export function toFrameSeal(frame: Frame): FrameSeal {
  return toFrameRef(frame).frame;
}

/** Hexadecimal, as journals name their identity and their head. */
export function toHashText({ hash }: Pick<FrameSeal, 'hash'>): string {
  return Buffer.from(hash).toString('hex');
}
