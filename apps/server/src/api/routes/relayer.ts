// The relayer endpoints: a signed request in, a transaction hash out.
import {
  type Address,
  type Parsed,
  PresageError,
  parseAmountRequest,
  parseBatchRedemption,
  parseBytes32,
  parseCtfApproval,
  parseCtfRedemption,
  parseProposeResolution,
  parseSettleMarket,
  parseStablecoinPermit,
  type RelayedStage,
  type RelayerOperation,
  toChecksumAddress,
} from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Relayed, RelayRequest } from '../../relayer/ports.ts';
import { toPresageError } from '../answers.ts';
import { needsToken } from '../callers.ts';
import type { ApiServices } from '../services.ts';

export interface RelayedTransactionView {
  readonly hash: `0x${string}`;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly stage: RelayedStage;
  readonly operation: RelayerOperation;
  readonly owner: Address;
  readonly blockNumber: number | null;
  readonly error: string | null;
}

export interface RelayerPort {
  /** Resolves when the transaction is broadcast; the same signed request is the same transaction. */
  relay(wish: RelayRequest): Promise<Relayed>;
  transaction(hash: `0x${string}`): Promise<RelayedTransactionView | undefined>;
}

export interface RelayerServices extends Pick<ApiServices, 'guard'> {
  readonly relayer: RelayerPort;
  /** Of the stablecoin: names one of the paths. */
  readonly symbol: string;
}

const PARSERS: Readonly<Record<RelayRequest['operation'], (body: unknown) => Parsed<RelayRequest['request']>>> = {
  'ctf-approval': parseCtfApproval,
  'stablecoin-permit': parseStablecoinPermit,
  'ctf-redemption': parseCtfRedemption,
  'batch-ctf-redemption': parseBatchRedemption,
  'propose-resolution': parseProposeResolution,
  'settle-market': parseSettleMarket,
  split: parseAmountRequest,
  merge: parseAmountRequest,
};

export function relayerRoutes({ relayer, guard, symbol }: RelayerServices) {
  return (server: FastifyInstance): void => {
    const options = { ...needsToken(guard), errorHandler: retell };
    for (const operation of Object.keys(PARSERS) as RelayRequest['operation'][]) {
      for (const name of namesOf(operation, symbol)) {
        server.post(`/api/v1/relayer/${name}`, options, async (request) => {
          return toAnswer(operation, await relayer.relay(wishOf(operation, request.body)));
        });
      }
    }

    server.get<{ Params: { txHash: string } }>('/api/v1/relayer/transactions/:txHash', async (request) => {
      const hash = parseBytes32(request.params.txHash);
      const found = hash && (await relayer.transaction(hash));
      return found ? toTransaction(found) : { found: false };
    });
  };
}

/** Clients know the permit's path by the token it is of, and by its kind. */
function namesOf(operation: string, symbol: string): string[] {
  return operation === 'stablecoin-permit' ? [...new Set([operation, `${symbol.toLowerCase()}-permit`])] : [operation];
}

function wishOf(operation: RelayRequest['operation'], body: unknown): RelayRequest {
  const parsed = PARSERS[operation](body);
  if (!parsed.ok) throw new PresageError(parsed.fault.code, parsed.fault.details);
  return { operation, request: parsed.value } as RelayRequest;
}

function toAnswer(operation: RelayerOperation, { hash, isConfirmed }: Relayed): object {
  if (operation !== 'batch-ctf-redemption') return { success: true, tx_hash: hash };
  return { success: true, txHash: hash, status: isConfirmed ? 'confirmed' : 'pending' };
}

function toTransaction({ hash, owner, ...rest }: RelayedTransactionView): object {
  return { found: true, txHash: hash, ...rest, owner: toChecksumAddress(owner) };
}

/** Malformed JSON has a text of its own here, and a spent budget says when there is room again. */
function retell(cause: Error, _request: FastifyRequest, reply: FastifyReply): never {
  const error = toPresageError(cause);
  if (error.code === 'internal') throw cause;
  if (error.code === 'invalid_json') throw new PresageError('invalid_request_body', error.details);
  const wait = error.code === 'relayer_budget_spent' && error.details?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('Retry-After', wait);
  throw error;
}
