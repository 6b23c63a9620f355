// The allow-list: which contracts, markets and arguments the operator pays for. Pure.
import { type Address, PresageError, type Redemption } from '@presage/protocol';
import type { RelayerMarkets, RelayWish } from './ports.ts';

export interface CallPolicyOptions {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  readonly markets: RelayerMarkets;
}

const TOP_LEVEL = `0x${'00'.repeat(32)}`;

export class CallPolicy {
  readonly #options: CallPolicyOptions;

  constructor(options: CallPolicyOptions) {
    this.#options = options;
  }

  /** Throws PresageError naming the argument that is not taken. */
  check(wish: RelayWish): void {
    const { operation, request } = wish;
    if (operation === 'ctf-approval') this.#checkOperator(request.operator);
    else if (operation === 'stablecoin-permit') this.#checkSpender(request.spender);
    else if (operation === 'ctf-redemption') this.#checkRedemption(request, '');
    else if (operation === 'batch-ctf-redemption') this.#checkAll(request.redemptions);
    else if (operation === 'split' || operation === 'merge') this.#checkCondition(request, '');
    else this.#checkMarketAt(request.marketAddress);
  }

  #checkOperator(operator: Address): void {
    const { settlement } = this.#options;
    this.#require(operator === settlement, 'operator', `the settlement contract, ${settlement}`);
  }

  #checkAll(redemptions: readonly Redemption[]): void {
    for (const [index, each] of redemptions.entries()) this.#checkRedemption(each, `redemptions.${index}.`);
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
