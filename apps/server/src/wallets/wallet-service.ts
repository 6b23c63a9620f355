// Reports what a wallet holds, has reserved and can spend: holdings from the chain, reserves from the engine, and markets to look at from the view.
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
  /** Reads a wallet's holdings now, at one block, including the shares that an order would sell. */
  readonly readWallet: (wallet: Address, coming?: Order) => Promise<Wallet>;
  readonly relays: Pick<RelayState, 'nextNonce'>;
}

/** Amounts of stablecoin with 6 decimals. */
export interface WalletBalances {
  readonly balance: bigint;
  readonly allowance: bigint;
  /** Stablecoin that the settlement contract keeps for the wallet. */
  readonly deposited: bigint;
  /** Stablecoin that unsettled fills and open orders could take. */
  readonly reserved: bigint;
  /** Amount that the balance or the deposit, whichever is larger, has beyond the reserve. */
  readonly available: bigint;
  /** Change of the balance by unsettled fills. */
  readonly unsettled: bigint;
}

/** Every method that reads the chain rejects with chain_unavailable while it is unreachable. */
export class WalletService {
  readonly #context: WalletContext;
  readonly #options: WalletServiceOptions;

  constructor(context: WalletContext, options: WalletServiceOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Balances at one block. Each fill counts once: in the balance, or in the reserve while that block does not have it. */
  async balances(wallet: Address, spender?: Address): Promise<WalletBalances> {
    const { headroom: _, ...balances } = await this.reserve(wallet);
    if (spender === undefined) return balances;
    const funds = await this.#options.chain.funds(wallet, [], spender);
    return { ...balances, allowance: funds.allowance };
  }

  /** Reserve including an order that is not placed yet; the allowance is that of the settlement contract, the headroom is the part reserved for rounding. */
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

  /** Claims in markets in which the view knows shares of the wallet; their number is read from the chain. */
  async claimable(wallet: Address): Promise<readonly MarketClaim[]> {
    const rows = await this.#options.views.listPositions(wallet, this.#context.chain.chainId);
    const markets = rows.flatMap(({ marketId }) => this.#findCondition(marketId));
    if (markets.length === 0) return [];
    const { claims } = await this.#options.chain.claims(wallet, markets);
    return claims.filter(({ denominator }) => denominator > 0n);
  }

  /** The nonce includes calls that are being relayed, so that claims can be signed one after another without waiting for a block. */
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

  /** Called before and after reading the chain: a call that is mined in between is in one of the results. */
  #nextNonce(contract: Address, owner: Address): bigint {
    return this.#options.relays.nextNonce(contract, owner) ?? 0n;
  }

  /** Whether the contract is a quick market: nothing is signed for one, since it resolves itself, and it has no nonces. */
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

  /** Returns no facts for a vanished market, which has no condition on chain. */
  #findCondition(marketId: MarketFacts['marketId']): MarketFacts[] {
    const market = this.#context.reads.market(marketId);
    return market === undefined || market.closeReason === 'vanished' ? [] : [market.facts];
  }
}

function highest(...nonces: readonly bigint[]): bigint {
  return nonces.reduce((most, nonce) => (nonce > most ? nonce : most));
}
