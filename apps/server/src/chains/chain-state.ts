// Folds a chain's partition into the state that its modules resume from after a restart, without anything that is final.
import { RETAINED_OPERATIONS, type SenderSnapshot, SenderState } from '@presage/chain';
import {
  type BatchRecord,
  type ChainIdentity,
  type ChainTopic,
  type CursorBlock,
  checkNoteBody,
  type DeceptionRecord,
  type HaltChange,
  type JournalRecord,
  type OrderHash,
  type PauseChange,
  type QuickMarketChanged,
  type RecordOf,
  type RelayerRecord,
  type SavedLogCursor,
  type SenderRecord,
} from '@presage/protocol';
import type { RecordFold } from '../host/partition-state.ts';
import type { Anchor } from '../proof/anchor-ledger.ts';
import { AnchorLedger } from '../proof/open.ts';
import { QuickLedger } from '../quick/open.ts';
import { DeceptiveWallets } from './deceptive-wallets.ts';
import { MarketPauses } from './market-pauses.ts';
import { RelayHistory } from './relay-history.ts';
import { TradingHalts } from './trading-halts.ts';

/** Increased when the format of the lines changes; lines of another version are rejected, and the records are replayed. */
const VERSION = 1;

export class ChainState implements RecordFold {
  readonly quick = new QuickLedger();
  readonly halts = new TradingHalts();
  readonly pauses = new MarketPauses();
  readonly deceptive = new DeceptiveWallets();
  readonly anchors = new AnchorLedger();
  readonly #relays: RelayHistory;
  /** Batches that a reorg could still undo, and the newest, whose number the next one continues. */
  readonly #batches = new Map<string, BatchRecord>();
  readonly #senders = { settler: toSender(), relayer: toSender(), creator: toSender() };
  #cursor: SavedLogCursor | undefined;
  #identity: ChainIdentity | undefined;

  /** `isOrderKnown` tells whether the engine still has an order; the ended permits of removed orders are dropped. */
  constructor(isOrderKnown: (hash: OrderHash) => boolean) {
    this.#relays = new RelayHistory(isOrderKnown);
  }

  get settler(): SenderSnapshot {
    return this.#senders.settler.snapshot();
  }

  get relayer(): SenderSnapshot {
    return this.#senders.relayer.snapshot();
  }

  get creator(): SenderSnapshot {
    return this.#senders.creator.snapshot();
  }

