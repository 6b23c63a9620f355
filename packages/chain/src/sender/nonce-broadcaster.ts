// Sends journalled bytes to the node in nonce order and draws only the conclusions that its answers allow.
import type { Hex } from '@presage/protocol';
import type { SenderRecord } from '@presage/protocol/sender-records';
import type { NodeReader } from '../node-reader.ts';
import { type RpcOutcome, RpcUnavailable } from '../rpc.ts';
import { type Attempt, hashesOf, type Slot } from './nonce-slot.ts';
import type { Alarms } from './sender-alarms.ts';
import { type SenderLedger, toRecord } from './sender-ledger.ts';

/** Large enough to hide the latency to the node, small enough that one lost answer leaves few unknown. */
const BATCH = 16;
const REASON_LENGTH = 200;

export interface NonceBroadcasterOptions {
  readonly node: NodeReader;
  readonly ledger: SenderLedger;
  readonly alarms: Alarms;
}

export class NonceBroadcaster {
  readonly #node: NodeReader;
  readonly #ledger: SenderLedger;
  readonly #alarms: Alarms;
  readonly #handed = new Map<number, Hex>();
  readonly #sentAt = new Map<number, number>();
  readonly #underpriced = new Set<number>();
  #demandedTip = 0n;

  constructor(options: NonceBroadcasterOptions) {
    this.#node = options.node;
    this.#ledger = options.ledger;
    this.#alarms = options.alarms;
    // An earlier process may have sent these, so the chain is asked before they are sent again.
    for (const slot of this.#ledger.state.slots()) this.#noteHanded(slot);
  }

  /**
   * Open nonces whose newest bytes were never sent, neither by this process nor, as far as it knows, by an earlier one.
   */
  unsent(): Slot[] {
    return this.#ledger.state
      .slots()
      .filter((slot) => slot.mined === null && slot.attempts.length > 0)
      .filter((slot) => this.#handed.get(slot.nonce) !== newestOf(slot).hash);
  }

  sentAt(nonce: number): number | null {
    return this.#sentAt.get(nonce) ?? null;
  }

  isUnderpriced(nonce: number): boolean {
    return this.#underpriced.has(nonce);
  }

  /** Offers the newest bytes again although the pool refused their fees. */
  retry(nonce: number): void {
    this.#underpriced.delete(nonce);
  }

  /** The lowest tip that the pool accepts, if it has named one; else zero. */
  get demandedTip(): bigint {
    return this.#demandedTip;
  }

  /** Starts the replacement clock of a transaction that an earlier process sent. */
  noteSeen(nonce: number, headNumber: number): void {
    if (!this.#sentAt.has(nonce)) this.#sentAt.set(nonce, headNumber);
  }

  remove(nonce: number): void {
    this.#handed.delete(nonce);
    this.#sentAt.delete(nonce);
    this.#underpriced.delete(nonce);
  }

  /** Sends the newest bytes of these nonces, lowest first; stops if the node stops answering. */
  async transmit(slots: readonly Slot[], headNumber: number): Promise<void> {
    const ordered = [...slots].sort((a, b) => a.nonce - b.nonce);
    for (let start = 0; start < ordered.length; start += BATCH) {
      const reachable = await this.#transmitBatch(ordered.slice(start, start + BATCH), headNumber);
      if (!reachable) return;
    }
  }

  async #transmitBatch(slots: readonly Slot[], headNumber: number): Promise<boolean> {
    for (const slot of slots) this.#noteHanded(slot);
    const sent = slots.map((slot) => ({ slot, attempt: newestOf(slot) }));
    const outcomes = await this.#node.sendRaw(sent.map(({ attempt }) => attempt.raw));
    const records: SenderRecord[] = [];
    const uncertain: Slot[] = [];
    let reachable = true;
    sent.forEach(({ slot, attempt }, index) => {
      const outcome = outcomes[index]!;
      const answer = readBroadcastAnswer(outcome, attempt.hash);
      if (answer === 'accepted' || answer === 'maybe') this.#sentAt.set(slot.nonce, headNumber);
      if (answer === 'accepted') records.push(...this.#accept(slot, attempt));
      if (answer === 'maybe') uncertain.push(slot);
      if (answer === 'unreachable') reachable = false;
      if (answer === 'underpriced') this.#noteUnderpriced(slot, outcome);
      if (answer === 'unfunded') this.#alarm('unfunded', slot, outcome);
      if (answer === 'refused' || answer === 'oversized') records.push(...this.#giveUp(slot, attempt, outcome));
    });
    if (records.length > 0) await this.#ledger.commit(records);
    await this.#lookUp(uncertain);
    return reachable;
  }

  /**
   * "Already known" and "nonce too low" may well mean our own transaction: looks up every hash of ours at these nonces.
   */
  async #lookUp(slots: readonly Slot[]): Promise<void> {
    const wanted = slots.flatMap((slot) => hashesOf(slot).map((hash) => ({ slot, hash })));
    const known = await this.#node.knows(wanted.map(({ hash }) => hash));
    const seen = wanted.filter(({ slot, hash }, index) => known[index] === true && hash === newestOf(slot).hash);
    const records = seen.flatMap(({ slot }) => this.#accept(slot, newestOf(slot)));
    if (records.length > 0) await this.#ledger.commit(records);
  }

  #accept(slot: Slot, { hash }: Attempt): SenderRecord[] {
    return slot.submitted === hash ? [] : [toRecord(slot, { type: 'transaction-broadcast', hash })];
  }

  #giveUp(slot: Slot, attempt: Attempt, outcome: RpcOutcome): SenderRecord[] {
    this.#alarm('refused', slot, outcome);
    if (slot.freeing || attempt.kind === 'free') return [];
    return [toRecord(slot, { type: 'operation-abandoned', reason: toReason(outcome) })];
  }

  #alarm(type: 'unfunded' | 'refused', slot: Slot, outcome: RpcOutcome): void {
    this.#alarms.raise({ type, nonce: slot.nonce, operationId: slot.operationId, detail: toReason(outcome) });
  }

  #noteUnderpriced({ nonce }: Slot, outcome: RpcOutcome): void {
    this.#underpriced.add(nonce);
    const tip = outcome.ok ? undefined : demandedTip(outcome.error.message);
    if (tip !== undefined) this.#demandedTip = tip;
  }

