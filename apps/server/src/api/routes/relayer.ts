// The gasless relayer: a signed request in, a transaction hash out.
import {
  BatchRedemptionAnswer,
  BatchRedemptionInput,
  CancelOrderInput,
  CtfApprovalInput,
  CtfRedemptionInput,
  type ErrorCode,
  HaltInput,
  type Hex,
  InvalidateNonceInput,
  PresageError,
  ProposeResolutionInput,
  parseAmountRequest,
  parseBatchRedemption,
  parseBytes32,
  parseCancelOrder,
  parseCtfApproval,
  parseCtfRedemption,
  parseHalt,
  parseInvalidateNonce,
  parseProposeResolution,
  parseSettleMarket,
  parseStablecoinPermit,
  RelayedTransaction,
  RelayerAnswer,
  SettleMarketInput,
  SettlementNotFound,
  SplitInput,
  StablecoinPermitInput,
  toChecksumAddress,
} from '@presage/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { RelayRequest } from '../../relayer/ports.ts';
import type { Answer } from '../answer.ts';
import { type Body, parsedBody } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { TRANSACTION_HASH } from '../parameters.ts';
import { toPresageError } from '../refusals.ts';
import type { RelayedTransactionView, ServedChains } from '../services.ts';

interface RelayerEndpointOptions {
  readonly chains: ServedChains;
  /** Of the stablecoins, each once: each names one of the paths. */
  readonly symbols: readonly string[];
}

