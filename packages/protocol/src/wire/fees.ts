// Fee rates of markets, and fees of trades.
import Type from 'typebox';
import { MAX_FEE_RATE_BPS, MAX_MAKER_SHARE_BPS } from '../core/fees.ts';
import { ADDRESS_PATTERN } from './scalars.ts';

/** The fee rates of a market, fixed when it is created. */
export const FEE_RATES = {
  feeRateBps: Type.Integer({
    minimum: 0,
    maximum: MAX_FEE_RATE_BPS,
    description: 'what takers pay, in hundredths of a percent of size x price x (1 - price)',
  }),
  makerShareBps: Type.Integer({
    minimum: 0,
    maximum: MAX_MAKER_SHARE_BPS,
    description: 'how much of a fee the maker of the fill gets, in hundredths of a percent',
  }),
};

/** The fee of a trade: a safe integer wherever the size is one. */
export const FEES = {
  fee: Type.Integer({ minimum: 0, description: 'what the taker pays beside the price, in units of the stablecoin' }),
  makerRebate: Type.Optional(
    Type.Integer({ minimum: 0, description: 'what of it the maker gets; there where a fee is charged' }),
  ),
  feePayer: Type.Optional(
    Type.String({ pattern: ADDRESS_PATTERN, description: 'the taker; there where a fee is charged' }),
  ),
};
