// Bytes that are no proper request, for the listener of a running service: torn, smuggled, flooded, slow, compressed without end.
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { SeededRandom } from '@presage/testkit';

/** The best quality takes seventy times as long for a bomb that is no larger when it bursts. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const BOMBS = [gzipSync(Buffer.alloc(20_000_000)), brotliCompressSync(Buffer.alloc(20_000_000), QUICKLY)];
const HEAD = 'POST /api/v1/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

type Shape = (random: SeededRandom) => string | Buffer;

/** Each is written to a connection of its own. */
const SHAPES: readonly Shape[] = [
  (random) => Buffer.from(random.bytes(random.int(1, 600))),
  () => `${HEAD}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
  () => `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  () => `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1`,
  () => `${HEAD}Content-Length: -1\r\n\r\n`,
  () => `${HEAD}Content-Length: 0x10\r\n\r\n0123456789abcdef`,
  () => `${HEAD} Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked\r\n\r\n2;x="${'y'.repeat(70_000)}"\r\n{}\r\n0\r\n\r\n`,
  (random) => `${HEAD}${Array.from({ length: 3_000 }, (_, n) => `X-${n}: ${random.uint32()}`).join('\r\n')}\r\n\r\n`,
  () => `${HEAD}X: ${'x'.repeat(100_000)}\r\n\r\n`,
  () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  () => 'GET / HTTP/1.1\r\n\r\n',
  () => 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  () => 'GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET //evil/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  () => 'CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => 'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  () =>
    'GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\n\r\n',
  () =>
    'GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\xff\xff\xff\xff\xff',
  () => `${HEAD}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  () => `${HEAD}Content-Length: 65000\r\n\r\n{"a":`,
  (random) => bomb(random.below(2)),
  () => `${HEAD}Content-Length: 40002\r\n\r\n{"a":${'['.repeat(39_997)}`,
  () => `${HEAD}Content-Length: 60000\r\n\r\n${'{"a":'.repeat(12_000)}`,
];

function bomb(which: number): Buffer {
  const body = BOMBS[which]!;
  const head = `${HEAD}Content-Encoding: ${which === 0 ? 'gzip' : 'br'}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

export interface ShapesThrown {
  readonly thrown: number;
  /** First lines of answers that are failures of the service. */
  readonly failures: readonly string[];
}

/** So many connections, each with one shape, whole or in pieces, then let go: some ended, some reset. */
export async function throwShapes(port: number, count: number, random: SeededRandom): Promise<ShapesThrown> {
  const failures: string[] = [];
  let thrown = 0;
  const thrower = async (): Promise<void> => {
    while (thrown < count) {
      const shape = SHAPES[thrown++ % SHAPES.length]!;
      const status = await throwOne(port, Buffer.from(shape(random)), random);
      if (status >= 500 && status !== 503) failures.push(`${status}: ${shape}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, thrower));
  return { thrown, failures };
}

/** What it was answered with; 0 for nothing. */
function throwOne(port: number, bytes: Buffer, random: SeededRandom): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const cut = random.chance(0.3) ? random.below(bytes.length) : bytes.length;
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      resolve(Number(data.toString('latin1', 9, 12)));
      letGo(socket, random);
    });
    socket.once('close', () => resolve(0));
    socket.write(bytes.subarray(0, cut), () => {
      if (cut < bytes.length) letGo(socket, random);
      // What waits for more is let go of by the client: timeouts have their own test.
      else setTimeout(() => letGo(socket, random), 100);
    });
  });
}

function letGo(socket: Socket, random: SeededRandom): void {
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.end(() => socket.destroy());
}
