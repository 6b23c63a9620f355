// The makers of examples/ go on after an outage: whatever answers for the service meanwhile, each of their orders stays one order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ORDER_TYPES } from '@presage/protocol';
import { hasPython, RUNNER } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));
const MARKET = `0x${'01'.repeat(32)}`;
const contract = { name: 'x', version: '1', address: `0x${'11'.repeat(20)}` };
const CHAIN = { chainId: 1, settlement: contract, stablecoin: contract, conditionalTokens: contract };
const APPROVALS = { settlement: { allowance: String(2n ** 255n), sharesApproved: true } };
const END = 2_000_000_000;

const ANSWERS: readonly (readonly [RegExp, object])[] = [
  [
    /\/config$/,
    {
      authRequired: false,
      sandbox: false,
      chains: [CHAIN],
      signingDomains: { Order: 'settlement' },
      types: ORDER_TYPES,
    },
  ],
  [/\/time$/, { now: END, nowMs: END * 1_000 }],
  [/\/approvals\?/, APPROVALS],
  [/\/claimable\?/, { claimable: [] }],
  [/\/quick-markets\//, { active: true, quickMarket: { marketId: MARKET, endTime: END } }],
  [/\/markets\//, { chainId: 1, resolved: true }],
  [/\/orders/, { orders: [], cancelled: [], orderHash: `0x${'ee'.repeat(32)}`, trades: [] }],
];

function html(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
}

/** What comes of the first order before it is answered, in this sequence. */
const FAULTS: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.destroy(),
  (response) => html(response, 502),
  (response) => html(response, 200),
  (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
  (response) => response.writeHead(503).end('{"error":"The service is overloaded","code":"overloaded"}'),
  // The fifth and last attempt of the SDK itself.
  (response) => response.destroy(),
];

/** A service that has an outage when the first order is sent, and loses the answer of the first cancellation. */
async function serve(): Promise<{ readonly url: string; readonly sent: string[] }> {
  const sent: string[] = [];
  const faults = [...FAULTS];
  const lost = [FAULTS[0]];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { url = '', method } = request;
    const answer = ANSWERS.find(([path]) => path.test(url))?.[1];
    const isPlaced = method === 'POST' && url === '/api/v1/orders';
    if (isPlaced) sent.push(body);
    const fault = isPlaced ? faults.shift() : method === 'DELETE' ? lost.shift() : undefined;
    if (fault !== undefined) fault(response);
    else response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

async function runMaker(command: string, args: readonly string[]) {
  const { url, sent } = await serve();
  const maker = spawn(command, [...args, url, '1'], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void maker.kill('SIGKILL'));
  let [output, trouble] = ['', ''];
  maker.stdout.on('data', (chunk) => (output += String(chunk)));
  maker.stderr.on('data', (chunk) => (trouble += String(chunk)));
  const [code] = await once(maker, 'close');
  const said = output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).event as string]));
  return { code, trouble, said, sent };
}

it.each([
  ['in TypeScript', process.execPath, [RUNNER, `${EXAMPLES}typescript/quick-maker.ts`], true],
  ['in Python', 'python3', [`${EXAMPLES}python/quick_maker.py`], hasPython()],
])('the maker %s waits for the service, and quotes once', async (_language, command, args, isThere) => {
  // Skipped where there is no python3.
  if (!isThere) return;
  const { code, trouble, said, sent } = await runMaker(command, args);
  expect([code, trouble]).toEqual([0, '']);
  expect(new Set(sent).size).toBe(2);
  expect(sent.length).toBe(FAULTS.length + 2);
  expect(said.filter((event) => event !== 'waiting' && event !== 'reached')).toEqual([
    'started',
    'quoting',
    'claimed',
    'done',
  ]);
  expect(said.filter((event) => event === 'waiting').length).toBe(said.filter((event) => event === 'reached').length);
  expect(said).toContain('waiting');
});
