// The terms of an event, and the call that creates one. The contracts store the terms as code appended to that of their
// clone.
import type { Hex } from '@presage/protocol';
import { type Address, decodeAbiParameters, parseAbiParameters } from 'viem';
import type { EventContracts } from './contracts.ts';
import type { MarketTerms } from './market-creation.ts';
import type { Rpc } from './rpc.ts';
import type { ContractCall } from './typed-contract.ts';

export interface EventTerms extends MarketTerms {
  /** Names of the outcomes. */
  readonly outcomes: readonly string[];
}

/** The texts of one event as the chain has them, from its creation or from its code. */
export interface EventTexts {
  readonly contractAddress: Address;
  readonly maker: Address;
  /** Unix seconds. */
  readonly expiration: bigint;
  readonly early: boolean;
  readonly question: string;
  readonly description: string;
  readonly category: string;
  readonly names: readonly string[];
}

/** Length in hex digits, with `0x`, of a clone's own code. */
const CLONE_DIGITS = 2 + 2 * 45;
const OUTCOME = parseAbiParameters('address account, uint8 index');
const EVENT = parseAbiParameters(
  'bytes32 questionId, address creator, uint64 expiration, uint256 bond, uint256 options, string question, string description, string category, string[] names',
);

/**
 * Most outcomes listed by one transaction: with the texts of a long event that takes 8 million gas, and most chains
 * allow 16 million.
 */
export const OUTCOMES_TOGETHER = 20;

/** The call that creates an event. The first outcomes become tradable at once, the others by `toListingCall`. */
export function toEventCreation(terms: EventTerms) {
  const { question, description, category, outcomes, expiration } = terms;
  const { earlyResolution: early = false, feeRateBps = 0, makerShareBps = 0 } = terms;
  const fees = { feeRateBps, makerShareBps: feeRateBps === 0 ? 0 : makerShareBps };
  const texts = { question, description, category, names: outcomes };
  return [{ ...texts, expiration: BigInt(expiration), early, ...fees }, BigInt(OUTCOMES_TOGETHER)] as const;
}

/** Makes the next outcomes of an event tradable; anybody may send it. */
export function toListingCall({ factory }: EventContracts, event: Address): ContractCall {
  return factory.call('listOutcomes', [event, BigInt(OUTCOMES_TOGETHER)]);
}

/** The event of an outcome's contract, read from the code of both. Rejects if either has left the chain. */
export async function readEventTexts(rpc: Rpc, outcomeMarket: Address): Promise<EventTexts> {
  const [contractAddress] = decodeAbiParameters(OUTCOME, await readArguments(rpc, outcomeMarket));
  const terms = decodeAbiParameters(EVENT, await readArguments(rpc, contractAddress));
  const [, maker, expiration, , options, question, description, category, names] = terms;
  const early = (options & 1n) === 1n;
  return { contractAddress, maker, expiration, early, question, description, category, names };
}

async function readArguments(rpc: Rpc, address: Address): Promise<Hex> {
  const code = String(await rpc.request('eth_getCode', [address, 'latest']));
  if (code.length <= CLONE_DIGITS) throw new Error(`there is no market of an event at ${address}`);
  return `0x${code.slice(CLONE_DIGITS)}`;
}
