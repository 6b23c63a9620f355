// Updates as Pyth's Hermes writes them, with one more field: that they are simulated.
import type { SimulatedUpdate } from './simulated-feed.ts';

/** Solana's pace, which the slots of the real feed count. */
const SLOTS_PER_SECOND = 2.5;

export interface UpdateQuery {
  readonly encoding: 'hex' | 'base64';
  readonly parsed: boolean;
}

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
