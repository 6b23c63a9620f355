// Ids of shares are those that the contracts gave real markets.
import { expect, it } from 'vitest';
import { toOutcomeShareIds, toShareId } from '../src/index.ts';

/** Markets of a sandbox, as its chain listed them. */
const LISTED = [
  [
    '0x24e56323933c68248a9eb31bdaf1bb4a9fca81199624c1db5010195546b8bb68',
    '57874832506805458779053455957022609634245702444200552250336834893570926339916',
    '27723853453093316053509853423079814149789396273559805990028374996982621880275',
  ],
  [
    '0x3ece8f48d075e4198be90937bb8a0377d15844ffe89d352211286148cc087071',
    '78554682152658131340276818247406289126409982247698565010850766752526593817334',
    '87558511488838540763747349682785532362978423395425539055692995053698314760973',
  ],
] as const;
const STABLECOIN = '0x59c0ecf6700f3dcf5cc319fee7a93b47d67ec3ed';

it.each(LISTED)(
  'the shares of market %s have the ids that the contracts compute',
  (marketId, yesTokenId, noTokenId) => {
    expect(toOutcomeShareIds(STABLECOIN, marketId, 0, 2)).toEqual({ yesTokenId, noTokenId });
  },
);

it('an outcome of several has its bit as YES and all others as NO', () => {
  const [eventId] = LISTED[0];
  const { yesTokenId, noTokenId } = toOutcomeShareIds(STABLECOIN, eventId, 1, 3);
  expect(yesTokenId).toBe(toShareId(STABLECOIN, eventId, 2n));
  expect(noTokenId).toBe(toShareId(STABLECOIN, eventId, 5n));
});
