// Scalar schemas of the wire: integers, addresses and ids in requests and answers.
import Type from 'typebox';
import { MAX_FEE_RATE_BPS, MAX_MAKER_SHARE_BPS } from '../core/fees.ts';
import { MAX_UINT64, MAX_UINT256 } from '../core/limits.ts';

/** An integer of a request: a JSON number or a decimal string. The bigint arm is how lossless parsing returns long ones. */
export function integerInput(maximum: bigint, expected: string) {
  const digits = maximum.toString().length;
  return Type.Union(
    [
      Type.Integer({
        minimum: 0,
        maximum: maximum < BigInt(Number.MAX_SAFE_INTEGER) ? Number(maximum) : Number.MAX_SAFE_INTEGER,
      }),
      Type.BigInt({ minimum: 0n, maximum }),
      Type.String({ pattern: `^[0-9]{1,${digits}}$` }),
    ],
    { description: expected },
  );
}

export const MAX_UINT8 = 255n;

export const Uint8Input = integerInput(MAX_UINT8, 'an integer from 0 to 255, as a number or a decimal string');
export const Uint64Input = integerInput(MAX_UINT64, 'an integer from 0 to 2^64-1, as a number or a decimal string');
export const Uint256Input = integerInput(MAX_UINT256, 'an integer from 0 to 2^256-1, as a number or a decimal string');
/** A client that sends 0.55 is told what to send instead. */
export const PriceInput = integerInput(
  MAX_UINT64,
  'an integer of millionths (550000 is 0.55), as a number or a decimal string',
);
export const SizeInput = integerInput(
  MAX_UINT64,
  'an integer of millionths (1000000 is one share), as a number or a decimal string',
);
export const BitInput = integerInput(1n, '0 or 1');

/**
 * Text for people: no control characters but tabs and line ends, and none that change the writing direction, so that it
 * is displayed as it is.
 */
export const PLAIN_TEXT =
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';

export const ADDRESS_PATTERN = '^0[xX][0-9a-fA-F]{40}$';
export const AddressText = Type.String({ pattern: ADDRESS_PATTERN, description: '0x and 40 hex digits' });
export const Bytes32Text = Type.String({ pattern: '^0[xX][0-9a-fA-F]{64}$', description: '0x and 64 hex digits' });

/** Empty until the transaction is broadcast. */
export const TxHashText = Type.String({ pattern: '^(0x[0-9a-f]{64})?$' });

/** A uint256 as text: it exceeds the range of JSON numbers that clients read without loss. */
export const DecimalText = Type.String({ pattern: '^[0-9]+$', description: 'decimal string, 6 decimals' });

/** uint64 in an answer: a JSON number, digit-exact. */
export const Uint64 = Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt({ minimum: 0n })], {
  description: 'uint64, digit-exact',
});
export const Int64 = Type.Union([Type.Integer(), Type.BigInt()], { description: 'int64, digit-exact' });
export const UnixSeconds = Type.Integer({ minimum: 0, description: 'Unix seconds' });
/** All other best prices of a market are those of YES. */
export const NoAskPrice = Type.Integer({ minimum: 0, description: 'the lowest ask of NO; 0 when there is none' });
export const TradeNumber = Type.Integer({
  minimum: 1,
  description: 'of the trade: unique on this service, growing with the time of the match',
});
export const Bit = Type.Union([Type.Literal(0), Type.Literal(1)]);

/** A checked integer input as a bigint; undefined if a decimal string exceeds the maximum. */
export function toBigInteger(value: number | bigint | string, maximum: bigint): bigint | undefined {
  const integer = BigInt(value);
  return integer <= maximum ? integer : undefined;
}

/** Fee rates of a new market: what takers pay, and the makers' share of it; fixed for good. */
export const FeeRatesInput = {
  feeRateBps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_FEE_RATE_BPS,
      description: `hundredths of a percent from 0 to ${MAX_FEE_RATE_BPS}, of size x price x (1 - price) of a fill`,
    }),
  ),
  makerShareBps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MAKER_SHARE_BPS,
      description: `hundredths of a percent of the fee from 0 to ${MAX_MAKER_SHARE_BPS}`,
    }),
  ),
};
