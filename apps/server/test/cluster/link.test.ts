// The link between two nodes: many requests over one connection, a proof of the secret on both sides, and what a loss means.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PresageError } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FramedSocket } from '../../src/cluster/framed-socket.ts';
import { LINK_VERSION, proofOf } from '../../src/cluster/handshake.ts';
import { Link, type LinkOptions } from '../../src/cluster/link.ts';
import {
  type LinkHandler,
  LinkListener,
  type LinkListenerOptions,
  type LinkPeer,
} from '../../src/cluster/link-listener.ts';
import { encodeNews, encodeRequest, LinkLost, NotOwner } from '../../src/cluster/link-messages.ts';

const SECRET = 'a secret of all nodes';
const KEY = '0x11';
const OTHER_KEY = '0x22';
const NEVER = new Promise<never>(() => undefined);

async function listen(
  handlers: Record<string, LinkHandler>,
  port = 0,
  extras: Partial<Pick<LinkListenerOptions, 'receiptKey' | 'onWarning'>> = {},
) {
  const settings = { secret: SECRET, receiptKey: KEY, onWarning: () => undefined, ...extras };
  const listener = new LinkListener({ ...settings, handlers: new Map(Object.entries(handlers)) });
  const bound = await listener.listen(port, '127.0.0.1');
  onTestFinished(() => listener.close());
  return { listener, port: bound, address: `127.0.0.1:${bound}` };
}

async function call(address: string, extras: Partial<LinkOptions> = {}): Promise<Link> {
  const link = new Link({ secret: SECRET, receiptKey: KEY, node: 'http://caller', address, ...extras });
  onTestFinished(() => link.close());
  await link.connected(2_000);
  return link;
}

