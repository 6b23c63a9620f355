// The wire format of the simulated feed: parses and validates queries, and writes updates as Pyth's Hermes does.
import { type Bytes32, isObject, parseBytes32 } from '@presage/protocol';
import type { Pin, SimulatedUpdate } from './simulated-feed.ts';

export class RequestRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function parseFeedId(text: unknown): Bytes32 {
  const id = typeof text === 'string' ? parseBytes32(text.startsWith('0x') ? text : `0x${text}`) : undefined;
  if (id === undefined) throw new RequestRefused(400, `invalid price feed id: ${String(text)}`);
  return id;
}

export function parseFeedIds(query: URLSearchParams): Bytes32[] {
  const ids = [...query.getAll('ids[]'), ...query.getAll('ids')].map(parseFeedId);
  if (ids.length === 0) throw new RequestRefused(400, 'missing field `ids[]`');
  return [...new Set(ids)];
}

export function parseUpdateQuery(query: URLSearchParams): UpdateQuery {
  const encoding = query.get('encoding') ?? 'hex';
  if (encoding !== 'hex' && encoding !== 'base64') throw new RequestRefused(400, `unknown encoding ${encoding}`);
  return { encoding, parsed: query.get('parsed') !== 'false' };
}

export function parsePins(body: unknown): Pin[] {
  if (!Array.isArray(body)) throw new RequestRefused(400, 'a list of pins is expected');
  return body.map((entry: unknown) => {
    const { from } = fieldsOf(entry);
    if (!isInteger(from)) throw new RequestRefused(400, 'a pin needs the second it holds from');
    return { ...parsePin(entry), from };
  });
}

export function parsePin(body: unknown): Omit<Pin, 'from'> {
  const { feedId, price } = fieldsOf(body);
  if (price !== null && !(isInteger(price) && price > 0)) {
    throw new RequestRefused(400, 'price: a positive integer with eight decimals, or null');
  }
  return { feedId: parseFeedId(feedId), price };
}

export function parseStall(body: unknown): boolean {
  const { oracle } = fieldsOf(body);
  if (oracle !== 'normal' && oracle !== 'stalled') throw new RequestRefused(400, 'oracle: normal or stalled');
  return oracle === 'stalled';
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return isObject(body) ? body : {};
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Pace of Solana, whose slots the real feed counts. */
const SLOTS_PER_SECOND = 2.5;

export interface UpdateQuery {
  readonly encoding: 'hex' | 'base64';
  readonly parsed: boolean;
}

/** Answer in the format of Hermes, with one field more: that the updates are simulated. */
export function toHermesAnswer(updates: readonly SimulatedUpdate[], { encoding, parsed }: UpdateQuery): string {
  const data = updates.map(({ payload }) => Buffer.from(payload.slice(2), 'hex').toString(encoding));
  return JSON.stringify({
    binary: { encoding, data },
    parsed: parsed ? updates.map(toParsed) : null,
    simulated: true,
  });
}

function toParsed(update: SimulatedUpdate): object {
  const { feedId, price, conf, expo, publishTime, prevPublishTime, average } = update;
  const figures = { conf: conf.toString(), expo, publish_time: publishTime };
  return {
    id: feedId.slice(2),
    price: { price: price.toString(), ...figures },
    ema_price: { price: average.toString(), ...figures },
    metadata: {
      slot: Math.floor(publishTime * SLOTS_PER_SECOND),
      proof_available_time: publishTime,
      prev_publish_time: prevPublishTime,
    },
  };
}
