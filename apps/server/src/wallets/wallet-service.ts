// What a wallet holds, has reserved and can spend: the chain says what it holds, the engine what is reserved, the view where to look.
import type { MarketView } from '@presage/engine';
import type { Address, MarketFacts, Order } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Views } from '../projections/views.ts';
import type { RelayState } from '../relayer/relay-state.ts';
import { availableOf } from './cover.ts';
import type { ComingOrder, Wallet } from './wallet.ts';
import type { MarketClaim, WalletApprovals, WalletReads } from './wallet-reads.ts';

type WalletContext = Pick<ChainContext, 'chain' | 'addresses'> & {
  readonly reads: Pick<ChainContext['reads'], 'market' | 'marketsNamed'>;
};

export interface WalletServiceOptions {
  readonly chain: WalletReads;
  readonly views: Pick<Views, 'listPositions'>;
  /** A wallet with its holdings read just now, of one block, and with the shares that an order would sell. */
  readonly readWallet: (wallet: Address, coming?: Order) => Promise<Wallet>;
  readonly relays: Pick<RelayState, 'nextNonce'>;
}

/** Stablecoin, 6 decimals. */
export interface WalletBalances {
  readonly balance: bigint;
  readonly allowance: bigint;
  /** Stablecoin that the settlement contract keeps for the wallet. */
  readonly deposited: bigint;
  /** What unsettled fills and open orders could take. */
  readonly reserved: bigint;
  /** What is left beside it of the balance or of the deposit, whichever is more. */
  readonly available: bigint;
  /** What unsettled fills will change the balance by. */
  readonly unsettled: bigint;
}

/** Each method that asks the chain rejects with chain_unavailable while it is unreachable. */
export class WalletService {
  readonly #context: WalletContext;
  readonly #options: WalletServiceOptions;

  constructor(context: WalletContext, options: WalletServiceOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Figures of one block. Each fill counts once: in the balance, or as reserved while that block does not have it. */
  async balances(wallet: Address, spender?: Address): Promise<WalletBalances> {
    const { headroom: _, ...balances } = await this.reserve(wallet);
    if (spender === undefined) return balances;
    const funds = await this.#options.chain.funds(wallet, [], spender);
    return { ...balances, allowance: funds.allowance };
  }

  /** With an order that is not placed yet; the allowance is the settlement contract's, the headroom is the part reserved for rounding. */
  async reserve(wallet: Address, coming?: ComingOrder) {
    const read = await this.#options.readWallet(wallet, coming?.order);
    const { balance, allowance, deposited } = read.holdings!; // read just now
    const need = coming && read.needOf(coming);
    const reserved = need === undefined ? read.reserved() : need.reserved + need.money;
    const headroom = need === undefined ? read.headroom() : need.reservedHeadroom + need.headroom;
    const available = availableOf({ balance, deposited }, reserved);
    return { balance, allowance, deposited, reserved, headroom, available, unsettled: read.unsettled() };
  }

  approvals(wallet: Address): Promise<WalletApprovals> {
    return this.#options.chain.approvals(wallet);
  }

  /** Where the view knows shares of the wallet; how many there are, the chain says. */
  async claimable(wallet: Address): Promise<readonly MarketClaim[]> {
    const rows = await this.#options.views.listPositions(wallet, this.#context.chain.chainId);
    const markets = rows.flatMap(({ marketId }) => this.#findCondition(marketId));
    if (markets.length === 0) return [];
    const { claims } = await this.#options.chain.claims(wallet, markets);
    return claims.filter(({ denominator }) => denominator > 0n);
  }

  /** The nonce counts what is being relayed: claims are signed one after another, not one after a block. */
  async claims(wallet: Address, markets: readonly MarketFacts[]) {
    const { chain } = this.#options;
    const { conditionalTokens } = this.#context.chain.contracts;
    const inFlight = this.#nextNonce(conditionalTokens, wallet);
    const { claims, nonce } = await chain.claims(wallet, markets);
    return { claims, nonce: highest(nonce, inFlight, this.#nextNonce(conditionalTokens, wallet)) };
  }

  async nonce(contract: Address, owner: Address): Promise<bigint | undefined> {
    if (!this.#signsPermits(contract)) return undefined;
    if (this.#isQuick(contract)) return 0n;
    const inFlight = this.#nextNonce(contract, owner);
    const [mined = 0n] = await this.#options.chain.nonces([{ owner, contract }], 'head');
    return highest(mined, inFlight, this.#nextNonce(contract, owner));
  }

  /** Asked before the chain and after it: a call that is mined meanwhile is in one of the answers. */
  #nextNonce(contract: Address, owner: Address): bigint {
    return this.#options.relays.nextNonce(contract, owner) ?? 0n;
  }

  /** Nothing is ever signed for a quick market: it resolves itself, and counts nobody's operations. */
  #isQuick(contract: Address): boolean {
    return this.#marketsAt(contract).some(({ facts }) => facts.kind === 'quick');
  }

  #signsPermits(contract: Address): boolean {
    const { stablecoin, conditionalTokens, settlement } = this.#context.addresses;
    if ([stablecoin, conditionalTokens, settlement].includes(contract)) return true;
    return this.#marketsAt(contract).some(({ closeReason }) => closeReason !== 'vanished');
  }

  #marketsAt(contract: Address): MarketView[] {
    return this.#context.reads.marketsNamed(contract);
  }

  /** A market whose creation left the chain has no condition to ask about. */
  #findCondition(marketId: MarketFacts['marketId']): MarketFacts[] {
    const market = this.#context.reads.market(marketId);
    return market === undefined || market.closeReason === 'vanished' ? [] : [market.facts];
  }
}

function highest(...nonces: readonly bigint[]): bigint {
  return nonces.reduce((most, nonce) => (nonce > most ? nonce : most));
}
