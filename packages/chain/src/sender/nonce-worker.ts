// One round of a sender's work: observes the chain, decides about every nonce and acts; new transactions are sent in between.
import type { Hex } from '@presage/protocol';
import {
  type NonceReserved,
  type RecordedRequest,
  SENDER_RECORD_VERSION,
  type SenderRecord,
} from '@presage/protocol/sender-records';
import type { Address } from 'viem';
import type { BlockHeader } from '../header-memory.ts';
import type { NodeReader, Receipt } from '../node-reader.ts';
import { isRpcFailure } from '../rpc.ts';
import type { NonceAllocator } from './nonce-allocator.ts';
import { NonceBroadcaster } from './nonce-broadcaster.ts';
import { decideNonce, findGaps, type NonceDecision, type NonceFacts, type NoncePolicy } from './nonce-decision.ts';
import { ConsecutiveCounter, findNonceUse, type Observation, observeNonces } from './nonce-observation.ts';
import { hashesOf, type Slot } from './nonce-slot.ts';
import { PreviousKey } from './previous-key.ts';
import type { Alarms, SenderAlarm } from './sender-alarms.ts';
import { type SenderLedger, toRecord } from './sender-ledger.ts';
import { FeeCapReached, type TransactionSigner } from './transaction-signer.ts';
import { isUnsigned, planMoves } from './unsigned-operations.ts';

export const GAP_PREFIX = '~gap-';

export interface NonceWorkerOptions {
  readonly node: NodeReader;
  readonly account: Address;
  readonly ledger: SenderLedger;
  readonly signer: TransactionSigner;
  readonly policy: NoncePolicy & { readonly foreignConfirmations: number };
  readonly alarms: Alarms;
  readonly nonces: NonceAllocator;
  readonly nowMs: () => number;
  /** The lowest open nonce is reported as stuck after this long. */
  readonly stuckAfterMs: number;
  readonly maxInFlight: number;
}

interface Work {
  readonly records: SenderRecord[];
  readonly sign: { slot: Slot; kind: 'payload' | 'free' }[];
  readonly send: Slot[];
  readonly investigate: Slot[];
}

/** The node's answers, and each nonce as it was when the node was asked. */
export interface ObservedNonces {
  readonly seen: Observation;
  readonly before: ReadonlyMap<Slot, string>;
}

/** Block time of a fast chain. */
const FRESH_MS = 1_000;

export class NonceWorker {
  readonly #options: NonceWorkerOptions;
  readonly #broadcaster: NonceBroadcaster;
  readonly #unseen = new ConsecutiveCounter();
  readonly #gaps = new ConsecutiveCounter();
  #checkedHead: Hex | null = null;
  #head: { readonly header: BlockHeader; readonly seenMs: number } | undefined;
  #lowest: { readonly nonce: number; readonly sinceMs: number } | undefined;
  /** The previous key, until everything it sent is final. */
  #previous: PreviousKey | undefined;
  #hadPrevious = false;
  readonly #ready: Promise<void>;
  #hasAdopted = false;
  #adopting: Promise<void> | undefined;

  constructor(options: NonceWorkerOptions) {
    this.#options = options;
    this.#broadcaster = new NonceBroadcaster(options);
    this.#ready = this.#findPrevious();
    // Callers that await `ready` get the error.
    this.#ready.catch(() => undefined);
  }

  /** Resolves when `isFollowingPrevious` is known. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** True while transactions of a previous key are pending: nothing is reserved or signed. */
  get isFollowingPrevious(): boolean {
    if (this.#previous?.held(this.#state).length === 0) this.#previous = undefined;
    return this.#previous !== undefined;
  }

  /**
   * Resolves when what an earlier run reserved and did not sign has nonces of this account: the nonces of another key may be far above ours, and
   * each of those between would be filled by a transaction. Call it before anything is reserved or signed, and not while another key is followed.
   */
  adopt(): Promise<void> {
    if (this.#hasAdopted) return Promise.resolve();
    this.#adopting ??= this.#adopt().finally(() => {
      this.#adopting = undefined;
    });
    return this.#adopting;
  }

  /** Signs and sends what was reserved since; throws `RpcUnavailable` when the node is unreachable. */
  async dispatch(): Promise<void> {
    const head = this.#freshHead() ?? (await this.#options.node.head());
    await this.#sign(this.#unsigned(), head);
    await this.#broadcaster.transmit(this.#broadcaster.unsent(), head.number);
  }

