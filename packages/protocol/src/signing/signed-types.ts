// Everything that a wallet ever signs for this service, with the domain that each is signed in.

import { ORDER_TYPES } from '../core/order-types.ts';
import { OPERATION_TYPES } from '../relay/operation-types.ts';
import { apiKeyMessagePrefix } from './bearer-token.ts';

export const SIGNING_DOMAINS = ['settlement', 'stablecoin', 'conditionalTokens', 'market', 'personal_sign'] as const;
type SigningDomainName = (typeof SIGNING_DOMAINS)[number];

type SignedName = keyof typeof ORDER_TYPES | keyof typeof OPERATION_TYPES | 'ApiKeyMessage';

export const DOMAIN_OF_TYPE: Readonly<Record<SignedName, SigningDomainName>> = {
  Order: 'settlement',
  Permit: 'stablecoin',
  SetApprovalForAll: 'conditionalTokens',
  RedeemPositions: 'conditionalTokens',
  SplitPosition: 'conditionalTokens',
  MergePositions: 'conditionalTokens',
  CancelOrder: 'settlement',
  HaltTrading: 'settlement',
  ResumeTrading: 'settlement',
  InvalidateNonce: 'settlement',
  ProposeResolution: 'market',
  SettleMarket: 'market',
  ApiKeyMessage: 'personal_sign',
};

type SignedType = string | { name: string; type: string }[];

/** Fields in the order they are hashed in; the message that registers an API key is a text. */
export function listSignedTypes(serviceName: string): Record<SignedName, SignedType> {
  const typed = { ...ORDER_TYPES, ...OPERATION_TYPES };
  const fields = Object.entries(typed).map(([name, list]) => [name, list.map((field) => ({ ...field }))]);
  return { ...Object.fromEntries(fields), ApiKeyMessage: `${apiKeyMessagePrefix(serviceName)}{address}` };
}
