// Named bugs in admission of failing orders, and in fees.
import type { Mutation } from './mutation.ts';

const ADMISSION = 'apps/server/src/admission/admission.ts';
const FEES = 'packages/protocol/src/core/fees.ts';

export const TRADING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an order that somebody else signed is accepted',
    file: ADMISSION,
    find: 'refuse(identified.fault ?? stops?.checkTrader(trader) ?? checkHalt(identified.signed, served.chain));',
    replace: 'refuse(stops?.checkTrader(trader) ?? checkHalt(identified.signed, served.chain));',
  },
  {
    name: 'an order that ends too soon is accepted',
    noticedBy: 'apps/server/test/admission/admission.test.ts',
    file: ADMISSION,
    find: 'refuse(fieldFault ?? checkMarket(candidate, nowSeconds, stops));',
    replace: 'refuse(checkMarket(candidate, nowSeconds, stops));\n    void fieldFault;',
  },
  {
    name: 'an order that its wallet cannot pay is accepted',
    file: ADMISSION,
    find: 'return fault !== undefined && funds.isNonceUsed(signed) ? undefined : fault;',
    replace: 'void fault;\n  return undefined;',
  },
  {
    name: 'what an order had reserved stays reserved when it was placed or refused',
    file: ADMISSION,
    find: 'fundsFor(signed, chain)?.release(signed);',
    replace: '',
  },
  {
    name: 'an order that is known is judged anew',
    noticedBy: 'apps/server/test/admission/admission.test.ts',
    file: ADMISSION,
    find: 'if (answer !== undefined) return { answer, replayed: true };',
    replace: 'void answer;',
  },
  {
    name: 'no fee is charged',
    file: FEES,
    find: 'if (feeRateBps === 0) return NO_FEES;',
    replace: 'if (feeRateBps >= 0) return NO_FEES;',
  },
  {
    name: 'a fee is rounded down',
    file: FEES,
    find: 'return ((product + FEE_SCALE - 1n) / FEE_SCALE) as Collateral;',
    replace: 'return (product / FEE_SCALE) as Collateral;',
  },
  {
    name: "the maker's part of a fee is rounded up",
    file: FEES,
    find: 'return ((fee * BigInt(shareBps)) / BPS) as Collateral;',
    replace: 'return ((fee * BigInt(shareBps) + BPS - 1n) / BPS) as Collateral;',
  },
  {
    name: "the treasury gets what is the maker's",
    file: FEES,
    find: 'return rebate === 0n ? { fee: Number(fee) } :',
    replace: 'return rebate >= 0n ? { fee: Number(fee) } :',
  },
];
