// The gasless relayer as the documentation tells it.
import {
  BatchRedemptionAnswer,
  BatchRedemptionInput,
  CtfApprovalInput,
  CtfRedemptionInput,
  type ErrorCode,
  ProposeResolutionInput,
  RelayedTransaction,
  RelayerAnswer,
  SettleMarketInput,
  SettlementNotFound,
  SplitInput,
  StablecoinPermitInput,
} from '@presage/protocol';
import Type from 'typebox';
import type { Operation } from './operation.ts';

const errors: readonly ErrorCode[] = [
  'invalid_request_body',
  'invalid_address_format',
  'invalid_signature_format',
  'no_relayer_for_chain',
  'deadline_passed',
  'call_not_allowed',
  'simulation_failed',
  'relayer_budget_spent',
  'relayer_busy',
  'chain_unavailable',
];
const relayer = { method: 'post', tag: 'Relayer', access: 'token', answer: RelayerAnswer, errors } as const;
const permit = {
  ...relayer,
  description: 'The spender is the settlement or the conditional-tokens contract.',
  body: StablecoinPermitInput,
  errors: [...errors, 'spender_not_allowed'],
} as const;

export const RELAYER_OPERATIONS_TOLD: readonly Operation[] = [
  {
    ...relayer,
    path: '/api/v1/relayer/ctf-approval',
    id: 'relayApproval',
    body: CtfApprovalInput,
    summary: 'Let the settlement contract move a wallet’s shares',
  },
  {
    ...permit,
    path: '/api/v1/relayer/stablecoin-permit',
    id: 'relayPermit',
    summary: 'Let a contract of ours draw a wallet’s stablecoin',
  },
  {
    ...permit,
    path: '/api/v1/relayer/usdc-permit',
    id: 'relayPermitBySymbol',
    summary: 'The same, by the stablecoin’s symbol',
  },
  {
    ...relayer,
    path: '/api/v1/relayer/ctf-redemption',
    id: 'relayRedemption',
    body: CtfRedemptionInput,
    summary: 'Redeem the winning shares of a market',
    errors: [...errors, 'nothing_to_redeem'],
  },
  {
    ...relayer,
    path: '/api/v1/relayer/batch-ctf-redemption',
    id: 'relayRedemptions',
    summary: 'Redeem several markets in one transaction',
    body: BatchRedemptionInput,
    answer: BatchRedemptionAnswer,
    errors: [...errors, 'nothing_to_redeem'],
  },
  {
    ...relayer,
    path: '/api/v1/relayer/propose-resolution',
    id: 'relayProposal',
    body: ProposeResolutionInput,
    summary: 'Propose how an expired market is to be resolved',
    description: 'Without a bond permit the operator puts up the bond, where bondPermitRequired is false.',
  },
  {
    ...relayer,
    path: '/api/v1/relayer/settle-market',
    id: 'relaySettling',
    body: SettleMarketInput,
    summary: 'Settle a market after its dispute window',
    description:
      'Of a market that is settled with that outcome already, the answer is the transaction that settled it.',
  },
  {
    ...relayer,
    path: '/api/v1/relayer/split',
    id: 'relaySplit',
    body: SplitInput,
    summary: 'Turn stablecoin into as many YES and NO',
  },
  {
    ...relayer,
    path: '/api/v1/relayer/merge',
    id: 'relayMerge',
    body: SplitInput,
    summary: 'Turn as many YES and NO into stablecoin',
  },
  {
    method: 'get',
    tag: 'Relayer',
    path: '/api/v1/relayer/transactions/:txHash',
    id: 'getRelayedTransaction',
    summary: 'What became of a relayed transaction',
    params: { txHash: { schema: Type.String(), description: 'Any string; an unknown one answers found: false' } },
    answer: Type.Union([RelayedTransaction, SettlementNotFound]),
  },
];
