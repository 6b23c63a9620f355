// Two servers to which orders are compared. The bare one parses an order and recovers its signature on one thread. The
// durable one does the minimum for the service's promises: it recovers in threads, answers after its journal is synced,
// and signs each frame for the receipt.
import { fork } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileJournal, type FrameRef, GroupCommit } from '@presage/journal';
import {
  type Address,
  asHex,
  type MarketId,
  type Order,
  OrderHasher,
  parseJson,
  type SigningDomain,
} from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { portOf } from '@presage/runtime/node';
import { SignaturePool } from '@presage/signers';

interface LoadTarget {
  readonly url: string;
  readonly domain: SigningDomain;
  readonly marketId: MarketId;
}

export interface FloorServer {
  readonly target: LoadTarget;
  stop(): Promise<void>;
}

interface FloorReady {
  readonly port: number;
}

/** The baseline verifies every order against this domain: it has no markets and no chain. */
const FLOOR_DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};
const FLOOR_MARKET = asHex(`0x${'f1'.repeat(32)}`);

export type FloorKind = 'bare' | 'durable';

/** Runs in its own process: a server and its load must not share a thread. */
export async function startFloorServer(kind: FloorKind): Promise<FloorServer> {
  const execArgv = ['--import', import.meta.resolve('tsx')];
  const child = fork(fileURLToPath(import.meta.url), [kind], { execArgv });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the floor server ended before it was ready')));
  const [ready] = await Promise.race([once(child, 'message'), failed]);
  const { port }: FloorReady = ready;
  failed.catch(() => undefined);
  return {
    target: { url: `http://127.0.0.1:${port}/`, domain: FLOOR_DOMAIN, marketId: FLOOR_MARKET },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

type Judge = (text: string) => Promise<Judged> | Judged;
type Judged = [status: number, body: string];

async function serve(kind: FloorKind): Promise<void> {
  const { judge, close } = kind === 'bare' ? await openBare() : await openDurable();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => answer(text, response, judge));
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: portOf(server) });
  });
  process.on('disconnect', () => void close().then(() => process.exit(0)));
}

function answer(text: string, response: ServerResponse, judge: Judge): void {
  const write = ([status, body]: Judged) =>
    void response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  // Anything but an order gets a 400.
  const refuse = () => write([400, '{}']);
  try {
    const judged = judge(text);
    if (judged instanceof Promise) judged.then(write, refuse);
    else write(judged);
  } catch {
    refuse();
  }
}

interface Floor {
  readonly judge: Judge;
  close(): Promise<void>;
}

async function openBare(): Promise<Floor> {
  const [hasher, recovery] = [await OrderHasher.open(FLOOR_DOMAIN), await openSignerRecovery()];
  return {
    judge(text) {
      const { order, digest, signature } = readOrder(text, hasher);
      return toJudged(order, recovery.recover(digest, signature));
    },
    close: () => Promise.resolve(),
  };
}

async function openDurable(): Promise<Floor> {
  const [hasher, pool] = [await OrderHasher.open(FLOOR_DOMAIN), await SignaturePool.open()];
  const dir = await mkdtemp(join(tmpdir(), 'presage-floor-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const onSealed = ({ hash }: FrameRef['frame']) => void sign(null, hash, privateKey);
  const journal = await FileJournal.open({ dir, partition: 'floor', onSealed });
  const commit = new GroupCommit({ journal, now: () => Date.now() });
  return {
    async judge(text) {
      const { order, digest, signature } = readOrder(text, hasher);
      const signer = await pool.recover(digest, signature);
      await commit.push([signature]);
      return toJudged(order, signer);
    },
    async close() {
      await commit.close();
      await Promise.all([journal.close(), pool.close()]);
      await rm(dir, { recursive: true });
    },
  };
}

function readOrder(text: string, hasher: OrderHasher) {
  // The body was made by `signOrders`.
  const { order, signature } = parseJson(text) as { order: Order; signature: string };
  const { nonce, expiration } = order;
  const digest = hasher.digest({ ...order, nonce: BigInt(nonce), expiration: BigInt(expiration) });
  return { order, digest, signature: Buffer.from(signature.slice(2), 'hex') };
}

function toJudged({ trader }: Order, signer: Address | undefined): Judged {
  return [signer === trader ? 200 : 400, JSON.stringify({ signer })];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2] === 'durable' ? 'durable' : 'bare');
