// The relayer where tokens are required and rates are limited: who may ask, and how often.
import { randomBytes } from 'node:crypto';
import { apiKeyMessagePrefix, LIMITS, RelayerErrorBody } from '@presage/protocol';
import { signBearerToken } from '@presage/protocol/ed25519';
import { type Answer, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet, type RelayReply } from './relayed-wallet.ts';
import { expectShape } from './wire.ts';

let exchange: Exchange;
let ann: RelayedWallet;
let key: { readonly api_key_id: string; readonly api_private_key: string };

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_AUTH: 'required', PRESAGE_RATE_LIMITS: 'on' } });
  ann = await RelayedWallet.open(exchange, walletOf('guarded'));
  const message = `${apiKeyMessagePrefix('Presage')}${ann.address}`;
  const signature = await ann.account.signMessage({ message });
  key = (await exchange.client.post<typeof key>('/api/v1/api-keys', { address: ann.address, signature })).body;
});
afterAll(() => exchange?.close());

function ask(operation: string, body: object, authorization?: string): Promise<Answer<RelayReply>> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  return exchange.client.send('POST', `/api/v1/relayer/${operation}`, { text: JSON.stringify(body), headers });
}

function bearer(): string {
  const payload = { kid: key.api_key_id, ts: Math.floor(Date.now() / 1_000), n: randomBytes(16).toString('hex') };
  return `Bearer ${signBearerToken(payload, key.api_private_key)}`;
}

describe('a guarded relayer', () => {
  it('answers 401 in the shape of its errors, before it looks at the body', async () => {
    for (const operation of ['ctf-approval', 'usdc-permit', 'batch-ctf-redemption', 'settle-market', 'split']) {
      const { status, body } = await ask(operation, {});
      expect({ status, ...body }).toMatchObject({ status: 401, success: false, error: 'missing authorization header' });
      expectShape(body, RelayerErrorBody);
    }
    expect((await ask('ctf-approval', {}, bearer())).body).toMatchObject({ error: 'Invalid request body' });
  });

  it('pays for so many calls of a wallet in an hour, and says when there is room again', async () => {
    const half = LIMITS.rates.relayedCallsPerHour / 2;
    const series = async (operation: string, sign: (index: number) => Promise<object>) => {
      const statuses: number[] = [];
      for (let index = 0; index < half; index++)
        statuses.push((await ask(operation, await sign(index), bearer())).status);
      return statuses;
    };
    // Two contracts, so that two series of nonces go on side by side.
    const statuses = await Promise.all([
      series('ctf-approval', (index) => ann.approval(index % 2 === 0)),
      series('usdc-permit', (index) => ann.permit(ann.chain.settlement.address, BigInt(index))),
    ]);
    expect(statuses.flat()).toEqual(Array.from({ length: 2 * half }, () => 200));
    const { status, body, headers } = await ask('ctf-approval', await ann.approval(), bearer());
    expect({ status, code: body.code, success: body.success }).toEqual({
      status: 429,
      code: 'relayer_budget_spent',
      success: false,
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
    const { limits } = await exchange.client.read<{ limits: { rates: object } }>('/api/v1/config');
    expect(limits.rates).toMatchObject({ enabled: true, relayedCallsPerHour: 2 * half });
  });
});
