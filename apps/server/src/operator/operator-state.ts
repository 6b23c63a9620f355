// State set by operators (keys, halts, pauses, blocks, market texts), from the records of the control partition.
import type { KeyObject } from 'node:crypto';
import {
  type Address,
  type Fault,
  FIRST_CATEGORIES,
  GENERAL_CATEGORY,
  type JournalRecord,
  type MarketFacts,
  type MarketId,
  type MarketTexts,
  type OperatorActed,
  type OperatorRight,
  toChecksumAddress,
  toOutcomeMarketId,
  toOutcomeQuestion,
} from '@presage/protocol';
import { openPublicKey } from '@presage/protocol/ed25519';
import { Listeners } from '@presage/runtime';
import { type CreatedEvent, MarketPlans } from './market-plans.ts';
import { PendingApprovals } from './pending-approvals.ts';

export interface OperatorKey {
  readonly keyId: string;
  readonly name: string;
  readonly rights: readonly OperatorRight[];
  readonly publicKey: KeyObject;
  readonly isRevoked: boolean;
  /** Set by configuration; it can be revoked only there. */
  readonly isFixed: boolean;
  readonly expiresAt: undefined;
}

/** Reason of a halt or pause, as its operator stated it. */
type Stop = string;

/** Markets paused on chain. */
interface PauseLookup {
  isPaused(marketId: MarketId): boolean;
  paused(): readonly MarketId[];
}

export interface Pause {
  readonly marketId: MarketId;
  readonly reason: Stop;
  readonly isOnChain: boolean;
}

const PAUSED_ON_CHAIN: Stop = 'its settlement is paused on chain';

export interface Category {
  readonly id: string;
  readonly name: string;
}

export interface RecordedVoid {
  readonly atMs: number;
  /** Id of the requesting key. */
  readonly actor: string;
}

/** Facts that a market's texts derive from. */
export type TextFacts = Pick<MarketFacts, 'marketId' | 'question' | 'description' | 'category'>;

export class OperatorState {
  readonly #keys = new Map<string, OperatorKey>();
  readonly #texts = new Map<MarketId, MarketTexts>();
  readonly #featured = new Set<MarketId>();
  readonly paused = new Map<MarketId, Stop>();
  /** Markets that operators have closed or are closing. */
  readonly closed = new Set<MarketId>();
  /** Last void of each market that operators have voided. */
  readonly voided = new Map<MarketId, RecordedVoid>();
  readonly blocked = new Map<Address, Stop>();
  /** Pauses on chain, listed besides those of operators. */
  readonly #onChain: PauseLookup[] = [];
  readonly #categories = new Map<string, Category>(FIRST_CATEGORIES.map((each) => [each.id, each]));
  readonly approvals = new PendingApprovals();
  readonly plans = new MarketPlans();
  #halt: Stop | undefined;
  readonly #lifted = new Listeners();

  /** Applies a durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type !== 'operator-acted') return;
    this.#apply(record);
    this.approvals.follow(record);
    this.plans.follow(record);
  }

  /** Adds a configured key. */
  addFixed({ publicKeyHex, ...key }: Pick<OperatorKey, 'keyId' | 'name' | 'rights'> & { publicKeyHex: string }): void {
    const publicKey = openPublicKey(publicKeyHex);
    this.#keys.set(key.keyId, { ...key, publicKey, isRevoked: false, isFixed: true, expiresAt: undefined });
  }

  find(keyId: string): OperatorKey | undefined {
    return this.#keys.get(keyId);
  }

