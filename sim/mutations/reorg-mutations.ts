// Named bugs around reorganizations, and in a start after a kill.
import type { Mutation } from './mutation.ts';

const SETTLEMENT = 'apps/server/src/settlement';

export const REORG_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a failed fill that settles after all is not recorded',
    file: `${SETTLEMENT}/left-fills.ts`,
    find: "await note({ type: 'trade-revived', timeMs: clock.nowMs(), marketId, tradeId, stage, settlement: place });",
    replace: 'void [note, clock, marketId];',
  },
  {
    name: 'a trader is blamed for an order that the chain has filled already',
    file: `${SETTLEMENT}/fill-fault.ts`,
    find: "return { faultParty: 'chain', isFinal: true, reason, overfilled: party };",
    replace: 'return { faultParty: party, isFinal: true, reason };',
  },
  {
    name: 'the trades of a quick market that left the chain are tried on and on',
    file: 'apps/server/src/quick/quick-chain.ts',
    find: 'if (attempts.length === 0 || attempts.some(({ stage }) => !isGivenUp(stage))) return false;',
    replace: 'if (attempts.length >= 0) return false;',
  },
  {
    name: 'a returned trade is sent again while its first batch waits for another block',
    noticedBy: 'apps/server/test/settlement/left-fills.test.ts',
    file: `${SETTLEMENT}/left-fills.ts`,
    find: "if (stage !== 'submitted' && stage !== 'retrying') return;",
    replace: "if (stage !== 'reserved') return;",
  },
  {
    name: 'an order is cancelled whose permit lost its block',
    noticedBy: 'apps/server/test/wallets/permit-reorg.test.ts',
    file: 'apps/server/src/wallets/holdings-reader.ts',
    find: 'lostAllowance: BigInt(lostAllowance),',
    replace: 'lostAllowance: 0n * BigInt(lostAllowance),',
  },
  {
    name: 'a buyer is blamed whose permit lost its block',
    noticedBy: 'apps/server/test/settlement/permit-reorg.test.ts',
    file: `${SETTLEMENT}/simulated-judgement.ts`,
    find: 'judgeBatch(planned, rechecked, unmined, lost)',
    replace: 'judgeBatch(planned, rechecked, unmined, lost && new Set())',
  },
  {
    name: 'a buyer is blamed whose fill was mined before the permit',
    noticedBy: 'apps/server/test/settlement/permit-reorg.test.ts',
    file: `${SETTLEMENT}/settlement.ts`,
    find: 'touches(trade, unmined) || this.#reliesOnUnconfirmed(trade);',
    replace: 'touches(trade, unmined) || (this.#reliesOnUnconfirmed(trade) && false);',
  },
  {
    name: 'a start writes into a segment whose name may not be durable',
    noticedBy: 'packages/journal/test/power-loss.test.ts',
    file: 'packages/journal/src/file/segment-writer.ts',
    find: 'await options.files.syncDir(options.dir);',
    replace: '',
  },
];