const ERRORS: readonly ErrorCode[] = [
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
const shared = {
  method: 'post',
  tag: 'Relayer',
  access: 'token',
  errors: ERRORS,
  options: { errorHandler: toRelayerError },
} as const;

interface RelayedDefinition<T> extends Pick<Endpoint, 'id' | 'summary' | 'description' | 'errors'> {
  /** The last part of the path. */
  readonly name: string;
  readonly body: Body<T>;
  readonly toRequest: (request: T) => RelayRequest;
}

export function relayerEndpoints({ chains, symbols }: RelayerEndpointOptions): Endpoint[] {
  const relay = async (relayRequest: RelayRequest) => {
    const { chainId } = relayRequest.request;
    const chain = chains.find(Number(chainId));
    if (chain !== undefined) return chain.relayer.service.relay(relayRequest);
    const served = chains.list().map(({ config }) => config.chainId);
    throw new PresageError('no_relayer_for_chain', { chainId, served });
  };
  /** A hash belongs to one chain; which, only its relayer knows. */
  const findTransaction = async (hash: Hex) => {
    for (const { relayer } of chains.list()) {
      const found = await relayer.service.transaction(hash);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** All of them but the batch answer alike. */
  const relayed = <T>({ name, toRequest, ...definition }: RelayedDefinition<T>) =>
    endpoint({
      ...shared,
      ...definition,
      path: `/api/v1/relayer/${name}`,
      answeredBy: 'settler',
      answer: RelayerAnswer,
      handle: async ({ body }) => {
        const { hash } = await relay(toRequest(body));
        return { success: true, tx_hash: hash } as const;
      },
    });
  const permit = (named: Pick<RelayedDefinition<unknown>, 'name' | 'id' | 'summary'>) =>
    relayed({
      ...named,
      description: 'The spender is the settlement or the conditional-tokens contract.',
      body: parsedBody(StablecoinPermitInput, parseStablecoinPermit),
      errors: [...ERRORS, 'spender_not_allowed'],
      toRequest: (request) => ({ operation: 'stablecoin-permit', request }),
    });
  return [
    relayed({
      name: 'ctf-approval',
      id: 'relayApproval',
      summary: 'Let the settlement contract move a wallet’s shares',
      body: parsedBody(CtfApprovalInput, parseCtfApproval),
      toRequest: (request) => ({ operation: 'ctf-approval', request }),
    }),
    permit({
      name: 'stablecoin-permit',
      id: 'relayPermit',
      summary: 'Let a contract of ours draw a wallet’s stablecoin',
    }),
    // Clients know the permit's path by the token it is of, too.
    ...symbols.map((symbol, index) =>
      permit({
        name: `${symbol.toLowerCase()}-permit`,
        id: index === 0 ? 'relayPermitBySymbol' : `relayPermitBySymbol${index + 1}`,
        summary: 'The same, by the stablecoin’s symbol',
      }),
    ),
    relayed({
      name: 'ctf-redemption',
      id: 'relayRedemption',
      summary: 'Redeem the winning shares of a market',
      body: parsedBody(CtfRedemptionInput, parseCtfRedemption),
      errors: [...ERRORS, 'nothing_to_redeem'],
      toRequest: (request) => ({ operation: 'ctf-redemption', request }),
    }),
    endpoint({
      ...shared,
      path: '/api/v1/relayer/batch-ctf-redemption',
      answeredBy: 'settler',
      id: 'relayRedemptions',
      summary: 'Redeem several markets in one transaction',
      body: parsedBody(BatchRedemptionInput, parseBatchRedemption),
      answer: BatchRedemptionAnswer,
      errors: [...ERRORS, 'nothing_to_redeem'],
      handle: async ({ body }): Promise<Answer<typeof BatchRedemptionAnswer>> => {
        const { hash, isConfirmed } = await relay({ operation: 'batch-ctf-redemption', request: body });
        return { success: true, txHash: hash, status: isConfirmed ? 'confirmed' : 'pending' };
      },
    }),
    relayed({
      name: 'propose-resolution',
      id: 'relayProposal',
      summary: 'Propose how an expired market is to be resolved',
      description: 'Without a bond permit the operator puts up the bond, where bondPermitRequired is false.',
      body: parsedBody(ProposeResolutionInput, parseProposeResolution),
      toRequest: (request) => ({ operation: 'propose-resolution', request }),
    }),
    relayed({
      name: 'settle-market',
      id: 'relaySettling',
      summary: 'Settle a market after its dispute window',
      description:
        'Of a market that is settled with that outcome already, the answer is the transaction that settled it.',
      body: parsedBody(SettleMarketInput, parseSettleMarket),
      toRequest: (request) => ({ operation: 'settle-market', request }),
    }),
    relayed({
      name: 'split',
      id: 'relaySplit',
      summary: 'Turn stablecoin into as many YES and NO',
      body: parsedBody(SplitInput, parseAmountRequest),
      toRequest: (request) => ({ operation: 'split', request }),
    }),
    relayed({
      name: 'merge',
      id: 'relayMerge',
      summary: 'Turn as many YES and NO into stablecoin',
      body: parsedBody(SplitInput, parseAmountRequest),
      toRequest: (request) => ({ operation: 'merge', request }),
    }),
    relayed({
      name: 'cancel-order',
      id: 'relayCancel',
      summary: 'Take an order back on the chain',
      description: 'By its nonce, so that after the grace nobody can settle it, whatever becomes of this service.',
      body: parsedBody(CancelOrderInput, parseCancelOrder),
      toRequest: (request) => ({ operation: 'cancel-order', request }),
    }),
    relayed({
      name: 'halt-trading',
      id: 'relayHalt',
      summary: 'Stop every order of a wallet on the chain',
      description: 'After the grace nothing that the wallet ever signed settles, until the wallet itself resumes.',
      body: parsedBody(HaltInput, parseHalt),
      toRequest: (request) => ({ operation: 'halt-trading', request }),
    }),
    relayed({
      name: 'resume-trading',
      id: 'relayResumption',
      summary: 'Undo a halt',
      body: parsedBody(HaltInput, parseHalt),
      toRequest: (request) => ({ operation: 'resume-trading', request }),
    }),
    relayed({
      name: 'invalidate-nonce',
      id: 'relayInvalidation',
      summary: 'Take back what a wallet signed for its next nonce at a contract',
      description: 'The contract is the settlement, the conditional tokens or a market.',
      body: parsedBody(InvalidateNonceInput, parseInvalidateNonce),
      toRequest: (request) => ({ operation: 'invalidate-nonce', request }),
    }),
    endpoint({
      method: 'get',
      tag: 'Relayer',
      path: '/api/v1/relayer/transactions/:txHash',
      answeredBy: 'settler',
      id: 'getRelayedTransaction',
      summary: 'The state of a relayed transaction',
      params: { txHash: TRANSACTION_HASH },
      answer: Type.Union([RelayedTransaction, SettlementNotFound]),
      handle: async ({ params }) => {
        const hash = parseBytes32(params.txHash);
        const found = hash && (await findTransaction(hash));
        return found ? toTransaction(found) : ({ found: false } as const);
      },
    }),
  ];
}

function toTransaction(view: RelayedTransactionView): Answer<typeof RelayedTransaction> {
  return {
    found: true,
    txHash: view.hash,
    status: view.status,
    stage: view.stage,
    operation: view.operation,
    blockNumber: view.blockNumber,
    error: view.error,
    owner: toChecksumAddress(view.owner),
  };
}

/** Malformed JSON has a text of its own here, and a spent budget says when there is budget again. */
function toRelayerError(cause: unknown, _request: FastifyRequest, reply: FastifyReply): never {
  const error = toPresageError(cause);
  if (error.code === 'internal') throw cause;
  if (error.code === 'invalid_json') throw new PresageError('invalid_request_body', error.details);
  const wait = error.code === 'relayer_budget_spent' && error.details?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('Retry-After', wait);
  throw error;
}