describe('the link between two nodes', () => {
  it('answers many requests at the same time, in whatever order they are done, with integers intact', async () => {
    const held: (() => void)[] = [];
    const { address } = await listen({
      echo: (body) => body,
      held: (body) => new Promise((resolve) => held.push(() => resolve(body))),
    });
    const link = await call(address);
    const first = link.request('held', 'first');
    const body = { nonce: 2n ** 64n - 1n, text: 'ä', size: 5 };
    expect(await link.request('echo', body)).toEqual(body);
    const large = 'x'.repeat(3_000_000);
    expect(await link.request('echo', large)).toBe(large);
    await waitFor('the first is held', () => held.length === 1);
    held[0]?.();
    expect(await first).toBe('first');
  });

  it('gives a refusal of the catalogue back as it was thrown, and says where something is not owned', async () => {
    const { address } = await listen({
      refuse: () => Promise.reject(new PresageError('token_already_used', { nonce: 'n' })),
      elsewhere: () => Promise.reject(new NotOwner('m3')),
    });
    const link = await call(address);
    await expect(link.request('refuse', 1)).rejects.toMatchObject({
      code: 'token_already_used',
      details: { nonce: 'n' },
    });
    await expect(link.request('elsewhere', 1)).rejects.toBeInstanceOf(NotOwner);
    await expect(link.request('unheard of', 1)).rejects.toThrow('do not know unheard of');
  });

  it('passes news on to whoever asked for it', async () => {
    const peers: LinkPeer[] = [];
    const { address } = await listen({ follow: (_, peer) => void peers.push(peer) });
    const heard: unknown[] = [];
    const link = await call(address, { onNews: (topic, body) => heard.push([topic, body]) });
    await link.request('follow', undefined);
    expect(peers[0]?.node).toBe('http://caller');
    peers[0]?.tell(encodeNews('heads', { m0: 7 }));
    await waitFor('the news', () => heard.length > 0);
    expect(heard).toEqual([['heads', { m0: 7 }]]);
  });

  it('a request whose answer is lost with the connection rejects as lost, and the link stands again by itself', async () => {
    const first = await listen({ never: () => NEVER });
    const link = await call(first.address);
    const lost = link.request('never', 1);
    await first.listener.close();
    await expect(lost).rejects.toBeInstanceOf(LinkLost);
    await expect(link.request('never', 1)).rejects.toBeInstanceOf(LinkLost);
    await listen({ echo: (body) => body }, first.port);
    await waitFor('it stands again', () => link.isConnected);
    expect(await link.request('echo', 'again')).toBe('again');
  });

  it('a connection that stands and says nothing is given up and made again, until the other side answers', async () => {
    const { port } = await listen({ echo: (body) => body });
    let calls = 0;
    const gate = createServer((socket) => {
      socket.on('error', () => undefined);
      // As behind a network that lost everything after the first packet.
      if (calls++ === 0) return;
      const target = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.pipe(target).pipe(socket);
    });
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void gate.close());
    const { port: gatePort } = gate.address() as AddressInfo;
    const link = await call(`127.0.0.1:${gatePort}`);
    await waitFor('it stands', () => link.isConnected);
    expect(await link.request('echo', 'heard')).toBe('heard');
  });

  it('a connection over which nothing comes any more is cut off, who waits for an answer is told, and it is made again', async () => {
    const { port } = await listen({ echo: (body) => body, held: () => NEVER });
    const pipes: Socket[] = [];
    const gate = createServer((socket) => {
      const target = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.on('error', () => undefined);
      pipes.push(target);
      socket.pipe(target).pipe(socket);
    });
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      gate.close();
      for (const target of pipes) target.destroy();
    });
    const link = await call(`127.0.0.1:${(gate.address() as AddressInfo).port}`);
    const held = link.request('held', undefined);
    // As a machine that vanished: the connection stands, and nothing arrives on either side.
    pipes[0]?.unpipe();
    const waited = sleep(30_000, 'no answer, and no word of the loss', { ref: false });
    await expect(Promise.race([held, waited])).rejects.toThrow(LinkLost);
    await link.connected(5_000);
    expect(await link.request('echo', 'heard')).toBe('heard');
    expect(pipes).toHaveLength(2);
  });

  it('a node that stands still itself for longer than others may be silent keeps its connection', async () => {
    let closed = 0;
    const { address } = await listen({ follow: (_, peer) => peer.onClosed(() => closed++) });
    const link = await call(address);
    await link.request('follow', undefined);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    await sleep(100);
    expect(link.isConnected).toBe(true);
    expect(closed).toBe(0);
  });

  it('a caller that goes silent after its proof is cut off, and what it followed is told to nobody', async () => {
    const peers: LinkPeer[] = [];
    const closed: string[] = [];
    const { port } = await listen({
      follow: (_, peer) => {
        peers.push(peer);
        peer.onClosed(() => closed.push(peer.node));
      },
    });
    const terms = { secret: SECRET, receiptKey: KEY, nonce: 'n', node: 'http://silent' };
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let said = 0;
    const caller = new FramedSocket({
      socket,
      maxBytes: 4_096,
      onMessage: (bytes) => {
        if (said++ > 0) return;
        const { nonce: challenge } = JSON.parse(bytes.toString('utf8')) as { nonce: string };
        const { nonce, node, receiptKey } = terms;
        const mac = proofOf('caller', { ...terms, challenge });
        caller.send(Buffer.from(JSON.stringify({ node, nonce, receiptKey, mac })));
        caller.send(encodeRequest(1, 'follow', undefined));
      },
      onClosed: () => undefined,
    });
    await waitFor('it follows', () => peers.length === 1);
    // What the listener says itself is no sign of life of the other.
    const telling = setInterval(() => peers[0]?.tell(encodeNews('heads', { m0: 1 })), 100);
    onTestFinished(() => clearInterval(telling));
    await waitFor('it is cut off', () => closed.length === 1);
    expect(closed).toEqual(['http://silent']);
  });

  it('a caller with another secret gets nothing, and neither does a listener that only pretends', async () => {
    const asked: unknown[] = [];
    const { address } = await listen({ echo: (body) => asked.push(body) });
    const told: string[] = [];
    const stranger = await call(address, { secret: 'a guess', onWarning: (message) => told.push(message) });
    expect(stranger.isConnected).toBe(false);
    await waitFor('it is told what to set', () => told.length > 0);
    expect(told).toEqual([expect.stringContaining('Set PRESAGE_CLUSTER_SECRET to the same value on all nodes')]);
    const pretender = createServer((socket) => {
      const send = (message: object) => {
        const bytes = Buffer.from(JSON.stringify(message));
        const length = Buffer.alloc(4);
        length.writeUInt32BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]));
      };
      socket.on('error', () => undefined);
      send({ version: LINK_VERSION, nonce: 'n' });
      socket.once('data', () => send({ mac: '00'.repeat(32) }));
    });
    await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void pretender.close());
    const { port } = pretender.address() as { port: number };
    const fooled = new Link({ secret: SECRET, receiptKey: KEY, node: 'http://caller', address: `127.0.0.1:${port}` });
    await fooled.connected(500);
    expect(fooled.isConnected).toBe(false);
    fooled.close();
    expect(asked).toEqual([]);
  });

  it('refuses a node whose receipts have another key, names the setting once on both sides, and connects when it is mended', async () => {
    const heard: string[] = [];
    const said: string[] = [];
    const asked: unknown[] = [];
    const handlers = { echo: (body: unknown) => asked.push(body) };
    const wrong = { receiptKey: OTHER_KEY, onWarning: (message: string) => void heard.push(message) };
    const { address, port, listener } = await listen(handlers, 0, wrong);
    const link = await call(address, { onWarning: (message) => void said.push(message) });
    expect(link).toMatchObject({ isConnected: false, hasOtherKey: true });
    expect(listener.hasOtherKey('http://caller')).toBe(true);
    await expect(link.request('echo', 1)).rejects.toBeInstanceOf(LinkLost);
    expect(asked).toEqual([]);
    const remedy = 'Set PRESAGE_RECEIPT_KEY to the same value on all nodes.';
    const why = (there: string, here: string) =>
      `it signs receipts with another key (${there}, this node with ${here}). ${remedy}`;
    expect(said).toEqual([`the link to the node at ${address} was closed: ${why(OTHER_KEY, KEY)}`]);
    expect(heard).toEqual([`the node http://caller was refused: ${why(KEY, OTHER_KEY)}`]);
    await listener.close();
    await listen(handlers, port);
    await waitFor('it is connected', () => link.isConnected);
    expect(link.hasOtherKey).toBe(false);
    await link.request('echo', 2);
    expect(asked).toEqual([2]);
  });

  it('forgets that a caller had another key when it calls with the right one', async () => {
    const { address, listener } = await listen({});
    const wrong = await call(address, { receiptKey: OTHER_KEY });
    expect(listener.hasOtherKey('http://caller')).toBe(true);
    wrong.close();
    expect((await call(address)).isConnected).toBe(true);
    expect(listener.hasOtherKey('http://caller')).toBe(false);
  });

  it('does not believe a stranger who states another key without the secret', async () => {
    const heard: string[] = [];
    const { address, listener } = await listen({}, 0, { onWarning: (message) => void heard.push(message) });
    const stranger = await call(address, { secret: 'a guess', receiptKey: OTHER_KEY });
    expect(stranger).toMatchObject({ isConnected: false, hasOtherKey: false });
    expect(listener.hasOtherKey('http://caller')).toBe(false);
    expect(heard).toEqual([]);
  });

  it('strangers who say nothing keep no node out, many as they are', async () => {
    const { address, port } = await listen({});
    for (let stranger = 0; stranger < 64; stranger++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    expect((await call(address)).isConnected).toBe(true);
  });

  it('strangers of one address who call on and on keep no node of another address out', async () => {
    const { address, port } = await listen({});
    let isOver = false;
    /** Each of the sixteen calls again as soon as it is cut off, faster than any proof takes. */
    const callAgain = () => {
      if (isOver) return;
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' });
      socket.on('error', () => undefined).once('connect', () => setImmediate(callAgain));
      setTimeout(() => socket.destroy(), 1_000).unref();
    };
    onTestFinished(() => {
      isOver = true;
    });
    for (let stranger = 0; stranger < 16; stranger++) callAgain();
    expect((await call(address)).isConnected).toBe(true);
  });

  it('a stranger who announces a huge message, or sends nonsense, is cut off', async () => {
    const { address, port } = await listen({});
    for (const bytes of [Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from([0, 0, 0, 3, 123, 123, 123])]) {
      const socket = connect(port, '127.0.0.1');
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('error', () => undefined);
      // Unread, the end would never be noticed.
      socket.resume();
      socket.write(bytes);
      await closed;
    }
    expect((await call(address)).isConnected).toBe(true);
  });
});
