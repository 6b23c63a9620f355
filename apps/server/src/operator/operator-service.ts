// Operators' actions: each is checked, recorded with its operator and reason, and then carried out.
import type { MarketView } from '@presage/engine';
import {
  type Address,
  type Bytes32,
  type FeeRates,
  GENERAL_CATEGORY,
  type MarketId,
  type MarketTexts,
  type OperatorAction,
  type OperatorRight,
  PresageError,
  toOutcomeMarketId,
  toOutcomeQuestion,
} from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { isSoundPublicKey } from '@presage/protocol/sound-public-key';
import { SerialQueue } from '@presage/runtime';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { Act, Asked, NoteAction } from './asked.ts';
import type { ChainOperations } from './chain-operations.ts';
import { EventCreations } from './event-creations.ts';
import { MarketClosings } from './market-closings.ts';
import { MarketCreations } from './market-creations.ts';
import type { MarketCreator } from './market-creator.ts';
import { MarketVoids } from './market-voids.ts';
import { type OperatorKey, type OperatorState, type TextFacts, toOperatorKeyId } from './operator-state.ts';

interface OperatedChain {
  readonly config: { readonly chainId: number };
  /** Undefined on a node that does not act on the chain, which answers no operator requests. */
  readonly actor: { readonly operations: ChainOperations } | undefined;
}

export interface OperatorServiceOptions {
  readonly state: OperatorState;
  readonly note: NoteAction;
  readonly chains: { list(): readonly OperatedChain[]; find(chainId: number): OperatedChain | undefined };
  readonly reads: Pick<MarketReads, 'market' | 'marketsNamed'>;
  readonly commands: Pick<HostCommands, 'closeEarly' | 'cancelOrders'>;
  /** Unix seconds of the service's clock, by which markets expire. */
  readonly nowSeconds: () => number;
  readonly wallMs: () => number;
  /** Default fees of a market of this category. */
  readonly feesFor: (category: string) => FeeRates;
  readonly log: Pick<Log, 'warn'>;
}

interface NewKey {
  readonly name: string;
  readonly rights: readonly OperatorRight[];
  readonly publicKey?: string;
}

/** A market of an event, listed or not. */
interface EventMarket extends Pick<MarketView, 'status' | 'tradeCount'> {
  readonly facts: TextFacts;
  readonly outcome: string;
}

/** Texts that are fixed from the first trade on, because traders agreed to them. */
const WORDING = ['question', 'description', 'source'] as const;

export class OperatorService {
  readonly state: OperatorState;
  readonly #options: OperatorServiceOptions;
  /** Changes keys one at a time: two keys that revoke each other simultaneously would leave none. */
  readonly #keyChanges = new SerialQueue();
  /** Creations of markets, immediate and scheduled. */
  readonly markets: MarketCreations;
  readonly events: EventCreations;
  readonly closings: MarketClosings;
  readonly voids: MarketVoids;

  constructor(options: OperatorServiceOptions) {
    const { state, reads, commands, nowSeconds, feesFor, log } = options;
    this.#options = options;
    this.state = state;
    const act: Act = (asked, ...actions) => this.#note(asked, ...actions);
    const chainOf = (chainId = this.#firstChain()) => {
      this.#operationsOf(chainId);
      return { chainId };
    };
    const creatorOf = (chainId: number) => this.#creatorOf(chainId);
    this.markets = new MarketCreations({ state, act, chainOf, creatorOf, reads, nowSeconds, feesFor });
    this.events = new EventCreations({ state, act, markets: this.markets, creatorOf, reads, nowSeconds });
    this.closings = new MarketClosings({ state, act, reads, commands, log });
    const operationsOf = (chainId: number) => this.#operationsOf(chainId);
    this.voids = new MarketVoids({ state, act, reads, operationsOf, log });
  }

  async editMarket(asked: Asked, marketId: MarketId, changes: Partial<MarketTexts>): Promise<void> {
    await this.#note(asked, this.#edit(this.#marketOf(marketId), changes));
  }

  async featureMarket(asked: Asked, marketId: MarketId, isFeatured: boolean): Promise<void> {
    this.#marketOf(marketId);
    await this.#note(asked, { kind: 'feature-market', marketId, isFeatured });
  }

  async pauseMarket(asked: Asked, marketId: MarketId, isPaused: boolean): Promise<void> {
    this.#marketOf(marketId);
    await this.#note(asked, { kind: 'pause-market', marketId, isPaused });
  }

