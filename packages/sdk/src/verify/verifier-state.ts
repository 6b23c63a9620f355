// Saved state of a verification as lines of text, from which the next one resumes. A changed or lost line is detected.
import { type Hex, sha256OfLines } from '@presage/protocol';
import type { VerifiedPoint } from './checks/frame-check.ts';
import type { ContractWallet, HistoryCounts } from './checks/history-check.ts';

/**
 * Increased when the format changes: a state of another version is rejected, and the journal is verified from its
 * start.
 */
const STATE_VERSION = 3;
const PARTS = ['engine', 'replay', 'ledger'] as const;
type PartName = (typeof PARTS)[number];
/** Frames per line: one line for all of them would exceed the longest string. */
const FRAMES_A_LINE = 10_000;

type SavedFrame = readonly [lastSeq: number, firstSeq: number, frameHash: Hex];

export interface SavedHead {
  readonly point: VerifiedPoint;
  /** Whether the signers of the orders were checked. */
  readonly hasSigners: boolean;
  readonly counts: HistoryCounts;
  readonly signatures: number;
  readonly contractWallets: readonly ContractWallet[];
  readonly frames: readonly SavedFrame[];
}

type FirstLine = Omit<SavedHead, 'frames'> & { readonly version: number };

/** The saved state is damaged, or of another version. */
export class StateUnreadable extends Error {
  override readonly name = 'StateUnreadable';
}

export function* writeState(head: SavedHead, parts: Readonly<Record<PartName, Iterable<string>>>): Generator<string> {
  const kept: string[] = [];
  for (const line of linesOf(head, parts)) {
    kept.push(line);
    yield line;
  }
  yield `end ${sha256OfLines(kept)}`;
}

function* linesOf({ frames, ...head }: SavedHead, parts: Readonly<Record<PartName, Iterable<string>>>) {
  const first: FirstLine = { version: STATE_VERSION, ...head };
  yield `verification ${JSON.stringify(first)}`;
  for (let at = 0; at < frames.length; at += FRAMES_A_LINE) {
    yield `frames ${JSON.stringify(frames.slice(at, at + FRAMES_A_LINE))}`;
  }
  for (const name of PARTS) for (const line of parts[name]) yield `${name} ${line}`;
}

export function readState(lines: Iterable<string>): { head: SavedHead; parts: Record<PartName, string[]> } {
  const all = [...lines];
  const first = readHead(all);
  if (all.pop() !== `end ${sha256OfLines(all)}`) throw new StateUnreadable('the state is damaged or incomplete');
  const parts: Record<PartName, string[]> = { engine: [], replay: [], ledger: [] };
  const frames: SavedFrame[] = [];
  for (const line of all.slice(1)) {
    const [name, text] = splitLine(line);
    if (name === 'frames') for (const frame of JSON.parse(text)) frames.push(frame);
    // The checksum proves that the lines were written here.
    else parts[name as PartName].push(text);
  }
  return { head: { ...first, frames }, parts };
}

/** Splits a file with several states, one after the other, by partition. */
export function splitStates(lines: readonly string[]): Map<string, string[]> {
  const states = new Map<string, string[]>();
  let own: string[] = [];
  for (const line of lines) {
    if (line.startsWith('verification ') || states.size === 0) {
      own = [];
      states.set(readHead([line]).point.partition, own);
    }
    own.push(line);
  }
  return states;
}

/** Parses the first line: where the verification ended and what it checked. */
export function readHead([line = '']: readonly string[]): FirstLine {
  const [name, text] = splitLine(line);
  const head: FirstLine | undefined = name === 'verification' ? JSON.parse(text) : undefined;
  if (head?.version === STATE_VERSION) return head;
  throw new StateUnreadable('the state was written by another version, or is none');
}

function splitLine(line: string): readonly [name: string, text: string] {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}
