// Prepares a wallet for trading, doing only what is missing: API key, stablecoin permit, approval of shares.
import type { ApiKey } from '../api-key.ts';
import type { CallOptions, ChainOptions } from '../http.ts';
import { type AmountInput, parseAmount } from '../inputs.ts';
import type { PublicActions } from '../public-client.ts';
import type { Session } from '../session.ts';
import type { ApiKeyList, ApiKeyRegistration, ApiKeyRevocation } from '../types.ts';
import type { approvalActions } from './approval-actions.ts';
import type { RelayedTransaction } from './relay.ts';

export type SetupStep = 'api-key' | 'stablecoin-permit' | 'ctf-approval';

export interface SetupResult {
  /** The steps that were missing and are now done; empty when the wallet was ready. */
  readonly done: readonly SetupStep[];
  /** The key in use if the service requires one. Keep it: it is not shown again. */
  readonly apiKey?: ApiKey;
}

export interface SetupOptions extends ChainOptions {
  /** A name for a new API key, shown in lists. */
  readonly keyName?: string;
  /** The most that the settlement contract may spend, set even if more was allowed before; unlimited by default. Call `setup` again when it is used up. */
  readonly allowance?: AmountInput;
}

/** Threshold above any real balance: an unlimited allowance decreases with every fill and never gets this low. */
const UNLIMITED = 1n << 128n;

export function setupActions(session: Session, reads: PublicActions, approvals: ReturnType<typeof approvalActions>) {
  const createApiKey = async ({ keyName, signal }: SetupOptions = {}): Promise<ApiKey> => {
    const { apiKeyMessagePrefix } = await session.config();
    const address = session.signer.address;
    const signature = await session.signer.signMessage(`${apiKeyMessagePrefix}${address}`);
    const registered = await session.http.send<ApiKeyRegistration>({
      method: 'POST',
      path: '/api/v1/api-keys',
      repeatable: 'unaccepted',
      signal,
      body: { address, signature, ...(keyName !== undefined && { name: keyName }) },
    });
    const apiKey = { id: registered.api_key_id, privateKey: registered.api_private_key };
    session.useApiKey(apiKey);
    return apiKey;
  };

  const approveMissing = async ({ allowance, signal, ...options }: SetupOptions): Promise<SetupStep[]> => {
    const { chainId } = await session.chain(options.chainId);
    const { settlement } = await reads.getApprovals(session.signer.address, { chain_id: chainId }, { signal });
    const sent = new Map<SetupStep, RelayedTransaction>();
    const allowed = BigInt(settlement.allowance);
    const amount = allowance === undefined ? undefined : parseAmount('allowance', allowance);
    if (amount === undefined ? allowed < UNLIMITED : allowed !== amount) {
      const given = { chainId, signal, ...(amount !== undefined && { amount }) };
      sent.set('stablecoin-permit', await approvals.approveStablecoin(given));
    }
    if (!settlement.sharesApproved) sent.set('ctf-approval', await approvals.approveShares({ chainId, signal }));
    for (const transaction of sent.values()) await transaction.wait({ signal });
    return [...sent.keys()];
  };

  return {
    /**
     * Prepares this wallet for trading on a chain: an API key if the service requires one, a stablecoin permit
     * (unlimited, or of `allowance`) and the approval of shares, all signed locally and relayed without gas. Call it at
     * every start: it does only what is missing, and resolves when the chain has confirmed it.
     */
    setup: async (options: SetupOptions = {}): Promise<SetupResult> => {
      const isKeyMissing = (await session.config()).authRequired && session.apiKey === undefined;
      if (isKeyMissing) await createApiKey(options);
      const approved = await approveMissing(options);
      const done: SetupStep[] = isKeyMissing ? ['api-key', ...approved] : approved;
      return { done, ...(session.apiKey && { apiKey: session.apiKey }) };
    },

    /** Registers an API key with the wallet's signature, and uses it from then on. */
    createApiKey,

    /** The API keys of this wallet. Requires one. */
    listApiKeys: ({ signal }: CallOptions = {}): Promise<ApiKeyList> =>
      session.post('/api/v1/api-keys/list', { body: {}, signal, repeatable: 'always' }),

    /** Revokes an API key of this wallet. */
    revokeApiKey: (id: string, { signal }: CallOptions = {}): Promise<ApiKeyRevocation> =>
      session.delete(`/api/v1/api-keys/${encodeURIComponent(id)}`, { signal }),
  };
}
