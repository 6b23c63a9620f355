// The allow-list: which contracts, markets and arguments the operator pays for. Pure.
import { type Address, type Bytes32, PresageError, toChecksumAddress } from '@presage/protocol';
import type { RelayerMarkets } from './ports.ts';

/** Contracts, markets and bond rules that the checks of operations compare with. */
export interface CallPolicy {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  readonly markets: RelayerMarkets;
  readonly bondPermitRequired: boolean;
  readonly bonds: { readonly isOpen: boolean };
}

export function checkCondition(
  policy: CallPolicy,
  condition: { readonly collateralToken: Address; readonly conditionId: Bytes32 },
): void {
  checkCollateral(policy, condition);
  checkMarket(policy, condition.conditionId, 'conditionId');
}

/** `at` is the path of the field in the body. */
export function checkCollateral(
  { stablecoin }: CallPolicy,
  { collateralToken }: { readonly collateralToken: Address },
  at = '',
): void {
  const expected = `the stablecoin, ${toChecksumAddress(stablecoin)}`;
  requireArgument(collateralToken === stablecoin, `${at}collateralToken`, expected);
}

export function checkMarket({ markets }: CallPolicy, marketId: Bytes32, field: string): void {
  requireArgument(markets.find(marketId) !== undefined, field, 'the id of a market of this service');
}

export function checkMarketAt({ markets }: CallPolicy, address: Address): void {
  const isProposable = markets.at(address)?.kind === 'standard';
  requireArgument(isProposable, 'marketAddress', 'a market of this service that is resolved by proposal');
}

/** Throws a PresageError that names the argument that is not accepted. */
export function requireArgument(holds: boolean, field: string, expected: string): void {
  if (!holds) throw new PresageError('call_not_allowed', { field, expected });
}