  #noteHanded(slot: Slot): void {
    const newest = slot.attempts.at(-1);
    if (newest === undefined) return;
    this.#handed.set(slot.nonce, newest.hash);
    this.#underpriced.delete(slot.nonce);
  }
}

function newestOf(slot: Slot): Attempt {
  return slot.attempts.at(-1)!;
}

function toReason(outcome: RpcOutcome): string {
  const text = outcome.ok ? 'the node answered nonsense' : outcome.error.message;
  return text.slice(0, REASON_LENGTH) || 'refused without a reason';
}

/**
 * The meaning of a node's answer to a raw transaction.
 * - `accepted`: the node named our hash.
 * - `maybe`: the node may or may not hold ours ("already known", "nonce too low", nonsense): look up our hashes.
 * - `unreachable`: no answer; the bytes may have arrived.
 * - `underpriced`: the node refuses these fees.
 * - `unfunded`: the account cannot pay; only its balance can change that.
 * - `oversized`: the node never accepts so much gas or so many bytes, but may accept a smaller transaction.
 * - `refused`: the node never accepts these bytes.
 */
export type BroadcastAnswer =
  | 'accepted'
  | 'maybe'
  | 'unreachable'
  | 'underpriced'
  | 'unfunded'
  | 'oversized'
  | 'refused';

// The wordings of geth (Polygon's, BNB's and OP's too), reth, erigon, nethermind, besu, nitro, anvil and EDR, as in
// their sources; the test of this file has the table of them, with the source files. Order matters: the first match
// decides.
const WORDINGS: readonly (readonly [RegExp, BroadcastAnswer])[] = [
  [/already ?known|known transaction|already imported|already in (the )?(tx)?pool|same hash/i, 'maybe'],
  [/nonce (is )?too (low|high)|old ?nonce|nonce gap|invalid nonce|invalid transaction nonce/i, 'maybe'],
  [
    /gas limit (is )?too high|intrinsic gas too high|gas ?limit(cap)?exceeded|transaction gas limit .*greater than the cap|exceed(s|ed)? (the )?max(imum)? (transaction|tx) gas/i,
    'oversized',
  ],
  [
    /exceeds (the )?(block|transaction)('s)? gas ?(limit|cap)|gas limit (of \d+ )?exceeds|gas limit reached/i,
    'oversized',
  ],
  // A node's own limit on the fee of one transaction: less gas lowers the fee.
  [/tx fee .*exceeds the configured cap/i, 'oversized'],
  [
    /oversized data|(transaction|tx) (is )?too (large|long|big)|rlp ?too ?long|(exceeds|exceeded) max(imum)? (transaction |tx )?size|max ?tx ?size ?exceeded/i,
    'oversized',
  ],
  [
    /underpriced|fee too low|feetoolow|less than block base fee|gas price (is )?(too low|below)|gas tip cap|priority fee below|could not replace existing|gas price to replace/i,
    'underpriced',
  ],
  [/insufficient ?(funds|balance)|doesn't have enough funds|not enough funds|upfront cost exceeds/i, 'unfunded'],
  [/intrinsic ?gas|gas (limit )?too low|floor data gas|max initcode|initcode too large/i, 'refused'],
  [/invalid (sender|signature|chain id)|type not supported|priority fee .*higher than max fee/i, 'refused'],
];

/** Whether an operation was given up because no node accepts a transaction of its size. */
export function isSizeRefusal(reason: string | null): boolean {
  return reason !== null && readWording(reason) === 'oversized';
}

const DEMANDED_TIP = /(?:tip cap \d+, minimum needed|tip needed|below minimum required priority fee) (\d+)/i;

/**
 * The tip that a pool demands, in wei, if its message names one: "gas tip cap 1000000000, minimum needed 25000000000".
 */
export function demandedTip(message: string): bigint | undefined {
  const [, wei] = DEMANDED_TIP.exec(message) ?? [];
  return wei === undefined ? undefined : BigInt(wei);
}

export function readBroadcastAnswer(outcome: RpcOutcome, hash: Hex): BroadcastAnswer {
  if (outcome.ok) return String(outcome.result).toLowerCase() === hash ? 'accepted' : 'maybe';
  if (outcome.error instanceof RpcUnavailable) return 'unreachable';
  return readWording(outcome.error.message) ?? 'maybe';
}

function readWording(message: string): BroadcastAnswer | undefined {
  return WORDINGS.find(([wording]) => wording.test(message))?.[1];
}
