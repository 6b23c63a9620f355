// Parses answers and stream events of Pyth's Hermes, checking every field.
import { compileLater, type Hex } from '@presage/protocol';
import Type from 'typebox';

export interface HermesUpdate {
  /** Feed id in lower case, with 0x. */
  readonly feedId: string;
  readonly price: bigint;
  readonly conf: bigint;
  readonly expo: number;
  readonly publishTime: number;
  /** Unix seconds; undefined if Hermes does not know it. */
  readonly prevPublishTime: number | undefined;
}

export interface HermesMessage {
  readonly updates: readonly HermesUpdate[];
  /** Update data for the oracle contract; real answers have one blob for all updates. */
  readonly payload: Hex | undefined;
  readonly simulated: boolean;
}

export class HermesMalformed extends Error {
  override readonly name = 'HermesMalformed';
}

const Seconds = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const shape = compileLater(
  Type.Object({
    binary: Type.Object({
      encoding: Type.String(),
      data: Type.Array(Type.String()),
    }),
    parsed: Type.Array(
      Type.Object({
        id: Type.String({ pattern: '^(0x)?[0-9a-fA-F]{64}$' }),
        price: Type.Object({
          price: Type.String({ pattern: '^-?[0-9]{1,20}$' }),
          conf: Type.String({ pattern: '^[0-9]{1,20}$' }),
          expo: Type.Integer({ minimum: -40, maximum: 40 }),
          publish_time: Seconds,
        }),
        metadata: Type.Optional(Type.Object({ prev_publish_time: Type.Optional(Type.Union([Seconds, Type.Null()])) })),
      }),
    ),
    simulated: Type.Optional(Type.Boolean()),
  }),
);

export function parseHermes(text: string): HermesMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new HermesMalformed(`not JSON: ${text.slice(0, 60)}`);
  }
  if (!shape().Check(json)) {
    const [first] = shape().Errors(json);
    throw new HermesMalformed(`${first?.instancePath} ${first?.message}`);
  }
  const blob = json.binary.encoding === 'hex' ? json.binary.data[0] : undefined;
  return {
    updates: json.parsed.map(({ id, price, metadata }) => ({
      feedId: `0x${id.replace(/^0x/, '').toLowerCase()}`,
      price: BigInt(price.price),
      conf: BigInt(price.conf),
      expo: price.expo,
      publishTime: price.publish_time,
      prevPublishTime: metadata?.prev_publish_time ?? undefined,
    })),
    payload: blob !== undefined && /^([0-9a-f]{2})+$/i.test(blob) ? `0x${blob}` : undefined,
    simulated: json.simulated === true,
  };
}
