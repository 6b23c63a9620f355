// What operators can do: each action is checked, written down with who asked and why, and then carried out.
import type { MarketView } from '@presage/engine';
import {
  type Address,
  GENERAL_CATEGORY,
  type MarketId,
  type MarketTexts,
  type OperatorAction,
  type OperatorRight,
  PresageError,
} from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { poll, SerialQueue } from '@presage/runtime';
import { describeOnChain, textsOf, WORDING } from './market-texts.ts';
import { toOperatorKeyId } from './operator-key-id.ts';
import type { OperatorKey, OperatorState } from './operator-state.ts';
import type {
  ActorOperations,
  ChainFailures,
  NoteAction,
  OperatedChains,
  OperatorCommands,
  OperatorReads,
} from './ports.ts';

export interface OperatorServiceOptions {
  readonly state: OperatorState;
  readonly note: NoteAction;
  readonly chains: OperatedChains;
  readonly reads: OperatorReads;
  readonly commands: OperatorCommands;
  /** Unix seconds of the service's clock: markets expire by it. */
  readonly nowSeconds: () => number;
  readonly wallMs: () => number;
}

/** Who asks, and why in their own words. */
export interface Asked {
  readonly actor: string;
  readonly reason: string;
}

interface NewMarket extends Partial<Omit<MarketTexts, 'question'>> {
  readonly question: string;
  readonly expiration: number;
  readonly chainId?: number;
}

interface NewKey {
  readonly name: string;
  readonly rights: readonly OperatorRight[];
  readonly publicKey?: string;
}

/** A chain whose blocks are slow lists the market later; the id is good already. */
const LISTING_WAIT_MS = 10_000;
const POLL_MS = 20;
/** Times of the contracts are wider; nothing else here is tried beyond 2106. */
const LATEST_EXPIRATION = 0xffff_ffff;

export class OperatorService {
  readonly #options: OperatorServiceOptions;
  /** One at a time: the id of a market depends on those with the same terms before it. */
  readonly #creations = new SerialQueue();

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  get state(): OperatorState {
    return this.#options.state;
  }

  /** Answers with its id, and whether it can be traded already. */
  createMarket(asked: Asked, market: NewMarket): Promise<{ marketId: MarketId; isListed: boolean }> {
    return this.#creations.run(() => this.#createMarket(asked, market));
  }

  async editMarket(asked: Asked, marketId: MarketId, changes: Partial<MarketTexts>): Promise<void> {
    const market = this.#marketOf(marketId);
    const before = textsOf(market, this.state);
    const texts = { ...before, ...changes };
    this.#requireCategory(texts.category);
    const isOther = WORDING.some((name) => texts[name] !== before[name]);
    if (isOther && market.tradeCount > 0) throw new PresageError('market_has_traded', { marketId });
    await this.#note(asked, { kind: 'edit-market', marketId, texts });
  }

  async featureMarket(asked: Asked, marketId: MarketId, isFeatured: boolean): Promise<void> {
    this.#marketOf(marketId);
    await this.#note(asked, { kind: 'feature-market', marketId, isFeatured });
  }

  async pauseMarket(asked: Asked, marketId: MarketId, isPaused: boolean): Promise<void> {
    this.#marketOf(marketId);
    await this.#note(asked, { kind: 'pause-market', marketId, isPaused });
  }

