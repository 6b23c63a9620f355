// What nodes say to each other as bytes: every command and answer comes back as it was sent, and bytes that are damaged end the link, not the node.
import { connect, type Socket } from 'node:net';
import type { FrameSeal } from '@presage/journal';
import { type EngineOutput, RECORD_VERSION, type TradeMatched } from '@presage/protocol';
import {
  createOrderBuilders,
  isLongRun,
  marketFacts,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
  TRADERS,
  waitFor,
} from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FramedSocket } from '../../src/cluster/framed-socket.ts';
import { LINK_VERSION, proofOf } from '../../src/cluster/handshake.ts';
import { Link } from '../../src/cluster/link.ts';
import { LinkListener } from '../../src/cluster/link-listener.ts';
import {
  decodeMessage,
  encodeAnswer,
  encodeNews,
  encodeRefusal,
  encodeRequest,
} from '../../src/cluster/link-messages.ts';
import { OwnedPartitions } from '../../src/cluster/owned-partitions.ts';

const SEED = seedFromEnv(7);
const SETTINGS = { secret: 'a secret of all nodes', receiptKey: '0x11' };
const traders = createOrderBuilders();
const place = { ...traders.aliceBuysYes({ price: '0.5', size: '10', timeInForce: 'FOK' }), timeMs: 0 };
const wallet = { ...traders.bobSellsNo({ price: '0.4', size: '1' }), timeMs: 0 };
const permit = { nonce: 2n ** 200n, value: 5n, deadline: 9n, v: 27, r: TEST_MARKET, s: TEST_MARKET };
const call = { partition: 'm3', id: 'http://gateway 1' };
const seal: FrameSeal = { partition: 'm3', firstSeq: 7, lastSeq: 9, timeMs: 5, hash: new Uint8Array(32).fill(3) };
const accepted = { ...wallet, type: 'order-accepted', marketId: TEST_MARKET, step: 4, timeMs: 5 } as const;
const matched: TradeMatched = {
  ...{ type: 'trade-matched', marketId: TEST_MARKET, step: 4, timeMs: 5, tradeId: '7-1', outcome: 0, takerSide: 1 },
  ...{ price: place.order.price, size: place.order.size, makerHash: place.orderHash, takerHash: wallet.orderHash },
  ...{ maker: TRADERS.alice, taker: TRADERS.bob },
};
const refused: EngineOutput = { type: 'command-refused', code: 'fok_not_filled', details: { filled: 2n ** 70n } };
const decided = { outputs: [accepted, matched, refused], firstSeq: 7, frame: seal };
const cancel = {
  ...{ type: 'cancel-order', timeMs: 0, marketId: TEST_MARKET, orderHash: place.orderHash, trader: TRADERS.alice },
  reason: 'user',
};

const REQUESTS: readonly (readonly [method: string, body: object])[] = [
  ['run', { ...call, command: place }],
  ['run', { ...call, command: { ...wallet, permit }, retryFromSeq: 0 }],
  ['run', { ...call, command: cancel, retryFromSeq: 12 }],
  ['run', { ...call, command: { type: 'list-market', market: marketFacts() } }],
  ['run-whole', { ...call, command: { type: 'cancel-orders', trader: TRADERS.bob, reason: 'user' } }],
  ['run-all', { ...call, commands: [place, cancel, { type: 'tick' }] }],
  ['run-atomic', { ...call, commands: [place, wallet] }],
  ['append', { ...call, records: [accepted, matched] }],
  ['take-partition', { partition: 'm3', handed: { epoch: 3, lastSeq: 9, headHash: 'ab' } }],
];
const ANSWERS: readonly (readonly [method: string, body: object])[] = [
  ['run', { ...decided, durableSeq: 9 }],
  ['run-whole', { outputs: [], firstSeq: 1, frame: undefined, durableSeq: 0 }],
  ['run-all', { outputs: [accepted, refused], durableSeq: 2 ** 50 }],
  ['run-atomic', { outcome: 'placed', decided: [decided, decided], durableSeq: 9 }],
  ['run-atomic', { outcome: 'refused', index: 1, refusal: refused, durableSeq: 9 }],
  ['append', { firstSeq: 7, lastSeq: 8, timeMs: 5, frame: seal }],
];

function decode(bytes: Uint8Array, method?: string) {
  return decodeMessage(Buffer.from(bytes), () => method);
}

