// The allow-list: which contracts, markets and arguments the operator pays for. Pure.
import { type Address, type Bytes32, PresageError, type Redemption } from '@presage/protocol';
import type { RelayerMarkets, RelayWish } from './ports.ts';

export interface CallPolicyOptions {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  readonly markets: RelayerMarkets;
}

const TOP_LEVEL: Bytes32 = `0x${'00'.repeat(32)}`;

export class CallPolicy {
  readonly #options: CallPolicyOptions;

  constructor(options: CallPolicyOptions) {
    this.#options = options;
  }

  /** Throws PresageError naming the argument that is not taken. */
  check(wish: RelayWish): void {
    switch (wish.operation) {
      case 'ctf-approval':
        return this.#require(wish.request.operator === this.#options.settlement, 'operator', 'the settlement contract');
      case 'stablecoin-permit':
        return this.#checkSpender(wish.request.spender);
      case 'ctf-redemption':
        return this.#checkRedemption(wish.request, '');
      case 'batch-ctf-redemption':
        return wish.request.redemptions.forEach((each, index) => this.#checkRedemption(each, `redemptions.${index}.`));
      case 'propose-resolution':
      case 'settle-market':
        return this.#checkMarketAt(wish.request.marketAddress);
      default:
        return this.#checkCondition(wish.request, '');
    }
  }

  #checkSpender(spender: Address): void {
    const { settlement, conditionalTokens } = this.#options;
    if (spender === settlement || spender === conditionalTokens) return;
    throw new PresageError('spender_not_allowed', { spender, allowed: { settlement, conditionalTokens } });
  }

  #checkRedemption(redemption: Redemption, at: string): void {
    const { parentCollectionId, conditionId, marketAddress } = redemption;
    this.#checkCondition(redemption, at);
    this.#require(parentCollectionId === TOP_LEVEL, `${at}parentCollectionId`, 'zero bytes: the top level');
    const contract = this.#options.markets.find(conditionId)?.contractAddress;
    const isItsOwn = marketAddress === undefined || marketAddress === contract;
    this.#require(isItsOwn, `${at}marketAddress`, `the market's contract, ${contract}`);
  }

  #checkCondition({ collateralToken, conditionId }: Pick<Redemption, 'collateralToken' | 'conditionId'>, at: string) {
    const { stablecoin, markets } = this.#options;
    this.#require(collateralToken === stablecoin, `${at}collateralToken`, `the stablecoin, ${stablecoin}`);
    const isKnown = markets.find(conditionId) !== undefined;
    this.#require(isKnown, `${at}conditionId`, 'the id of a market of this service');
  }

  #checkMarketAt(address: Address): void {
    this.#require(
      this.#options.markets.at(address)?.kind === 'standard',
      'marketAddress',
      'a market of this service that is resolved by proposal',
    );
  }

  #require(holds: boolean, field: string, expected: string): void {
    if (!holds) throw new PresageError('call_not_allowed', { field, expected });
  }
}
