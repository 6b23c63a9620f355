// Stops every order of a wallet on the chain.
import Type, { type Static } from 'typebox';
import { relayOperation, signs } from './operation.ts';
import { owned, signed } from './operation-fields.ts';
import type { Owned, RequestReader, Signature } from './request-reader.ts';

/** A halt or a resumption. */
export interface HaltRequest extends Owned, Signature {}

export const HaltInput = Type.Object({ ...owned, ...signed });

export function readHaltRequest(body: Static<typeof HaltInput>, reader: RequestReader): HaltRequest {
  return { ...reader.owned(body.chainId, body.owner), ...reader.signature(body) };
}

export const haltTradingOperation = relayOperation({
  name: 'halt-trading',
  id: 'relayHalt',
  summary: 'Stop every order of a wallet on the chain',
  description: 'After the grace nothing that the wallet ever signed settles, until the wallet itself resumes.',
  body: HaltInput,
  read: readHaltRequest,
  signs: ({ owner, ...signature }) => [signs('HaltTrading', { trader: owner }, signature)],
});