describe('what nodes say to each other', () => {
  it('comes back as it was sent, every method, answer and topic', () => {
    for (const [method, body] of REQUESTS)
      expect(decode(encodeRequest(5, method, body))).toEqual({ kind: 'request', id: 5, method, body });
    for (const [method, body] of ANSWERS)
      expect(decode(encodeAnswer(2 ** 40, method, body), method)).toEqual({ kind: 'answer', id: 2 ** 40, body });
    const heads = { m0: 7, control: 2 ** 52 };
    expect(decode(encodeNews('heads', heads))).toEqual({ kind: 'news', topic: 'heads', body: heads });
  });

  it('takes less than 300 bytes for an order, and ignores an answer that nobody waits for', () => {
    const bytes = encodeRequest(5, 'run', { ...call, command: place });
    expect(bytes.length).toBeLessThan(300);
    expect(decode(encodeAnswer(5, 'run', { ...decided, durableSeq: 9 }))).toBeUndefined();
  });

  it('is read whole or refused when it is torn, longer, or has another byte in it', () => {
    const random = new SeededRandom(SEED);
    const all = [
      ...REQUESTS.map(([method, body]) => [method, Buffer.from(encodeRequest(5, method, body))] as const),
      ...ANSWERS.map(([method, body]) => [method, Buffer.from(encodeAnswer(5, method, body))] as const),
    ];
    for (const [method, bytes] of all) {
      for (let end = 0; end < bytes.length; end++) expect(() => decode(bytes.subarray(0, end), method)).toThrow();
      expect(() => decode(Buffer.concat([bytes, Buffer.from([0])]), method)).toThrow();
      for (let round = 0; round < (isLongRun ? 5_000 : 300); round++) {
        const damaged = Buffer.from(bytes);
        for (let flips = random.int(1, 3); flips > 0; flips--)
          damaged[random.int(0, damaged.length - 1)] = random.int(0, 255);
        decodeOrThrow(damaged, method);
      }
    }
  });
});

/** Whatever it throws is an error, and it ends. */
function decodeOrThrow(bytes: Buffer, method: string): void {
  try {
    decode(bytes, method);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
}

describe('a node that knows the secret and sends nonsense', () => {
  it('is cut off with a word in the log, whatever it sends, and everybody else is answered', async () => {
    const random = new SeededRandom(SEED + 1);
    const warnings: string[] = [];
    const handlers = new OwnedPartitions().handlers();
    const listener = new LinkListener({ ...SETTINGS, handlers, onWarning: (said) => void warnings.push(said) });
    const port = await listener.listen(0, '127.0.0.1');
    onTestFinished(() => listener.close());
    const whole = Buffer.from(encodeRequest(5, 'run', { ...call, command: place }));
    const nonsense = [
      Buffer.from([9, 1]),
      whole.subarray(0, whole.length / 2),
      Buffer.concat([whole, whole]),
      Buffer.from(Array.from({ length: 200 }, () => random.int(128, 255))),
    ];
    for (const bytes of nonsense) await sendProved(port, bytes);
    expect(warnings).toHaveLength(nonsense.length);
    expect(warnings[0]).toBe('the link of http://odd was closed: a message of kind 9');
    // The same request twice is answered twice, and an answer or a refusal that it has no question for is ignored.
    const link = new Link({ ...SETTINGS, node: 'http://sound', address: `127.0.0.1:${port}` });
    onTestFinished(() => link.close());
    await link.connected(5_000);
    await link.request('ping', undefined);
    expect(link.isConnected).toBe(true);
  });

  it.each([
    ['speaks another version', '99.1'],
    ['writes records of another version', LINK_VERSION.replace(/\d+$/, String(RECORD_VERSION + 1))],
  ])('warns once of a node that %s', async (_what, version) => {
    const { createServer } = await import('node:net');
    let calls = 0;
    const server = createServer((socket) => {
      calls++;
      socket.on('error', () => undefined);
      const bytes = Buffer.from(JSON.stringify({ version, nonce: 'n' }));
      socket.write(Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const warnings: string[] = [];
    const address = `127.0.0.1:${port}`;
    const link = new Link({ ...SETTINGS, node: 'n', address, onWarning: (said) => void warnings.push(said) });
    onTestFinished(() => link.close());
    await waitFor('it was called again', () => calls >= 3);
    const why = `it speaks version ${version} of the link, this node speaks ${LINK_VERSION}. Stop all nodes, and start all with the same version.`;
    expect(warnings).toEqual([`the link to the node at ${address} was closed: ${why}`]);
  });
});

/** Proves itself, sends the bytes as one message, behind answers that nobody asked for, and waits to be cut off. */
async function sendProved(port: number, bytes: Buffer): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const terms = { ...SETTINGS, nonce: 'n', node: 'http://odd' };
  let said = 0;
  await new Promise<void>((resolve) => {
    const framed = new FramedSocket({
      socket,
      maxBytes: 4_096,
      onMessage: (message) => {
        if (said++ > 0) return;
        const { nonce: challenge } = JSON.parse(message.toString('utf8')) as { nonce: string };
        const { nonce, node, receiptKey } = terms;
        const mac = proofOf('caller', { ...terms, challenge });
        framed.send(Buffer.from(JSON.stringify({ node, nonce, receiptKey, mac })));
        framed.send(encodeRefusal(1, { reason: 'failed', message: 'nobody asked' }));
        framed.send(encodeAnswer(1, 'ping', undefined));
        framed.send(bytes);
      },
      onClosed: resolve,
    });
  });
}