  /** Valid keys, oldest first. */
  keys(): OperatorKey[] {
    return [...this.#keys.values()].filter(({ isRevoked }) => !isRevoked);
  }

  get halt(): Stop | undefined {
    return this.#halt;
  }

  /** Fault if no order may be placed in the market. Checks the halt before a pause, because it is more informative. */
  checkMarket(marketId: MarketId): Fault | undefined {
    // The closing is recorded and may not be carried out yet.
    if (this.closed.has(marketId)) return { code: 'market_closed', details: { marketId } };
    if (this.#halt !== undefined) return { code: 'exchange_halted', details: { reason: this.#halt } };
    const pause = this.pausesOf(marketId)[0]?.reason;
    return pause === undefined ? undefined : { code: 'market_paused', details: { marketId, reason: pause } };
  }

  /** Fault of a blocked wallet; does not reveal the reason. */
  checkTrader(trader: Address): Fault | undefined {
    return this.blocked.has(trader)
      ? { code: 'wallet_blocked', details: { trader: toChecksumAddress(trader) } }
      : undefined;
  }

  /** Calls the listener when a pause or halt of operators has ended. */
  onLifted(listener: () => void): () => void {
    return this.#lifted.add(listener);
  }

  isPaused(marketId: MarketId): boolean {
    return this.pausesOf(marketId).length > 0;
  }

  /** Adds a chain's pauses. */
  followChain(pauses: PauseLookup): void {
    this.#onChain.push(pauses);
  }

  /** All pauses: those of operators, then those on chain, which only the owner of the contracts can end. */
  pauses(): Pause[] {
    const onChain = this.#onChain.flatMap((pauses) => pauses.paused());
    return [...new Set([...this.paused.keys(), ...onChain])].flatMap((marketId) => this.pausesOf(marketId));
  }

  pausesOf(marketId: MarketId): Pause[] {
    const reason = this.paused.get(marketId);
    const isOnChain = this.#onChain.some((pauses) => pauses.isPaused(marketId));
    return [
      ...(reason === undefined ? [] : [{ marketId, reason, isOnChain: false }]),
      ...(isOnChain ? [{ marketId, reason: PAUSED_ON_CHAIN, isOnChain }] : []),
    ];
  }

  /** Texts as shown: the operators' if edited, otherwise the chain's. */
  textsOf({ facts }: { readonly facts: TextFacts }): MarketTexts {
    const { question, description, category } = facts;
    const texts = this.#texts.get(facts.marketId) ?? { question, description, category, source: '', imageUrl: '' };
    return { ...texts, category: this.hasCategory(texts.category) ? texts.category : GENERAL_CATEGORY };
  }

  questionOf(marketId: MarketId, onChain: string): string {
    return this.#texts.get(marketId)?.question ?? onChain;
  }

  isFeatured(marketId: MarketId): boolean {
    return this.#featured.has(marketId);
  }

  /** Categories sorted by name; the general one comes last. */
  categories(): Category[] {
    const isLast = ({ id }: Category) => Number(id === GENERAL_CATEGORY);
    return [...this.#categories.values()].sort((a, b) => isLast(a) - isLast(b) || a.name.localeCompare(b.name, 'en'));
  }

  hasCategory(id: string): boolean {
    return this.#categories.has(id);
  }

  #apply({ action, actor, reason, timeMs }: OperatorActed): void {
    switch (action.kind) {
      case 'add-key': {
        const { keyId, name, rights } = action;
        if (this.#keys.get(keyId)?.isFixed) return;
        const key = { keyId, name, rights, publicKey: openPublicKey(action.publicKey) };
        this.#keys.set(keyId, { ...key, isRevoked: false, isFixed: false, expiresAt: undefined });
        return;
      }
      case 'revoke-key': {
        const key = this.#keys.get(action.keyId);
        if (key !== undefined && !key.isFixed) this.#keys.set(action.keyId, { ...key, isRevoked: true });
        return;
      }
      case 'create-market':
      case 'edit-market':
        this.#texts.set(action.marketId, action.texts);
        return;
      case 'create-event':
        for (const [marketId, texts] of textsOfOutcomes(action)) this.#texts.set(marketId, texts);
        return;
      case 'feature-market':
        if (action.isFeatured) this.#featured.add(action.marketId);
        else this.#featured.delete(action.marketId);
        return;
      case 'pause-market':
        setStop(this.paused, action.marketId, action.isPaused ? reason : undefined);
        if (!action.isPaused) this.#lifted.call();
        return;
      case 'close-market':
        this.closed.add(action.marketId);
        return;
      case 'void-market':
        this.voided.set(action.marketId, { atMs: timeMs, actor });
        return;
      case 'drop-void':
        this.voided.delete(action.marketId);
        return;
      case 'block-wallet':
        setStop(this.blocked, action.wallet, action.isBlocked ? reason : undefined);
        return;
      case 'halt-trading':
        this.#halt = action.isHalted ? reason : undefined;
        if (!action.isHalted) this.#lifted.call();
        return;
      case 'define-category':
        this.#categories.set(action.categoryId, { id: action.categoryId, name: action.name });
        return;
      case 'remove-category':
        this.#categories.delete(action.categoryId);
        return;
      // Templates, schedules and approvals have their own followers; other actions leave no state.
      default:
    }
  }
}

/** Texts of an event's markets: the event's texts, with the outcome's name in the question. */
function textsOfOutcomes({ eventId, texts, outcomes }: CreatedEvent): [MarketId, MarketTexts][] {
  return outcomes.map((name, index) => [
    toOutcomeMarketId(eventId, index, outcomes.length),
    { ...texts, question: toOutcomeQuestion(texts.question, name) },
  ]);
}

function setStop<Key>(stops: Map<Key, Stop>, key: Key, stop: Stop | undefined): void {
  if (stop === undefined) stops.delete(key);
  else stops.set(key, stop);
}

/** Key id, derived from the public key so that the creator of a key pair knows it. */
export function toOperatorKeyId(publicKeyHex: string): string {
  return `op_${publicKeyHex.slice(0, 24)}`;
}