  /** Observes every held nonce; null if there is none. Changes nothing, so others may send meanwhile. */
  async observe(): Promise<ObservedNonces | null> {
    await this.#ready;
    const slots = this.#followed();
    if (slots.length === 0) {
      this.#lowest = undefined;
      return null;
    }
    const before = new Map(slots.map((slot) => [slot, stampOf(slot)]));
    const { node, nowMs } = this.#options;
    const account = this.#followedAccount;
    const seen = await observeNonces(node, { account, slots, checkedHead: this.#checkedHead });
    this.#head = { header: seen.head, seenMs: nowMs() };
    return { seen, before };
  }

  /** Decides on the observation, except for nonces that have changed since: the next round handles those. */
  async act({ seen, before }: ObservedNonces): Promise<BlockHeader> {
    const isOfPrevious = this.isFollowingPrevious;
    if (!isOfPrevious) await this.adopt();
    await this.#rehome();
    const slots = this.#followed();
    this.#watchLowest(slots);
    const work = this.#plan(
      slots.filter((slot) => before.get(slot) === stampOf(slot)),
      seen,
    );
    await this.#commit(work.records);
    for (const slot of work.investigate) await this.#investigate(slot, seen.head);
    await this.#rehome();
    // Also where this was the last of it: what was seen is of the other account.
    if (isOfPrevious) {
      await this.#broadcaster.transmit(work.send, seen.head.number);
      return seen.head;
    }
    await this.#fillGaps(seen);
    await this.#sign([...work.sign, ...this.#unsigned()], seen.head);
    await this.#broadcaster.transmit([...new Set([...work.send, ...this.#broadcaster.unsent()])], seen.head.number);
    return seen.head;
  }

  /** The lowest open nonce if it blocks the others for too long; null while the account makes progress. */
  get stuckNonce(): number | null {
    const { nowMs, stuckAfterMs } = this.#options;
    return this.#lowest !== undefined && nowMs() - this.#lowest.sinceMs >= stuckAfterMs ? this.#lowest.nonce : null;
  }

  /** Runs only while the node answers: an unreachable node is reported as such. */
  #watchLowest(slots: readonly Slot[]): void {
    const slot = slots.find(({ mined }) => mined === null);
    if (slot?.nonce !== this.#lowest?.nonce) {
      this.#lowest = slot && { nonce: slot.nonce, sinceMs: this.#options.nowMs() };
    }
    if (slot === undefined || this.stuckNonce === null) return;
    this.#alarm('stuck-nonce', slot, `nothing was mined at this nonce for ${this.#options.stuckAfterMs / 1_000} s`);
  }

