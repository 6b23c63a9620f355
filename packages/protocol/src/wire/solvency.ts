// Solvency: the most that the shares of every market can be worth, against the stablecoin that the chain holds for
// them.
import Type from 'typebox';
import { Bytes32Text, Int64 } from './scalars.ts';

const MarketSolvency = Type.Object({
  marketId: Bytes32Text,
  yesShares: Int64,
  noShares: Int64,
  locked: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'stablecoin behind its shares: one unit a pair of YES and NO, of a decided market what its shares pay',
  }),
});

const EventSolvency = Type.Object({
  eventId: Bytes32Text,
  locked: Type.Union([Type.Integer(), Type.BigInt()], {
    description:
      'stablecoin behind the shares of all its outcomes: what its result pays, YES of the winner and NO of all others; of a decided event what its shares pay',
  }),
});

const ChainSolvency = Type.Object({
  chain_id: Type.Integer(),
  block: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'the block as of which the chain was read',
  }),
  markets: Type.Integer({ minimum: 0, description: 'markets with something locked' }),
  locked: Type.Union([Type.Integer(), Type.BigInt()], {
    description:
      'what the shares that the service knows of must be backed by, trades on their way to the chain included',
  }),
  collateral: Type.Union([Type.Integer(), Type.BigInt(), Type.Null()], {
    description: 'stablecoin held by the conditional tokens; null while the chain cannot be reached',
  }),
  drift: Type.Union([Type.Integer(), Type.BigInt(), Type.Null()], {
    description:
      'collateral - locked, as of one block: 0 when every share is known and every trade settled; above 0 shares that were made elsewhere, below 0 trades that are not mined yet; null while the chain cannot be reached or the service is behind it',
  }),
  bonds: Type.Union([Type.Integer(), Type.BigInt(), Type.Null()], {
    description: 'stablecoin held by the oracle: bonds of open proposals',
  }),
  unsettled_trades: Type.Integer({ minimum: 0, description: 'matched trades that are not in the block' }),
});

export const Solvency = Type.Object({
  chains: Type.Array(ChainSolvency),
  markets: Type.Array(MarketSolvency, { description: 'those with the most locked first, without those of events' }),
  events: Type.Optional(
    Type.Array(EventSolvency, { description: 'those with the most locked first; absent if there are none' }),
  ),
});
