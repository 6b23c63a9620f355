// Everything a trader does on the page, in a real browser against a real sandbox; each area has markets of its own.
import { CHROMIUM } from '@presage/testkit/chromium';
import { describe } from 'vitest';
import { usePlace, Visitor } from './place.ts';
import { testAccount } from './traders/account.ts';
import { testApprovals } from './traders/approvals.ts';
import { testButtonPromise } from './traders/button-promise.ts';
import { testCarefulTicket } from './traders/careful-ticket.ts';
import { testCheapestWay } from './traders/cheapest-way.ts';
import { testClaims } from './traders/claims.ts';
import { testEvents } from './traders/events.ts';
import { testExtension } from './traders/extension.ts';
import { testFees } from './traders/fees.ts';
import { testMarketPage } from './traders/market-page.ts';
import { testMoney } from './traders/money.ts';
import { testTrade } from './traders/trade.ts';
import { testTwoPeople } from './traders/two-people.ts';

describe.skipIf(CHROMIUM === undefined)('traders', () => {
  const place = usePlace();
  // Nothing shows their own time unless they ask for it.
  const trader = new Visitor(place, { timezoneId: 'Asia/Tokyo' });
  testTrade(place, trader);
  testMarketPage(place, trader);
  testMoney(place, trader);
  testFees(place, trader);
  testEvents(place, trader);
  testCheapestWay(place, trader);
  testApprovals(place, trader);
  testButtonPromise(place);
  testCarefulTicket(place);
  // These travel in time.
  const holder = new Visitor(place);
  testAccount(place, holder);
  testTwoPeople(place, holder, trader);
  testExtension(place);
  testClaims(place);
});