  /** Fees leave room for several blocks, so a transaction need not wait for the newest head. */
  #freshHead(): BlockHeader | undefined {
    const isFresh = this.#head !== undefined && this.#options.nowMs() - this.#head.seenMs < FRESH_MS;
    return isFresh ? this.#head?.header : undefined;
  }

  get #state() {
    return this.#options.ledger.state;
  }

  async #findPrevious(): Promise<void> {
    const { account, alarms } = this.#options;
    this.#previous = await PreviousKey.find(account, this.#state);
    if (this.#previous === undefined) return;
    this.#hadPrevious = true;
    const detail = `nothing is sent until the transactions of ${this.#previous.account} are final: its key was replaced`;
    alarms.raise({ type: 'replaced-key', nonce: null, operationId: null, detail });
  }

  async #adopt(): Promise<void> {
    const { node, account, nonces, maxInFlight, alarms } = this.#options;
    if (this.#state.slots().some(isUnsigned)) {
      const { transactionCount } = await node.standing(account);
      const pending = await node.transactionCount(account, 'pending');
      const moves = planMoves(this.#state.slots(), Math.max(transactionCount, pending));
      // A run of this key leaves no more nonces unused than it had in flight: those are filled.
      const isOthers = this.#hadPrevious || moves.some(({ slot, nonce }) => slot.nonce - nonce > maxInFlight);
      if (isOthers && moves.length > 0) {
        const detail = `${moves.length} operations were reserved for another key and not signed: they get nonces of ${account}`;
        alarms.raise({ type: 'replaced-key', nonce: moves[0]!.nonce, operationId: null, detail });
        await this.#commit(
          moves.map(({ slot, nonce }) => toReservation(slot.operationId, nonce, slot.purpose, slot.request)),
        );
        nonces.beginAt(this.#state.nextNonce ?? 0);
      }
    }
    this.#hasAdopted = true;
  }

  #followed(): Slot[] {
    return this.isFollowingPrevious ? this.#previous!.held(this.#state) : this.#state.slots();
  }

  get #followedAccount(): Address {
    return this.isFollowingPrevious ? this.#previous!.account : this.#options.account;
  }

  #unsigned(): Work['sign'] {
    return this.#state
      .slots()
      .filter((slot) => slot.attempts.length === 0 && slot.mined === null)
      .map((slot) => ({ slot, kind: slot.freeing || slot.lostTo !== null ? 'free' : 'payload' }));
  }

  #plan(slots: readonly Slot[], seen: Observation): Work {
    const work: Work = { records: [], sign: [], send: [], investigate: [] };
    const unanswered = slots.some((slot) => slot.mined !== null && !seen.blockHashes.has(slot.mined.blockNumber));
    if (!unanswered) this.#checkedHead = seen.head.hash;
    for (const slot of slots) {
      const decision = decideNonce(slot, this.#facts(slot, seen), this.#options.policy);
      this.#enact(slot, decision, work, seen.head.number);
    }
    // New records are checked for depth in the next round even if no block arrives.
    if (work.records.length > 0) this.#checkedHead = null;
    return work;
  }

  #facts(slot: Slot, seen: Observation): NonceFacts {
    const receipt = seen.receipts.get(slot.nonce);
    const inPool = seen.inPool.get(slot.nonce);
    if (inPool === true) this.#broadcaster.noteSeen(slot.nonce, seen.head.number);
    return {
      headNumber: seen.head.number,
      chainNonce: seen.chainNonce,
      receipt,
      blockHashThere: slot.mined === null ? undefined : seen.blockHashes.get(slot.mined.blockNumber),
      inPool,
      sentAt: this.#broadcaster.sentAt(slot.nonce),
      underpriced: this.#broadcaster.isUnderpriced(slot.nonce),
      roundsWithoutReceipt: this.#countUnseen(slot, seen.chainNonce, receipt),
    };
  }

  #countUnseen(slot: Slot, chainNonce: number, receipt: Receipt | null | undefined): number {
    if (slot.mined !== null || slot.nonce >= chainNonce || receipt) return this.#unseen.reset(slot.nonce);
    return receipt === null ? this.#unseen.count(slot.nonce) : this.#unseen.of(slot.nonce);
  }

  #enact(slot: Slot, decision: NonceDecision, work: Work, headNumber: number): void {
    switch (decision.act) {
      case 'wait':
        return;
      case 'sign':
        if (this.isFollowingPrevious) {
          this.#alarm('unsigned', slot, 'only the key that was replaced can raise its fees or free its nonce');
          return;
        }
        if (decision.kind === 'free') work.records.push(...this.#giveUp(slot));
        work.sign.push({ slot, kind: decision.kind });
        return;
      case 'broadcast':
        work.send.push(slot);
        return;
      case 'investigate':
        work.investigate.push(slot);
        return;
      case 'note-broadcast':
        work.records.push(toRecord(slot, { type: 'transaction-broadcast', hash: slot.attempts.at(-1)!.hash }));
        return;
      case 'mine':
        work.records.push(toMined(slot, decision.receipt));
        return;
      default:
        this.#enactMined(slot, decision, work, headNumber);
    }
  }

  #enactMined(
    slot: Slot,
    decision: Extract<NonceDecision, { act: 'confirm' | 'finalize' | 'unmine' | 'move' }>,
    work: Work,
    headNumber: number,
  ): void {
    const { hash, blockHash, blockNumber } = slot.mined!;
    if (decision.act === 'confirm') {
      work.records.push(toRecord(slot, { type: 'transaction-confirmed', hash, blockHash }));
    } else if (decision.act === 'finalize') {
      this.#broadcaster.remove(slot.nonce);
      work.records.push(toRecord(slot, { type: 'transaction-finalized', hash }));
    } else {
      const depth = headNumber - blockNumber + 1;
      if (slot.confirmed) this.#alarm('deep-reorg', slot, `lost block ${blockNumber} after confirmation, at ${depth}`);
      work.records.push(toRecord(slot, { type: 'transaction-unmined', hash, blockHash }));
      if (decision.act === 'move') work.records.push(toMined(slot, decision.receipt));
    }
  }

  /** Moves the operation to another nonce only if the foreign transaction was found and is too deep to vanish. */
  async #investigate(slot: Slot, head: BlockHeader): Promise<void> {
    const { node, policy } = this.#options;
    const account = this.#followedAccount;
    // A pruned node does not know old blocks: this nonce waits for one that does, the others proceed.
    const use = await findNonceUse(node, { account, nonce: slot.nonce, headNumber: head.number }).catch(toUnknown);
    if (use === null || hashesOf(slot).includes(use.hash)) return;
    this.#alarm('foreign-transaction', slot, `${use.hash} in block ${use.blockNumber} used our nonce`);
    if (head.number - use.blockNumber + 1 < policy.foreignConfirmations) return;
    const { hash: foreignHash, blockNumber, blockHash } = use;
    await this.#commit([toRecord(slot, { type: 'nonce-lost', foreignHash, blockNumber, blockHash })]);
  }

  /** Allocates a new nonce for operations whose nonce was lost. */
  async #rehome(): Promise<void> {
    for (const slot of this.#state.homeless()) {
      await this.#options.nonces.use((nonce) =>
        this.#commit([toReservation(slot.operationId, nonce, 'operation', slot.request)]),
      );
    }
  }

  async #fillGaps(seen: Observation): Promise<void> {
    const { nonces, signer } = this.#options;
    const gaps = findGaps(this.#state.slots(), seen.chainNonce).filter((nonce) => !nonces.isBeingReserved(nonce));
    const ripe = this.#gaps.observe(gaps, this.#options.policy.receiptRounds);
    if (ripe.length === 0) return;
    // A stale count looks just like a gap: read it at the observed block before filling.
    const used = await this.#options.node.transactionCount(this.#options.account, seen.head.number);
    const open = ripe.filter((nonce) => nonce >= used);
    const detail = 'filled by a self-transfer';
    for (const nonce of open) this.#options.alarms.raise({ type: 'nonce-gap', nonce, operationId: null, detail });
    const request = await signer.selfTransfer();
    await this.#commit(open.map((nonce) => toReservation(`${GAP_PREFIX}${nonce}`, nonce, 'gap', request)));
  }

  async #sign(wanted: Work['sign'], head: BlockHeader): Promise<void> {
    const distinct = new Map(wanted.map((entry) => [entry.slot.nonce, entry]));
    const records: SenderRecord[] = [];
    for (const { slot, kind } of distinct.values()) {
      try {
        const { demandedTip } = this.#broadcaster;
        records.push(await this.#options.signer.sign(slot, kind, { ...head, demandedTip }));
      } catch (error) {
        // The next round tries again: fees fall, and a remote signer comes back. The signed bytes may then be enough.
        this.#broadcaster.retry(slot.nonce);
        this.#alarm(error instanceof FeeCapReached ? 'fee-cap' : 'unsigned', slot, String(error));
      }
    }
    await this.#commit(records);
  }

  #giveUp(slot: Slot): SenderRecord[] {
    if (slot.freeing || slot.lostTo !== null) return [];
    const reason = 'no replacement was mined; the nonce is being freed';
    this.#alarm('given-up', slot, reason);
    return [toRecord(slot, { type: 'operation-abandoned', reason })];
  }

  #alarm(type: SenderAlarm['type'], slot: Slot, detail: string): void {
    this.#options.alarms.raise({ type, nonce: slot.nonce, operationId: slot.operationId, detail });
  }

  async #commit(records: readonly SenderRecord[]): Promise<void> {
    if (records.length > 0) await this.#options.ledger.commit(records);
  }
}

function toUnknown(error: unknown): null {
  if (isRpcFailure(error)) return null;
  throw error;
}

/** A value that differs after anything that sending or giving up changes. */
function stampOf({ attempts, submitted, freeing }: Slot): string {
  return `${attempts.length} ${submitted} ${freeing}`;
}

export function toReservation(
  operationId: string,
  nonce: number,
  purpose: NonceReserved['purpose'],
  request: RecordedRequest,
): SenderRecord {
  return { v: SENDER_RECORD_VERSION, type: 'nonce-reserved', operationId, nonce, purpose, request };
}

function toMined(slot: Slot, { hash, blockNumber, blockHash, status }: Receipt): SenderRecord {
  return toRecord(slot, { type: 'transaction-mined', hash, blockNumber, blockHash, status });
}
