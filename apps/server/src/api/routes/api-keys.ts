// API keys: registered by a wallet's signature, listed and revoked by its token.
import { ApiKeyRegistrationInput, PresageError, parseAddress } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyOf } from '../bodies.ts';
import { type CallerGuard, needsToken, walletOf } from '../callers.ts';
import { invalidField } from '../query-values.ts';
import type { ApiServices } from '../services.ts';

const checkRegistration = bodyOf(ApiKeyRegistrationInput);

const MESSAGE = 'Keep api_private_key safe: it is shown once and cannot be retrieved later.';

/** `tokens` checks even where authentication is off: whose keys are these, if nobody says who asks? */
export function apiKeyRoutes({ keys }: Pick<ApiServices, 'keys'>, tokens: CallerGuard, wallNowSeconds: () => number) {
  const caller = (request: FastifyRequest) => {
    const wallet = walletOf(request);
    if (wallet === undefined) throw new PresageError('missing_authorization_header');
    return wallet;
  };

  return (server: FastifyInstance): void => {
    server.post('/api/v1/api-keys', async (request) => {
      const { address, signature, name = '', expiresAt } = checkRegistration(request.body);
      const expires = expiresAt === undefined ? undefined : Number(expiresAt);
      if (expires !== undefined && !(expires > wallNowSeconds() && Number.isSafeInteger(expires))) {
        throw invalidField('expiresAt', `Unix seconds after ${wallNowSeconds()}`);
      }
      const owner = parseAddress(address)!;
      const { keyId, privateKeyHex } = await keys.register({
        addressText: address,
        owner,
        signature,
        name,
        expiresAt: expires,
      });
      return { success: true, api_key_id: keyId, api_private_key: privateKeyHex, message: MESSAGE };
    });

    server.post('/api/v1/api-keys/list', needsToken(tokens), async (request) => {
      const apiKeys = keys.list(caller(request)).map((key) => ({
        api_key_id: key.keyId,
        name: key.name,
        createdAt: key.createdAt,
        expiresAt: key.expiresAt ?? null,
        active: key.isActive,
      }));
      return { apiKeys, count: apiKeys.length };
    });

    server.delete<{ Params: { id: string } }>('/api/v1/api-keys/:id', needsToken(tokens), async (request) => {
      await keys.revoke(caller(request), request.params.id);
      return { success: true, api_key_id: request.params.id, active: false };
    });
  };
}
