// Messages for the stream, right and wrong, over many connections that each keep to the rate they are allowed.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { WebSocket } from 'ws';

const TYPES = ['subscribe', 'unsubscribe', 'snapshot', 'ping', 'pong', 'Subscribe', '', '__proto__', 'x'.repeat(300)];
const CHANNELS = ['user', 'quick_market', 'market', 'trades', '', null, 7];
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  0,
  2 ** 53,
  1e300,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  'delta',
  'snapshot',
];
const TEXTS = [
  '',
  '{',
  '[]',
  'null',
  '7',
  '"ping"',
  '{"type":',
  '[[[[[[',
  '{"type":"ping"}{"type":"ping"}',
  '\u0000',
  '{}',
];

export interface StreamFuzzed {
  readonly sent: number;
  readonly answered: number;
  readonly refused: number;
  readonly closed: Readonly<Record<number, number>>;
}

export async function fuzzStream(
  url: string,
  how: {
    readonly count: number;
    readonly connections: number;
    readonly markets: readonly string[];
    readonly random: SeededRandom;
  },
): Promise<StreamFuzzed> {
  const totals = { sent: 0, answered: 0, refused: 0, closed: {} as Record<number, number> };
  const drive = async (): Promise<void> => {
    while (totals.sent < how.count) await useConnection(url, how, totals);
  };
  await Promise.all(Array.from({ length: how.connections }, drive));
  return totals;
}

async function useConnection(
  url: string,
  { count, markets, random }: Parameters<typeof fuzzStream>[1],
  totals: { sent: number; answered: number; refused: number; closed: Record<number, number> },
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/stream`, { perMessageDeflate: false });
  socket.on('error', () => undefined);
  socket.on('close', (code) => {
    totals.closed[code] = (totals.closed[code] ?? 0) + 1;
  });
  socket.on('message', (data: Buffer) => {
    totals.answered++;
    if (data.toString('latin1', 0, 15) === '{"type":"error"') totals.refused++;
  });
  if (
    !(await once(socket, 'open').then(
      () => true,
      () => false,
    ))
  )
    return sleep(200);
  const burst = LIMITS.streamMessagesPerSecond - 2;
  while (totals.sent < count && socket.readyState === WebSocket.OPEN) {
    for (let message = 0; message < burst; message++) {
      totals.sent++;
      socket.send(drawMessage(random, markets), { binary: random.chance(0.02) });
    }
    if (random.chance(0.05)) socket.terminate();
    else await sleep(1_000);
  }
  socket.terminate();
}

function drawMessage(random: SeededRandom, markets: readonly string[]): string | Buffer {
  const kind = random.weighted({ formed: 8, text: 1, bytes: 0.5, large: 0.02 });
  if (kind === 'text') return random.pick(TEXTS);
  if (kind === 'bytes') return Buffer.from(random.bytes(random.below(100)));
  if (kind === 'large') return `{"type":"ping","id":"${'x'.repeat(random.int(3_000, 80_000))}"}`;
  const value = () =>
    random.chance(0.3) ? random.pick(VALUES) : random.chance(0.8) ? random.pick(markets) : random.hex(32);
  const message: Record<string, unknown> = {
    type: random.chance(0.8) ? random.pick(TYPES.slice(0, 4)) : random.pick(TYPES),
  };
  if (random.chance(0.7)) message.marketId = value();
  if (random.chance(0.3)) message.channel = random.pick(CHANNELS);
  if (random.chance(0.5)) message.id = random.pick(VALUES);
  if (random.chance(0.5)) {
    const names = ['book', 'fromSeq', 'outcome', 'asset', 'address', 'userAddress', 'streamId', 'token', 'depth'];
    message.data = random.chance(0.1)
      ? random.pick(VALUES)
      : Object.fromEntries(names.filter(() => random.chance(0.3)).map((name) => [name, value()]));
  }
  return JSON.stringify(message);
}
