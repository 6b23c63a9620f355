// Why an order cannot be placed now, and the one action that fixes it.
import type { Market, ServiceConfig } from '@presage/sdk';
import { money } from '../lib/format.ts';
import type { TicketReading } from '../lib/ticket-order.ts';
import { drawTime } from '../lib/times.ts';
import type { AccountState } from './account.ts';

export interface Obstacle {
  readonly state: 'stale' | 'closed' | 'no-wallet' | 'incomplete' | 'short' | 'setup';
  readonly text: string;
  readonly fix?: 'demo-wallet' | 'injected-wallet' | 'fund' | 'set-up';
}

export interface Situation {
  readonly isStale: boolean;
  readonly market: Market | undefined;
  readonly nowSeconds: number;
  readonly account: AccountState;
  readonly reading: TicketReading;
  readonly config: ServiceConfig;
}

export function findObstacle(situation: Situation): Obstacle | undefined {
  return aboutService(situation) ?? aboutWallet(situation) ?? aboutOrder(situation);
}

function aboutService({ isStale, market, nowSeconds }: Situation): Obstacle | undefined {
  if (isStale) return { state: 'stale', text: 'Reconnecting. Orders can be placed when the book is live again.' };
  if (market === undefined) return { state: 'stale', text: 'Waiting for the market.' };
  const closes = Number(market.expiration);
  if (market.status === 'open' && closes > nowSeconds) return undefined;
  return { state: 'closed', text: `This market closed at ${drawTime(closes, nowSeconds)}. Pick one that is open.` };
}

function aboutWallet({ account, config }: Situation): Obstacle | undefined {
  if (!account.wallet) {
    // A key stored in a browser is for test money only.
    return config.sandbox
      ? { state: 'no-wallet', text: 'No wallet yet. A demo wallet takes one click.', fix: 'demo-wallet' }
      : { state: 'no-wallet', text: 'No wallet yet. Connect the one of your browser.', fix: 'injected-wallet' };
  }
  // The sandbox funds and approves wallets before a fill settles; elsewhere a fill would fail without it.
  if (config.sandbox || account.setup === 'ready' || account.setup === 'unknown') return undefined;
  if (account.setup === 'working') return { state: 'setup', text: 'Setting up the wallet: a few seconds, no gas.' };
  return { state: 'setup', text: 'Once for each wallet: sign two approvals, without gas.', fix: 'set-up' };
}

function aboutOrder({ reading, account, config }: Situation): Obstacle | undefined {
  if (reading.order === undefined) return { state: 'incomplete', text: `${reading.problem}.` };
  const { pays } = reading.order.outcomes;
  const available = BigInt(account.balances?.available ?? 0);
  if (account.balances === undefined || pays <= available) return undefined;
  const text = `This takes ${money(pays)} and ${money(available)} is free. Order less${config.sandbox ? ', or get test money' : ''}.`;
  return { state: 'short', text, ...(config.sandbox && { fix: 'fund' as const }) };
}
