// A port that is taken before its server is there: callers wait for it.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { HeldPort } from '../src/held-port.ts';

const HOST = '127.0.0.1';
const servers: ReturnType<typeof createServer>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Answers with the number of bytes that it was sent. */
function makeServer() {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end(String(bytes)));
  });
  servers.push(server);
  return server;
}

async function send(port: number, bytes: number): Promise<string> {
  return (await fetch(`http://${HOST}:${port}/`, { method: 'POST', body: 'x'.repeat(bytes) })).text();
}

describe('a held port', () => {
  it('answers those who called before the server was there, and those who call afterwards', async () => {
    const held = await HeldPort.take(HOST, 0);
    const early = [send(held.port, 10), send(held.port, 300_000)];
    let isAnswered = false;
    void Promise.race(early).then(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    await held.handTo(makeServer());
    expect(await Promise.all(early)).toEqual(['10', '300000']);
    expect(await send(held.port, 7)).toBe('7');
  });

  it('forgets a caller who gave up', async () => {
    const held = await HeldPort.take(HOST, 0);
    const socket = connect(held.port, HOST);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.resetAndDestroy();
    const server = makeServer();
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await waitFor('the system has told of the end', async () => socket.destroyed);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await held.handTo(server);
    expect(await send(held.port, 1)).toBe('1');
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('is refused where somebody has it', async () => {
    const held = await HeldPort.take(HOST, 0);
    await expect(HeldPort.take(HOST, held.port)).rejects.toThrow('EADDRINUSE');
    await held.handTo(makeServer());
  });
});
