// Commands that a live service does not serve at the address that they were given: the remedy names what to do there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStandIn, typeAt } from './stand-in.ts';

const CONFIG = { authRequired: true, sandbox: false, chains: [], quickMarkets: { assets: [] } };

let service: Awaited<ReturnType<typeof openStandIn>>;

beforeAll(async () => {
  service = await openStandIn((request, response) => {
    const path = request.url ?? '';
    if (path === '/api/v1/config') return response.end(JSON.stringify(CONFIG));
    const body = { error: `There is nothing at the path ${path}`, code: 'not_found', details: { path } };
    return response.writeHead(404).end(JSON.stringify(body));
  });
});
afterAll(() => service.close());

async function type(...args: string[]): Promise<string> {
  return (await typeAt(service.url, args, { PRESAGE_OPERATOR_KEY: '07'.repeat(32) })).text;
}

describe('a live service', () => {
  it.each([
    ['time', 'warp', '1h'],
    ['markets', 'create', 'Does it rain?'],
    ['events', 'create', 'Where does it rain?', 'Lisbon', 'Porto'],
  ])('refuses %s %s as no sandbox', async (...args) => {
    expect(await type(...args)).toContain(`${service.url} is not a sandbox`);
  });

  it('names the admin listener to operators who ask its public port', async () => {
    expect(await type('admin', 'stopped')).toContain('set PRESAGE_ADMIN_URL');
  });
});