  /** Oldest first. */
  get batches(): BatchRecord[] {
    return [...this.#batches.values()];
  }

  get relays(): RelayerRecord[] {
    return this.#relays.records();
  }

  get cursor(): SavedLogCursor | undefined {
    return this.#cursor;
  }

  get identity(): ChainIdentity | undefined {
    return this.#identity;
  }

  /** Recent blocks that were seen on the chain; a node that lacks them is behind. */
  get seenBlocks(): CursorBlock[] {
    const slots = Object.values(this.#senders).flatMap((sender) => sender.slots());
    const mined = slots.flatMap((slot) => (slot.mined === null ? [] : [slot.mined]));
    const ofSenders = mined.map(({ blockNumber: number, blockHash: hash }) => ({ number, hash }));
    return [...(this.#cursor?.blocks ?? []), ...ofSenders];
  }

  apply(record: JournalRecord): void {
    if (record.type === 'quick-market-changed') this.quick.follow(record);
    if (record.type === 'journal-anchored') this.anchors.add(record);
    if (record.type === 'chain-noted') this.#applyNote(record);
  }

  lines(): string[] {
    return Array.from(this.#parts(), (part) => JSON.stringify(part));
  }

  restore(lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      // Written by this class; bodies of notes are checked below, the rest by the version in the first line.
      const part = JSON.parse(line) as Part;
      const isFirst = index === 0;
      if (isFirst !== (part[0] === 'chain')) throw new Error('not the state of a chain');
      if (isNotePart(part)) checkNoteBody(part[0], part[1]);
      this.#restorePart(part);
    }
  }

  #applyNote({ topic, body }: RecordOf<'chain-noted'>): void {
    switch (topic) {
      case 'sender':
        this.#applySender(body);
        break;
      case 'relay-sender':
        this.#senders.relayer.apply(body);
        break;
      case 'create-sender':
        this.#senders.creator.apply(body);
        break;
      case 'batch':
        this.#addBatch(body);
        break;
      case 'relay':
        this.#relays.add(body);
        break;
      case 'halt':
        this.halts.apply(body);
        break;
      case 'pause':
        this.pauses.apply(body);
        break;
      case 'deception':
        this.deceptive.apply(body);
        break;
      case 'cursor':
        this.#cursor = body;
        break;
      case 'identity':
        this.#identity = body;
        break;
      default:
        topic satisfies never;
    }
  }

  #applySender(record: SenderRecord): void {
    this.#senders.settler.apply(record);
    if (record.type === 'transaction-finalized') this.#forgetBatch(record.operationId);
  }

  #addBatch(batch: BatchRecord): void {
    const previous = [...this.#batches.keys()].at(-1);
    this.#batches.set(batch.batchId, batch);
    if (previous !== undefined) this.#forgetBatch(previous);
  }

  /** Keeps a batch that never reached the sender: its trades are sent again, with the next attempt number. */
  #forgetBatch(batchId: string): void {
    const isNewest = [...this.#batches.keys()].at(-1) === batchId;
    if (!isNewest && this.#senders.settler.operation(batchId)?.final === true) this.#batches.delete(batchId);
  }

  *#parts(): Generator<Part> {
    yield ['chain', VERSION];
    yield ['settler', this.settler];
    yield ['relayer', this.relayer];
    yield ['creator', this.creator];
    for (const batch of this.#batches.values()) yield ['batch', batch];
    for (const relay of this.#relays.records()) yield ['relay', relay];
    for (const record of this.quick.records()) yield ['window', record];
    yield ['last-window', this.quick.lastId];
    for (const change of this.halts.notes()) yield ['halt', change];
    for (const change of this.pauses.notes()) yield ['pause', change];
    for (const deception of this.deceptive.notes()) yield ['deception', deception];
    for (const anchor of this.anchors.list()) yield ['anchor', anchor];
    if (this.anchors.count > 0) yield ['anchor-count', this.anchors.count];
    if (this.#cursor !== undefined) yield ['cursor', this.#cursor];
    if (this.#identity !== undefined) yield ['identity', this.#identity];
  }

  #restorePart(part: Part): void {
    switch (part[0]) {
      case 'chain':
        if (part[1] !== VERSION) throw new Error(`version ${part[1]} of a chain's state is not ${VERSION}`);
        break;
      case 'settler':
      case 'relayer':
      case 'creator':
        this.#senders[part[0]] = toSender(part[1]);
        break;
      case 'batch':
        this.#batches.set(part[1].batchId, part[1]);
        break;
      case 'relay':
        this.#relays.add(part[1]);
        break;
      case 'window':
        this.quick.follow(part[1]);
        break;
      case 'last-window':
        this.quick.raiseId(part[1]);
        break;
      case 'halt':
        this.halts.apply(part[1]);
        break;
      case 'pause':
        this.pauses.apply(part[1]);
        break;
      case 'deception':
        this.deceptive.apply(part[1]);
        break;
      case 'anchor':
        this.anchors.add(part[1]);
        break;
      case 'anchor-count':
        this.anchors.raiseCount(part[1]);
        break;
      case 'cursor':
        this.#cursor = part[1];
        break;
      case 'identity':
        this.#identity = part[1];
        break;
      default:
        throw new Error('an unknown part of the state of a chain');
    }
  }
}

function toSender(snapshot?: SenderSnapshot): SenderState {
  return new SenderState({ retainFinalized: RETAINED_OPERATIONS, ...(snapshot && { snapshot }) });
}

type Part =
  | readonly ['chain', number]
  | readonly ['settler' | 'relayer' | 'creator', SenderSnapshot]
  | readonly ['batch', BatchRecord]
  | readonly ['relay', RelayerRecord]
  | readonly ['window', QuickMarketChanged]
  | readonly ['last-window', number]
  | readonly ['halt', HaltChange]
  | readonly ['pause', PauseChange]
  | readonly ['deception', DeceptionRecord]
  | readonly ['anchor', Anchor]
  | readonly ['anchor-count', number]
  | readonly ['cursor', SavedLogCursor]
  | readonly ['identity', ChainIdentity];

/** Parts that hold the bodies of notes as they were written. */
const NOTE_PARTS = [
  'batch',
  'relay',
  'halt',
  'pause',
  'deception',
  'cursor',
  'identity',
] as const satisfies readonly ChainTopic[];
type NotePart = Extract<Part, readonly [(typeof NOTE_PARTS)[number], unknown]>;

function isNotePart(part: Part): part is NotePart {
  return NOTE_PARTS.some((topic) => topic === part[0]);
}
