// The gasless relayer: a signed request in, a transaction hash out.
import {
  BatchRedemptionAnswer,
  batchRedemptionOperation,
  type ErrorCode,
  type Hex,
  PresageError,
  parseBytes32,
  RELAY_OPERATIONS,
  RelayedTransaction,
  RelayerAnswer,
  SettlementNotFound,
  stablecoinPermitOperation,
  toChecksumAddress,
} from '@presage/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { RelayRequest, RelayedTransaction as Transaction } from '../../relayer/ports.ts';
import type { Answer } from '../answer.ts';
import { parsedBody } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { TRANSACTION_HASH } from '../parameters.ts';
import { toPresageError } from '../refusals.ts';
import type { ServedChains } from '../services.ts';

interface RelayerEndpointOptions {
  readonly chains: ServedChains;
  /** Symbols of the stablecoins, without repetition: each names one of the paths. */
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

type Operation = (typeof RELAY_OPERATIONS)[number];
/** Overrides for an operation's endpoint under a second path. */
type Alias = Partial<Pick<Endpoint, 'path' | 'id' | 'summary'>>;

export function relayerEndpoints({ chains, symbols }: RelayerEndpointOptions): Endpoint[] {
  const relay = async (relayRequest: RelayRequest) => {
    const { chainId } = relayRequest.request;
    const actor = chains.find(Number(chainId))?.actor;
    if (actor !== undefined) return actor.relayer.service.relay(relayRequest);
    const served = chains.list().map(({ config }) => config.chainId);
    throw new PresageError('no_relayer_for_chain', { chainId, served });
  };
  /** A hash belongs to one chain, which only its relayer knows. */
  const findTransaction = async (hash: Hex) => {
    for (const { actor } of chains.list()) {
      const found = await actor?.relayer.service.transaction(hash);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const relayed = (operation: Operation, alias: Alias = {}) => {
    const definition = { ...definitionOf(operation), ...alias };
    // The batch has an answer of its own by the specification.
    if (operation === batchRedemptionOperation) {
      return endpoint({
        ...definition,
        answer: BatchRedemptionAnswer,
        handle: async ({ body: request }): Promise<Answer<typeof BatchRedemptionAnswer>> => {
          const { hash, isConfirmed } = await relay(request);
          return { success: true, txHash: hash, status: isConfirmed ? 'confirmed' : 'pending' };
        },
      });
    }
    return endpoint({
      ...definition,
      answer: RelayerAnswer,
      handle: async ({ body: request }) => {
        const { hash } = await relay(request);
        return { success: true, tx_hash: hash } as const;
      },
    });
  };
  // Clients also find the permit's path by the symbol of its token.
  const permits = symbols.map((symbol, index) =>
    relayed(stablecoinPermitOperation, {
      path: `/api/v1/relayer/${symbol.toLowerCase()}-permit`,
      id: index === 0 ? 'relayPermitBySymbol' : `relayPermitBySymbol${index + 1}`,
      summary: 'The same, by the stablecoin’s symbol',
    }),
  );
  return [
    ...RELAY_OPERATIONS.flatMap((operation) => {
      const itself = relayed(operation);
      return operation === stablecoinPermitOperation ? [itself, ...permits] : [itself];
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

function definitionOf({ name, id, summary, description, errors = [], body, parseNamed }: Operation) {
  return {
    method: 'post',
    path: `/api/v1/relayer/${name}`,
    answeredBy: 'settler',
    id,
    tag: 'Relayer',
    summary,
    ...(description !== undefined && { description }),
    access: 'token',
    body: parsedBody<RelayRequest>(body, parseNamed),
    errors: [...ERRORS, ...errors],
    options: { errorHandler: toRelayerError },
  } as const;
}

function toTransaction(view: Transaction): Answer<typeof RelayedTransaction> {
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

/** Malformed JSON has its own text here, and a spent budget says when it is refilled. */
function toRelayerError(cause: unknown, _request: FastifyRequest, reply: FastifyReply): never {
  const error = toPresageError(cause);
  if (error.code === 'internal') throw cause;
  if (error.code === 'invalid_json') throw new PresageError('invalid_request_body', error.details);
  const wait = error.code === 'relayer_budget_spent' && error.details?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('Retry-After', wait);
  throw error;
}
