// Commands that a live service does not serve at the address that they were given: the remedy names what to do there.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';

const CONFIG = { authRequired: true, sandbox: false, chains: [], quickMarkets: { assets: [] } };

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/api/v1/config') return response.end(JSON.stringify(CONFIG));
    const body = { error: `There is nothing at the path ${path}`, code: 'not_found', details: { path } };
    return response.writeHead(404).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function type(...args: string[]) {
  let text = '';
  const sink = { write: (piece: string) => (text += piece) };
  const env = { PRESAGE_URL: url, PRESAGE_OPERATOR_KEY: '07'.repeat(32) };
  await runCommand(args, { env, stdout: sink, stderr: sink });
  return text;
}

describe('a live service', () => {
  it.each([
    ['time', 'warp', '1h'],
    ['markets', 'create', 'Does it rain?'],
    ['events', 'create', 'Where does it rain?', 'Lisbon', 'Porto'],
  ])('refuses %s %s as no sandbox', async (...args) => {
    expect(await type(...args)).toContain(`${url} is not a sandbox`);
  });

  it('names the admin listener to operators who ask its public port', async () => {
    expect(await type('admin', 'stopped')).toContain('set PRESAGE_ADMIN_URL');
  });
});
