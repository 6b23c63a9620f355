// What a wallet holds, has reserved and can spend: the chain says what it holds, the engine what is reserved, the view where to look.
import type { Engine } from '@presage/engine';
import { type Address, type MarketFacts, type Order, SELL, type Size } from '@presage/protocol';
import type { Views } from '../projections/views.ts';
import { type ReserveFacts, type RestingOrder, reserveOf, shareKey, type UnminedFill } from './reserve.ts';
import type { MarketClaim, WalletApprovals, WalletClaims, WalletReads } from './wallet-reads.ts';

export interface WalletServiceOptions {
  readonly chainId: number;
  readonly stablecoin: Address;
  readonly conditionalTokens: Address;
  readonly chain: WalletReads;
  readonly reads: Engine;
  readonly views: Pick<Views, 'positions'>;
  /** The owner's next nonce once everything that is being relayed is mined. */
  readonly relayer: { nextNonce(contract: Address, owner: Address): bigint | undefined };
}

/** Stablecoin, 6 decimals. */
export interface WalletBalances {
  readonly balance: bigint;
  readonly allowance: bigint;
  /** What unsettled fills and open orders could take. */
  readonly reserved: bigint;
  /** What is left of the balance beside it. */
  readonly available: bigint;
}

type Commitments = Pick<ReserveFacts, 'fills' | 'orders'>;

/** Each method that asks the chain rejects with chain_unavailable while it is unreachable. */
export class WalletService {
  readonly #options: WalletServiceOptions;

  constructor(options: WalletServiceOptions) {
    this.#options = options;
  }

  isServed(chainId: number): boolean {
    return chainId === this.#options.chainId;
  }

  balances(wallet: Address, spender?: Address): Promise<WalletBalances> {
    return this.#compute(wallet, this.#commitmentsOf(wallet), spender);
  }

  /** With an order that is not placed yet; the allowance is the settlement contract's. */
  reserve(wallet: Address, coming?: Order): Promise<WalletBalances> {
    const { fills, orders } = this.#commitmentsOf(wallet);
    const last = coming === undefined ? [] : [{ ...coming, remainingSize: coming.size }];
    return this.#compute(wallet, { fills, orders: [...orders, ...last] });
  }

  async #compute(wallet: Address, commitments: Commitments, spender?: Address): Promise<WalletBalances> {
    const sold = this.#sharesSold(wallet, commitments);
    const { balance, allowance, shares } = await this.#options.chain.funds({
      wallet,
      spender,
      tokenIds: [...sold.values()],
    });
    const held = new Map([...sold.keys()].map((key, index) => [key, shares[index] ?? 0n]));
    const reserved = reserveOf({ wallet, ...commitments, shares: held });
    return { balance, allowance, reserved, available: balance > reserved ? balance - reserved : 0n };
  }

  approvals(wallet: Address): Promise<WalletApprovals> {
    return this.#options.chain.approvals(wallet);
  }

  /** Where the view knows shares of the wallet; how many there are, the chain says. */
  async claimable(wallet: Address): Promise<readonly MarketClaim[]> {
    const rows = await this.#options.views.positions(wallet, this.#options.chainId);
    const markets = rows.flatMap(({ marketId }) => this.#standing(marketId));
    if (markets.length === 0) return [];
    const { claims } = await this.#options.chain.claims(wallet, markets);
    return claims.filter(({ denominator }) => denominator > 0n);
  }

  claims(wallet: Address, markets: readonly MarketFacts[]): Promise<WalletClaims> {
    return this.#options.chain.claims(wallet, markets);
  }

  async nonce(contract: Address, owner: Address): Promise<bigint | undefined> {
    if (!this.#signsPermits(contract)) return undefined;
    if (this.#isQuick(contract)) return 0n;
    const [mined = 0n] = await this.#options.chain.nonces([{ owner, contract }], 'head');
    const next = this.#options.relayer.nextNonce(contract, owner) ?? 0n;
    return next > mined ? next : mined;
  }

  /** Nothing is ever signed for a quick market: it resolves itself, and counts nobody's operations. */
  #isQuick(contract: Address): boolean {
    return this.#options.reads
      .markets()
      .some(({ facts }) => facts.kind === 'quick' && facts.contractAddress === contract);
  }

  #signsPermits(contract: Address): boolean {
    const { stablecoin, conditionalTokens, chainId, reads } = this.#options;
    if ([stablecoin, conditionalTokens].some((address) => address.toLowerCase() === contract)) return true;
    return reads.markets().some(({ facts, closeReason }) => {
      return facts.contractAddress === contract && facts.chainId === chainId && closeReason !== 'vanished';
    });
  }

  /** A market whose creation left the chain has no condition to ask about. */
  #standing(marketId: MarketFacts['marketId']): MarketFacts[] {
    const market = this.#options.reads.market(marketId);
    return market === undefined || market.closeReason === 'vanished' ? [] : [market.facts];
  }

  #commitmentsOf(wallet: Address): Commitments {
    const { reads } = this.#options;
    const fills = reads.unsettledTrades().filter((trade) => {
      return (trade.buyer === wallet || trade.seller === wallet) && trade.stage !== 'mined';
    });
    const orders = reads.openOrders({ trader: wallet }).map(({ signed, remainingSize }): RestingOrder => {
      return { ...signed.order, remainingSize: remainingSize as Size };
    });
    const isHere = (each: UnminedFill | RestingOrder) => this.#factsOf(each).chainId === this.#options.chainId;
    return { fills: fills.filter(isHere), orders: orders.reverse().filter(isHere) };
  }

  /** Token ids of what the wallet means to sell, by `shareKey`. */
  #sharesSold(wallet: Address, { fills, orders }: Commitments): Map<string, bigint> {
    const sales = [...fills.filter(({ seller }) => seller === wallet), ...orders.filter(({ side }) => side === SELL)];
    return new Map(
      sales.map((sale) => {
        const { yesTokenId, noTokenId } = this.#factsOf(sale);
        return [shareKey(sale.marketId, sale.outcome), BigInt(sale.outcome === 0 ? yesTokenId : noTokenId)];
      }),
    );
  }

  #factsOf({ marketId }: UnminedFill | RestingOrder): MarketFacts {
    const market = this.#options.reads.market(marketId);
    if (market === undefined) throw new Error(`an order or a trade names the unknown market ${marketId}`);
    return market.facts;
  }
}