  /** Trading ends now; its result can be proposed from its expiration on, as the contract has it. */
  async closeMarket(asked: Asked, marketId: MarketId): Promise<void> {
    if (this.#marketOf(marketId).status !== 'open') throw new PresageError('market_closed', { marketId });
    await this.#note(asked, { kind: 'close-market', marketId });
    await this.#options.commands.closeEarly(marketId);
  }

  /** Answers with the id of the transaction's operation. */
  async voidMarket(asked: Asked, marketId: MarketId): Promise<string> {
    const { facts } = this.#marketOf(marketId);
    const operations = this.#operationsOf(facts.chainId);
    if (facts.kind !== 'standard') throw new PresageError('not_voidable', { marketId });
    return operations.voidMarket(facts.contractAddress, () => this.#note(asked, { kind: 'void-market', marketId }));
  }

  async haltTrading(asked: Asked, isHalted: boolean): Promise<void> {
    await this.#note(asked, { kind: 'halt-trading', isHalted });
  }

  /** Its open orders leave the book with it. */
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

  /** The private half is made here unless the public one was given; it is kept nowhere. */
  async addKey(asked: Asked, { name, rights, publicKey }: NewKey): Promise<{ key: OperatorKey; privateKey?: string }> {
    const pair = publicKey === undefined ? createApiKeyPair() : undefined;
    const half = publicKey ?? (pair?.publicKeyHex as string);
    const keyId = toOperatorKeyId(half);
    if (this.state.find(keyId)?.isFixed) throw new PresageError('operator_key_fixed', { keyId });
    await this.#note(asked, { kind: 'add-key', keyId, publicKey: half, name, rights: [...rights] });
    const key = this.state.find(keyId) as OperatorKey;
    return pair === undefined ? { key } : { key, privateKey: pair.privateKeyHex };
  }

  async revokeKey(asked: Asked, keyId: string): Promise<void> {
    const key = this.state.find(keyId);
    if (key === undefined || key.isRevoked) throw new PresageError('operator_key_not_found', { keyId });
    if (key.isFixed) throw new PresageError('operator_key_fixed', { keyId });
    const managers = this.state.keys().filter(({ rights }) => rights.includes('keys'));
    if (managers.length === 1 && managers[0] === key) throw new PresageError('last_operator_key', { keyId });
    await this.#note(asked, { kind: 'revoke-key', keyId });
  }

  failures(): (ChainFailures & { readonly chainId: number })[] {
    const { chains } = this.#options;
    return chains.list().flatMap(({ config: { chainId }, actor }) => {
      return actor === undefined ? [] : [{ chainId, ...actor.operations.failures() }];
    });
  }

  /** Of all chains, or of one. Answers with those that try again. */
  async retry(asked: Asked, chainId?: number): Promise<number[]> {
    const chosen = chainId === undefined ? this.#options.chains.list().map(({ config }) => config.chainId) : [chainId];
    for (const each of chosen) {
      const operations = this.#operationsOf(each);
      await this.#note(asked, { kind: 'retry-failures', chainId: each });
      operations.retry();
    }
    return chosen;
  }

  async #createMarket(asked: Asked, { question, expiration, chainId: named, ...given }: NewMarket) {
    const chainId = named ?? this.#options.chains.list()[0]?.config.chainId ?? 0;
    const { creator } = this.#operationsOf(chainId);
    const texts = { description: '', source: '', category: GENERAL_CATEGORY, imageUrl: '', ...given, question };
    this.#requireCategory(texts.category);
    this.#requireFuture(expiration);
    if (creator === undefined) throw new PresageError('creator_not_configured', { chainId });
    const terms = { question, description: describeOnChain(texts), category: texts.category, expiration };
    const marketId = await creator.prepare(terms);
    await this.#note(asked, { kind: 'create-market', marketId, chainId, expiration, texts });
    await creator.create(marketId, terms);
    const isListed = () => this.#options.reads.market(marketId) !== undefined;
    await poll(isListed, { timeoutMs: LISTING_WAIT_MS, pollMs: POLL_MS });
    return { marketId, isListed: isListed() };
  }

  #note({ actor, reason }: Asked, action: OperatorAction): Promise<void> {
    return this.#options.note({ type: 'operator-acted', timeMs: this.#options.wallMs(), actor, reason, action });
  }

  #marketOf(marketId: MarketId): MarketView {
    const market = this.#options.reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    return market;
  }

  #operationsOf(chainId: number): ActorOperations {
    const actor = this.#options.chains.find(chainId)?.actor;
    if (actor !== undefined) return actor.operations;
    throw new PresageError('chain_unavailable', { reason: `chain ${chainId} is not served` });
  }

  #requireCategory(id: string): void {
    if (!this.state.hasCategory(id)) throw new PresageError('category_not_found', { id });
  }

  #requireFuture(expiration: number): void {
    const now = this.#options.nowSeconds();
    if (expiration > now && expiration <= LATEST_EXPIRATION) return;
    const expected = `a Unix time after ${now} and up to ${LATEST_EXPIRATION}`;
    throw new PresageError('invalid_field', { field: 'expiration', expected, got: expiration });
  }
}