  /** Ends a market's trading now. The contract still accepts a proposed result only from the market's expiration. */
  async closeMarket(asked: Asked, marketId: MarketId): Promise<void> {
    if (this.#marketOf(marketId).status !== 'open') throw new PresageError('market_closed', { marketId });
    await this.closings.close(asked, [marketId]);
  }

  /** Changes the texts of all markets of an event; each market's question adds its own outcome to the event's. */
  async editEvent(asked: Asked, eventId: Bytes32, { question, ...changes }: Partial<MarketTexts>): Promise<void> {
    const markets = this.#marketsOf(eventId);
    const traded = markets.find(({ tradeCount }) => tradeCount > 0);
    const isWording = [question, changes.description, changes.source].some((text) => text !== undefined);
    if (traded !== undefined && isWording) {
      throw new PresageError('market_has_traded', { marketId: traded.facts.marketId });
    }
    const actions = markets.map(({ outcome, ...market }) => {
      const named = question === undefined ? {} : { question: toOutcomeQuestion(question, outcome) };
      return this.#edit(market, { ...changes, ...named });
    });
    await this.#note(asked, ...actions);
  }

  async pauseEvent(asked: Asked, eventId: Bytes32, isPaused: boolean): Promise<void> {
    const markets = this.#marketsOf(eventId);
    const actions = markets.map(({ facts: { marketId } }) => ({ kind: 'pause-market', marketId, isPaused }) as const);
    await this.#note(asked, ...actions);
  }

  /** Closes the open markets of an event. */
  async closeEvent(asked: Asked, eventId: Bytes32): Promise<void> {
    const open = this.#marketsOf(eventId).filter(({ status }) => status === 'open');
    if (open.length === 0) throw new PresageError('market_closed', { eventId });
    await this.closings.close(
      asked,
      open.map(({ facts }) => facts.marketId),
    );
  }

  /** Voids a market; returns the id of the transaction's operation. */
  async voidMarket(asked: Asked, marketId: MarketId): Promise<string> {
    const market = this.#marketOf(marketId);
    if (market.facts.kind !== 'standard') throw new PresageError('not_voidable', { marketId });
    return this.voids.void(asked, market);
  }

  async haltTrading(asked: Asked, isHalted: boolean): Promise<void> {
    await this.#note(asked, { kind: 'halt-trading', isHalted });
  }

  /** Blocks or unblocks a wallet; blocking cancels its open orders. Returns how many. */
  async blockWallet(asked: Asked, wallet: Address, isBlocked: boolean): Promise<number> {
    await this.#note(asked, { kind: 'block-wallet', wallet, isBlocked });
    if (!isBlocked) return 0;
    const { cancelled } = await this.#options.commands.cancelOrders(wallet, 'wallet_blocked');
    return cancelled.length;
  }

  async defineCategory(asked: Asked, categoryId: string, name: string): Promise<void> {
    await this.#note(asked, { kind: 'define-category', categoryId, name });
  }

  async removeCategory(asked: Asked, categoryId: string): Promise<void> {
    if (categoryId === GENERAL_CATEGORY) throw new PresageError('category_fixed', { id: categoryId });
    this.#requireCategory(categoryId);
    await this.#note(asked, { kind: 'remove-category', categoryId });
  }

  /** Adds a key; creates a pair unless a public key is given. The private key is stored nowhere. */
  async addKey(asked: Asked, { name, rights, publicKey }: NewKey): Promise<{ key: OperatorKey; privateKey?: string }> {
    if (publicKey !== undefined && !isSoundPublicKey(publicKey)) {
      throw new PresageError('invalid_field', { field: 'publicKey', expected: 'an Ed25519 key of prime order' });
    }
    const pair = publicKey === undefined ? createApiKeyPair() : { publicKeyHex: publicKey };
    const keyId = toOperatorKeyId(pair.publicKeyHex);
    const key = await this.#keyChanges.run(async () => {
      if (this.state.find(keyId)?.isFixed) throw new PresageError('operator_key_fixed', { keyId });
      if (!rights.includes('keys')) this.#requireOtherManager(keyId);
      await this.#note(asked, { kind: 'add-key', keyId, publicKey: pair.publicKeyHex, name, rights: [...rights] });
      return this.state.find(keyId);
    });
    if (key === undefined) throw new Error(`the operator key ${keyId} was not added`);
    return 'privateKeyHex' in pair ? { key, privateKey: pair.privateKeyHex } : { key };
  }

  revokeKey(asked: Asked, keyId: string): Promise<void> {
    return this.#keyChanges.run(async () => {
      const key = this.state.find(keyId);
      if (key === undefined || key.isRevoked) throw new PresageError('operator_key_not_found', { keyId });
      if (key.isFixed) throw new PresageError('operator_key_fixed', { keyId });
      this.#requireOtherManager(keyId);
      await this.#note(asked, { kind: 'revoke-key', keyId });
    });
  }

  failures() {
    return this.#options.chains.list().flatMap(({ config: { chainId }, actor }) => {
      return actor === undefined ? [] : [{ chainId, ...actor.operations.failures() }];
    });
  }

  /** Records that dead letters are sent again, with their number just before. */
  async retryWebhooks(asked: Asked, letters: number): Promise<void> {
    await this.#note(asked, { kind: 'retry-webhooks', letters });
  }

  /** Retries on one chain or on all, and returns their ids. */
  async retry(asked: Asked, chainId?: number): Promise<number[]> {
    const chosen = chainId === undefined ? this.#options.chains.list().map(({ config }) => config.chainId) : [chainId];
    for (const each of chosen) {
      const operations = this.#operationsOf(each);
      await this.#note(asked, { kind: 'retry-failures', chainId: each });
      operations.retry();
    }
    return chosen;
  }

  /** Records actions in one frame, so that a kill leaves all or none. */
  #note({ actor, reason, approval }: Asked, ...actions: readonly OperatorAction[]): Promise<void> {
    const timeMs = this.#options.wallMs();
    const confirmed = approval === undefined ? {} : { approval };
    const records = actions.map((action) => {
      return { type: 'operator-acted', timeMs, actor, reason, action, ...confirmed } as const;
    });
    return this.#options.note(...records);
  }

  #edit(market: Pick<EventMarket, 'facts' | 'tradeCount'>, changes: Partial<MarketTexts>): OperatorAction {
    const { marketId } = market.facts;
    const before = this.state.textsOf(market);
    const texts = { ...before, ...changes };
    this.#requireCategory(texts.category);
    const isOther = WORDING.some((name) => texts[name] !== before[name]);
    if (isOther && market.tradeCount > 0) throw new PresageError('market_has_traded', { marketId });
    return { kind: 'edit-market', marketId, texts };
  }

  #marketOf(marketId: MarketId): MarketView {
    const market = this.#options.reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    return market;
  }

  /** All markets of an event, including those not listed yet: an action on an event applies to all of it. */
  #marketsOf(eventId: Bytes32): EventMarket[] {
    const markets = this.#options.reads.marketsNamed(eventId);
    if (markets.length === 0) throw new PresageError('event_not_found', { eventId });
    const listed = markets.map(({ facts, status, tradeCount }): EventMarket => {
      return { facts, outcome: facts.event?.name ?? '', status, tradeCount };
    });
    const isListed = (marketId: MarketId) => listed.some(({ facts }) => facts.marketId === marketId);
    return [...listed, ...this.#plannedOf(eventId).filter(({ facts }) => !isListed(facts.marketId))];
  }

  #plannedOf(eventId: Bytes32): EventMarket[] {
    const { texts, outcomes = [] } = this.state.plans.findEvent(eventId) ?? {};
    if (texts === undefined) return [];
    return outcomes.map((outcome, index) => {
      const facts = { ...texts, marketId: toOutcomeMarketId(eventId, index, outcomes.length) };
      const status = this.state.closed.has(facts.marketId) ? 'closed' : 'open';
      return { facts, outcome, status, tradeCount: 0 };
    });
  }

  #creatorOf(chainId: number): MarketCreator {
    const { creator } = this.#operationsOf(chainId);
    if (creator === undefined) throw new PresageError('creator_not_configured', { chainId });
    return creator;
  }

  #firstChain(): number {
    return this.#options.chains.list()[0]?.config.chainId ?? 0;
  }

  #operationsOf(chainId: number): ChainOperations {
    const actor = this.#options.chains.find(chainId)?.actor;
    if (actor !== undefined) return actor.operations;
    throw new PresageError('chain_unavailable', { reason: `chain ${chainId} is not served` });
  }

  /** Refuses to remove the last key that may manage keys: nobody could add keys any more. */
  #requireOtherManager(keyId: string): void {
    const managers = this.state.keys().filter(({ rights }) => rights.includes('keys'));
    if (managers.length === 1 && managers[0]?.keyId === keyId) throw new PresageError('last_operator_key', { keyId });
  }

  #requireCategory(id: string): void {
    if (!this.state.hasCategory(id)) throw new PresageError('category_not_found', { id });
  }
}
