// Reads the condition of a market's shares: the market's own, or the event's if the market is one of its outcomes.
import { type Address, type Hex, parseAbi } from 'viem';
import type { Session } from './session.ts';

const TOKENS = parseAbi([
  'function marketOf(bytes32 marketId) view returns (bytes32 conditionId, uint256 yesIndexSet, uint256 noIndexSet)',
]);

export interface Condition {
  readonly id: Hex;
  /** Index sets of YES and NO. */
  readonly indexSets: readonly [bigint, bigint];
  readonly isOfEvent: boolean;
}

/** Id of a market in an event: the event's id, with the outcome's index and the number of outcomes written over six bytes. */
const OUTCOME = /^(0x.{14})(..)(.{38})e7e7e7(..)e7$/i;

export async function readCondition({ reader }: Session, tokens: Address, marketId: Hex): Promise<Condition> {
  const own: Condition = { id: marketId, indexSets: [1n, 2n], isOfEvent: false };
  const [, head, index, tail, count] = OUTCOME.exec(marketId) ?? [];
  if (index === undefined || count === undefined) return own;
  const question = { address: tokens, abi: TOKENS, functionName: 'marketOf', args: [marketId] } as const;
  const [id] = await reader.readContract(question);
  if (id === marketId) return own;
  // The remaining bytes identify the event, so the node cannot name another one.
  const [, itsHead, itsTail] = /^(0x.{14})..(.{38}).{10}$/.exec(id) ?? [];
  if (itsHead !== head?.toLowerCase() || itsTail !== tail?.toLowerCase())
    throw new Error(`the node names ${id}, which is not the event of ${marketId}`);
  const yes = 1n << BigInt(`0x${index}`);
  const all = (1n << BigInt(`0x${count}`)) - 1n;
  return { id, indexSets: [yes, all ^ yes], isOfEvent: true };
}
