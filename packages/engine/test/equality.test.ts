// The engine equals the model over a short random flow that covers every rule of the engine.
import { seedFromEnv } from '@presage/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LockstepTally, runLockstep } from './lockstep.ts';

describe('over a random flow', () => {
  let tally: LockstepTally;

  beforeAll(() => {
    tally = runLockstep({ seed: seedFromEnv(42), commands: 6_000, checkEvery: 250 }).tally;
  });

  it('engine, model, follower and restored engine agree, and every kind of event occurred', () => {
    expect(Object.keys(tally.events).sort()).toEqual([
      'fee',
      'fee and rebate',
      'market-closed',
      'market-listed',
      'not as bytes',
      'order-accepted',
      'order-cancelled',
      'order-replayed',
      'order-restored',
      'resolution-changed',
      'trade-failed',
      'trade-matched',
      'trade-moved',
    ]);
  });

  it('every refusal of the engine occurred', () => {
    expect(Object.keys(tally.refusals).sort()).toEqual([
      'expiration_too_soon',
      'fok_not_filled',
      'market_already_listed',
      'market_closed',
      'market_not_found',
      'nonce_already_used',
      'order_not_found',
      'order_not_open',
      'order_not_yours',
      'trade_move_refused',
      'trade_not_found',
      'would_cross',
    ]);
  });
});
