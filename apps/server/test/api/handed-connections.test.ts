// Connections that another process accepted: served as if they had been accepted here, and waited for at the end.
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { HttpListener } from '../../src/api/http-listener.ts';
import { LanePass } from '../../src/api/lane-pass.ts';

const REQUEST = 'GET /slow HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n';

/** One that answers after a moment. */
async function openListener(name = 'the service'): Promise<HttpListener> {
  const listener = new HttpListener({ headersMs: 300, checkMs: 50 });
  await listener.listen(0, '127.0.0.1');
  onTestFinished(() => listener.close());
  listener.open(async (_request, response) => {
    await sleep(100);
    response.end(name);
  });
  return listener;
}

function open(url: string): { socket: Socket; said: Promise<string> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  return { socket, said: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

it('a connection that is handed on is served by whoever took it, and one that is not by the listener of the door', async () => {
  const [door, other] = [await openListener(), await openListener('a lane')];
  let handed = 0;
  const url = await door.openDoor(0, '127.0.0.1', (socket) => {
    if (handed++ % 2 === 1) return false;
    other.take(socket);
    socket.resume();
    return true;
  });
  const both = [open(url), open(url)];
  for (const { socket } of both) socket.write(REQUEST);
  const answers = await Promise.all(both.map(async ({ said }) => (await said).split('\r\n\r\n')[1]));
  expect(answers.sort()).toEqual(['a lane', 'the service']);
});

it('ends connections of the door once others take them, and keeps those of its own port, which lanes pass requests on by', async () => {
  const listener = await openListener();
  const own = listener.server.address() as AddressInfo;
  const door = await listener.openDoor(0, '127.0.0.1', () => false);
  listener.endDoorConnections(true);
  const ask = async (port: number | string) => (await fetch(`http://127.0.0.1:${port}/slow`)).headers.get('connection');
  expect([await ask(own.port), await ask(new URL(door).port)]).toEqual(['keep-alive', 'close']);
  listener.endDoorConnections(false);
  expect(await ask(new URL(door).port)).toBe('keep-alive');
});

it('cuts a slow sender off that another process accepted, and answers what is under way before it closes', async () => {
  const listener = await openListener();
  const url = await listener.openDoor(0, '127.0.0.1', () => false);
  const slow = open(url);
  slow.socket.write('GET /slow HTTP/1.1\r\nHo');
  expect(await slow.said).toContain('408');
  const asking = open(url);
  asking.socket.write(REQUEST);
  await sleep(50);
  await listener.close();
  expect(await asking.said).toContain('200 OK');
});

it('believes of a passed request what a lane has signed, and nothing that its sender wrote', () => {
  const [lane, service, other] = ['one', 'one', 'two'].map(
    (secret) => new LanePass(secret, { trusted: ['10.0.0.1'], header: 'x-forwarded-for' }),
  ) as [LanePass, LanePass, LanePass];
  const from = (remoteAddress: string, headers: Record<string, string>) =>
    lane.sign({ headers, socket: { remoteAddress } } as never);
  const forged = { 'x-forwarded-for': '1.2.3.4', 'presage-lane': 'x direct 1.2.3.4' };
  expect(service.read(from('5.6.7.8', forged))).toEqual({ address: '5.6.7.8', isForwarded: false });
  expect(service.read(from('10.0.0.1', forged))).toEqual({ address: '1.2.3.4', isForwarded: true });
  expect(other.read(from('5.6.7.8', {}))).toBeUndefined();
  for (const headers of [{}, forged, { 'presage-lane': '' }]) expect(service.read(headers)).toBeUndefined();
});

it('ends connections at its own end that node:http has forgotten: upgraded ones that nobody reads', async () => {
  const listener = new HttpListener({ drainMs: 100 });
  const url = await listener.listen(0, '127.0.0.1');
  const upgraded = new Promise<void>((resolve) => {
    listener.open(() => undefined, { onUpgrade: () => resolve() });
  });
  const { socket, said } = open(url);
  socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: upgrade\r\nUpgrade: anything\r\n\r\n');
  await upgraded;
  await listener.close();
  expect(await said).toBe('');
});
