// The allow-list: which contracts, markets and arguments the operator pays for. Pure.
import {
  type Address,
  type Bytes32,
  PresageError,
  type ProposeResolutionRequest,
  type Redemption,
} from '@presage/protocol';
import type { RelayerMarkets, RelayRequest } from './ports.ts';

export interface CallPolicyOptions {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  readonly markets: RelayerMarkets;
  readonly bondPermitRequired: boolean;
  readonly bonds: { readonly isOpen: boolean };
}

const TOP_LEVEL = `0x${'00'.repeat(32)}`;

export class CallPolicy {
  readonly #options: CallPolicyOptions;

  constructor(options: CallPolicyOptions) {
    this.#options = options;
  }

  /** Throws PresageError naming the argument that is not taken. */
  check(relayRequest: RelayRequest): void {
    if (relayRequest.operation === 'ctf-approval') this.#checkOperator(relayRequest.request.operator);
    else if (relayRequest.operation === 'stablecoin-permit') this.#checkSpender(relayRequest.request.spender);
    else if (relayRequest.operation === 'ctf-redemption') this.#checkRedemption(relayRequest.request, '');
    else if (relayRequest.operation === 'batch-ctf-redemption') this.#checkAll(relayRequest.request.redemptions);
    else if (relayRequest.operation === 'propose-resolution') this.#checkProposal(relayRequest.request);
    else if (relayRequest.operation === 'settle-market') this.#checkMarketAt(relayRequest.request.marketAddress);
    else if (relayRequest.operation === 'cancel-order') this.#checkMarket(relayRequest.request.marketId, 'marketId');
    else if (relayRequest.operation === 'invalidate-nonce') this.#checkContract(relayRequest.request.contract);
    else if (relayRequest.operation === 'split' || relayRequest.operation === 'merge')
      this.#checkCondition(relayRequest.request, '');
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
    const { stablecoin } = this.#options;
    this.#require(collateralToken === stablecoin, `${at}collateralToken`, `the stablecoin, ${stablecoin}`);
    this.#checkMarket(conditionId, `${at}conditionId`);
  }

  #checkMarket(marketId: Bytes32, field: string): void {
    const isKnown = this.#options.markets.find(marketId) !== undefined;
    this.#require(isKnown, field, 'the id of a market of this service');
  }

  #checkContract(contract: Address): void {
    const { settlement, conditionalTokens } = this.#options;
    if (contract !== settlement && contract !== conditionalTokens) this.#checkMarketAt(contract);
  }

  #checkProposal({ marketAddress, bondPermit }: ProposeResolutionRequest): void {
    this.#checkMarketAt(marketAddress);
    const { bondPermitRequired, bonds } = this.#options;
    if (bondPermit !== undefined || (!bondPermitRequired && bonds.isOpen)) return;
    throw new PresageError('invalid_request_body', {
      field: 'bondPermitDeadline',
      expected: bondPermitRequired
        ? 'a permit for the bond: this chain requires it'
        : 'a permit for the bond: this service sponsors none',
    });
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
