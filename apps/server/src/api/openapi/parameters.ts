// Parameters that several operations share.
import { AddressText, Bytes32Text, LIMITS } from '@presage/protocol';
import Type from 'typebox';
import type { Parameter } from './operation.ts';

export const MARKET_ID: Parameter = { schema: Bytes32Text, description: 'Market identifier' };
export const ORDER_HASH: Parameter = { schema: Bytes32Text, description: 'Order identifier' };
export const WALLET: Parameter = { schema: AddressText, description: 'A wallet' };

export const CHAIN_ID: Parameter = {
  schema: Type.String({ pattern: '^[0-9]{1,15}$' }),
  description: 'Chain id; one that is not served gives empty lists',
};
export const REQUIRED_CHAIN_ID: Parameter = { ...CHAIN_ID, required: true };

export const OUTCOME: Parameter = {
  schema: Type.String({ pattern: '^([yY][eE][sS]|[nN][oO]|0|1)$' }),
  description: 'YES or 0, NO or 1',
};

export const MARKET_NAME: Parameter = {
  schema: Type.String({ pattern: '^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$' }),
  description: "A market's address or its id",
};

export function limitUpTo(maximum: number, fallback?: number): Parameter {
  const otherwise = fallback === undefined ? '' : `, ${fallback} when absent`;
  return {
    schema: Type.String({ pattern: '^0*[1-9][0-9]{0,14}$' }),
    description: `How many at most: 1 to ${maximum}${otherwise}; more is clamped`,
  };
}

export const CURSOR: Parameter = {
  schema: Type.String({ minLength: 1 }),
  description: '`nextCursor` of the page before',
};

export const ASSET: Parameter = {
  schema: Type.String({ pattern: '^[A-Za-z0-9]{1,16}$' }),
  description: 'A symbol such as BTC, in any case',
};

export const ACTIVITY_LIMIT = limitUpTo(LIMITS.userActivityMax, LIMITS.userActivityDefault);
