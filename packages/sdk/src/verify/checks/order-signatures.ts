// Checks that every order matches its hash and was signed by the wallet it is recorded for.
import { type Hex, type MarketFacts, type MarketId, type OrderAccepted, OrderHasher, toHex } from '@presage/protocol';
import { Violation } from './violation.ts';

export interface DomainName {
  readonly name: string;
  readonly version: string;
}

/** An order whose signer is yet to be recovered. */
export interface SignedDigest {
  readonly seq: number;
  readonly trader: string;
  readonly digest: Uint8Array;
  readonly signature: Hex;
}

export class OrderSignatures {
  readonly #domains: ReadonlyMap<number, DomainName>;
  readonly #hashers = new Map<string, OrderHasher>();
  readonly #markets = new Map<MarketId, OrderHasher>();

  /** EIP-712 names by chain. */
  constructor(domains: ReadonlyMap<number, DomainName>) {
    this.#domains = domains;
  }

  chainOf(marketId: MarketId): number | undefined {
    return this.#markets.get(marketId)?.domain.chainId;
  }

  /** Adds a market: its facts name the contract where its orders settle. */
  async list({ marketId, chainId, settlementAddress }: MarketFacts): Promise<void> {
    const domain = this.#domains.get(chainId);
    if (domain === undefined)
      throw new Violation('market_wrong', `market ${marketId} is on chain ${chainId}, not served`);
    const key = `${chainId} ${settlementAddress}`;
    const hasher =
      this.#hashers.get(key) ?? (await OrderHasher.open({ ...domain, chainId, verifyingContract: settlementAddress }));
    this.#hashers.set(key, hasher);
    this.#markets.set(marketId, hasher);
  }

  /** Throws if the order does not match its hash. */
  digestOf({ order, orderHash, signature, marketId }: OrderAccepted, seq: number): SignedDigest {
    const hasher = this.#markets.get(marketId);
    if (hasher === undefined) throw new Violation('market_wrong', `an order in ${marketId}, never listed`, seq);
    const digest = hasher.digest(order);
    if (toHex(digest) !== orderHash) {
      throw new Violation('order_changed', `order ${orderHash} hashes to ${toHex(digest)}`, seq);
    }
    return { seq, trader: order.trader, digest, signature };
  }
}

/** Throws unless the signer is the order's trader. */
export function compareSigner({ seq, trader, digest }: SignedDigest, signer: string | undefined): void {
  if (signer === trader) return;
  throw new Violation('order_unsigned', `order ${toHex(digest)} of ${trader} is signed by ${signer ?? 'nobody'}`, seq);
}
