// Heads over a WebSocket: received, missed ones caught up, and silence recognised.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ServerOptions, WebSocketServer } from 'ws';
import { HeadSubscription } from '../../src/chains/head-subscription.ts';

const BACKOFF = { firstMs: 20, longestMs: 20 };

async function openNode(answer: (id: number) => object, options: ServerOptions = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  server.on('connection', (client) => {
    client.on('message', (data) => client.send(JSON.stringify(answer(JSON.parse(String(data)).id))));
  });
  const send = (message: object) => {
    for (const client of server.clients) client.send(JSON.stringify(message));
  };
  const cut = () => {
    for (const client of server.clients) client.terminate();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, send, cut, server };
}

function subscribe(urls: readonly string[], pingMs = 10_000) {
  const heads: number[] = [];
  const onHead = () => heads.push(heads.length);
  const subscription = new HeadSubscription({ urls, onHead, backoff: BACKOFF, pingMs });
  onTestFinished(() => subscription.close());
  subscription.start();
  return { subscription, heads };
}

describe('the subscription to heads', () => {
  it('says when a block came, and once when it begins, for those that came before', async () => {
    const node = await openNode((id) => ({ jsonrpc: '2.0', id, result: '0x1' }));
    const { subscription, heads } = subscribe([node.url]);
    await waitFor('a subscription', () => subscription.isLive);
    expect(heads).toHaveLength(1);
    node.send({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result: {} } });
    await waitFor('a head', () => heads.length === 2);
  });

  it('is not live once it is cut, says so by a last head, and comes back', async () => {
    const node = await openNode((id) => ({ jsonrpc: '2.0', id, result: '0x1' }));
    const { subscription, heads } = subscribe([node.url]);
    await waitFor('a subscription', () => subscription.isLive);
    node.cut();
    await waitFor('the cut', () => heads.length >= 2);
    await waitFor('the next subscription', () => subscription.isLive && heads.length >= 3);
  });

  it('goes to the next node when one is cut, refuses it or falls silent', async () => {
    const good = (id: number) => ({ jsonrpc: '2.0', id, result: '0x1' });
    const refusing = await openNode((id) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'none' } }));
    const silent = await openNode(good, { autoPong: false });
    const last = await openNode(good);
    let silentAsked = 0;
    silent.server.on('connection', () => silentAsked++);
    // Of a node that answers on a busy machine this ends the connection now and then, too.
    const { subscription } = subscribe([refusing.url, silent.url, last.url], 20);
    await waitFor('the last node has it', () => last.server.clients.size === 1 && subscription.isLive);
    const before = silentAsked;
    last.cut();
    await waitFor('the nodes are gone through again', () => silentAsked > before);
  });

  it('is never live at a node that refuses it', async () => {
    const node = await openNode((id) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }));
    let connections = 0;
    node.server.on('connection', () => connections++);
    const { subscription, heads } = subscribe([node.url]);
    await waitFor('a second try', () => connections >= 2);
    expect(subscription.isLive).toBe(false);
    expect(heads).toEqual([]);
  });
});
