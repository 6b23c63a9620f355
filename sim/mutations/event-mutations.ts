// Named bugs in reading an event's shares.
import type { Mutation } from './mutation.ts';

const EVENT_SHARES = 'apps/server/src/indexer/event-shares.ts';
const TRANSACTION_SHARES = 'apps/server/src/indexer/transaction-shares.ts';

export const EVENT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'collateral of positions of no market is not noted',
    file: EVENT_SHARES,
    find: 'if (left === 0n) moveCollateral(log, markets, -amount, transaction);',
    replace: 'void moveCollateral;',
  },
  {
    name: 'a conversion gives YES of the outcomes whose NO went',
    file: EVENT_SHARES,
    find: '{ yes: all ^ indexes, no: indexes }, amount, -amount);',
    replace: '{ yes: indexes, no: indexes }, amount, -amount);',
  },
  {
    name: 'what a conversion moved counts as transferred, too',
    file: TRANSACTION_SHARES,
    find: 'unclaimed.shares[0] -= yes;\n    unclaimed.shares[1] -= no;',
    replace: 'void [yes, no];',
  },
  {
    name: 'a redemption in an event pays each of its markets all of it',
    file: TRANSACTION_SHARES,
    find: 'const payout = payoutOf(burned, resolution);',
    replace: 'const payout = log.payout;',
    noticedBy: 'apps/server/test/indexer/event-shares.test.ts',
  },
];
