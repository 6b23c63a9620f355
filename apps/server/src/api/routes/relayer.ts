// Endpoints for the gasless relayer: a signed request in, a transaction hash out.
import {
  type ErrorCode,
  type Hex,
  type Parsed,
  PresageError,
  parseBytes32,
  RELAYER_OPERATIONS,
  type RelayerOperation,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { RelayEndpoint } from '../../relayer/operations/operation.ts';
import type { Operations, RelayRequest, RequestMap } from '../../relayer/operations/operations.ts';
import type { Wire } from '../answer.ts';
import { parsedBody } from '../bodies.ts';
import type { ServedChains } from '../chain-probe.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { HttpRequest } from '../http/request.ts';
import { TRANSACTION_HASH } from '../parameters.ts';
import { toPresageError } from '../refusals.ts';
import { toRateKey } from '../request-origin.ts';

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

/** Overrides for an operation's endpoint under a second path. */
type Alias = Partial<Pick<Endpoint, 'path' | 'id' | 'summary'>>;

/** Endpoints of all operations. `symbols` are those of the stablecoins, without repetition; each gives a path for permits. */
export function relayerEndpoints(chains: ServedChains, operations: Operations, symbols: readonly string[]): Endpoint[] {
  // Clients also find the permit's path by the symbol of its token.
  const permits = symbols.flatMap((symbol, index) =>
    relayed(chains, operations, 'stablecoin-permit', {
      path: `/api/v1/relayer/${symbol.toLowerCase()}-permit`,
      id: index === 0 ? 'relayPermitBySymbol' : `relayPermitBySymbol${index + 1}`,
      summary: 'The same, by the stablecoin’s symbol',
    }),
  );
  return [
    ...RELAYER_OPERATIONS.flatMap((name) => [
      ...relayed(chains, operations, name),
      ...(name === 'stablecoin-permit' ? permits : []),
    ]),
    transactions(chains),
  ];
}

/** Endpoints of an operation; none if only the service itself uses it. */
function relayed<Name extends RelayerOperation>(
  chains: ServedChains,
  operations: Operations,
  name: Name,
  alias: Alias = {},
): Endpoint[] {
  const described = operations[name].endpoint;
  if (described === undefined) return [];
  const definition = { ...definitionOf(name, described), ...alias };
  const relay = async (relayRequest: RelayRequest<Name>, { address }: HttpRequest) => {
    const { chainId } = relayRequest.request;
    const actor = chains.find(Number(chainId))?.actor;
    if (actor !== undefined) return actor.relayer.service.relay(relayRequest, toRateKey(address));
    const served = chains.list().map(({ config }) => config.chainId);
    throw new PresageError('no_relayer_for_chain', { chainId, served });
  };
  // The specification gives the batch its own answer.
  if (name === 'batch-ctf-redemption') {
    return [
      endpoint({
        ...definition,
        answer: wire.BatchRedemptionAnswer,
        handle: async ({ body, request }): Promise<Wire<'BatchRedemptionAnswer'>> => {
          const { hash, isConfirmed } = await relay(body, request);
          return { success: true, txHash: hash, status: isConfirmed ? 'confirmed' : 'pending' };
        },
      }),
    ];
  }
  return [
    endpoint({
      ...definition,
      answer: wire.RelayerAnswer,
      handle: async ({ body, request }) => ({ success: true, tx_hash: (await relay(body, request)).hash }) as const,
    }),
  ];
}

function transactions(chains: ServedChains): Endpoint {
  /** Finds a transaction by its hash on any chain: only the relayer that sent it knows the hash. */
  const find = async (hash: Hex) => {
    for (const { actor } of chains.list()) {
      const found = await actor?.relayer.service.transaction(hash);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return endpoint({
    method: 'get',
    tag: 'Relayer',
    path: '/api/v1/relayer/transactions/:txHash',
    answeredBy: 'settler',
    id: 'getRelayedTransaction',
    summary: 'The state of a relayed transaction',
    description: 'Positions, claims and results show the effect of one that is confirmed.',
    options: { tellsPosition: true },
    params: { txHash: TRANSACTION_HASH },
    answer: Type.Union([wire.RelayedTransaction, wire.SettlementNotFound]),
    handle: async ({ params }) => {
      const hash = parseBytes32(params.txHash);
      return (hash && (await find(hash))) ?? ({ found: false } as const);
    },
  });
}

function definitionOf<Name extends RelayerOperation>(
  name: Name,
  { id, summary, description, errors = [], input }: RelayEndpoint<RequestMap[Name]>,
) {
  const parse = (body: unknown): Parsed<RelayRequest<Name>> => {
    const parsed = input.parse(body);
    return parsed.ok ? { ok: true, value: { operation: name, request: parsed.value } } : parsed;
  };
  return {
    method: 'post',
    path: `/api/v1/relayer/${name}`,
    answeredBy: 'settler',
    id,
    tag: 'Relayer',
    summary,
    ...(description !== undefined && { description }),
    access: 'token',
    body: { ...parsedBody(input.schema, parse), name: input.name },
    errors: [...ERRORS, ...errors],
    options: { toRefusal: toRelayerError },
  } as const;
}

/** Translates errors: the relayer's endpoints answer malformed JSON with their own code. */
function toRelayerError(cause: unknown): unknown {
  const error = toPresageError(cause);
  if (error.code === 'internal') return cause;
  if (error.code === 'invalid_json') return new PresageError('invalid_request_body', error.details);
  return error;
}
