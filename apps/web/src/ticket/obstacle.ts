// Finds the reason why an order cannot be placed now, and the action that fixes it.
import type { Market, ServiceConfig } from '@presage/sdk';
import { exactShares, money, moneyUp } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import type { AccountState } from '../wallet/account.ts';
import type { TicketOrder, TicketReading } from './ticket-order.ts';

export interface Obstacle {
  readonly state: 'stale' | 'closed' | 'no-wallet' | 'incomplete' | 'short' | 'setup';
  /** The cause, short enough for the button. */
  readonly button: string;
  /** Remedy, for the note below the button. */
  readonly text: string;
  /** True if the input is wrong, rather than missing. */
  readonly isFault?: boolean;
  readonly fix?: 'demo-wallet' | 'injected-wallet' | 'fund' | 'set-up';
}

export interface Situation {
  readonly isStale: boolean;
  readonly market: Market | undefined;
  readonly nowSeconds: number;
  readonly account: AccountState;
  /** False while neither outcome is chosen. */
  readonly isPicked: boolean;
  readonly reading: TicketReading;
  readonly config: ServiceConfig;
}

export function findObstacle(situation: Situation): Obstacle | undefined {
  return aboutService(situation) ?? aboutWallet(situation) ?? aboutOrder(situation);
}

function aboutService({ isStale, market, nowSeconds }: Situation): Obstacle | undefined {
  if (isStale || market === undefined) {
    const text = isStale ? 'Reconnecting. Orders can be placed when the book is live again.' : 'The market is loading.';
    return { state: 'stale', button: 'Waiting for live prices', text };
  }
  if (market.paused) {
    const text = 'The operator has paused this market. Your open orders stay, and can be cancelled.';
    return { state: 'closed', button: 'Trading is paused', text };
  }
  const closes = Number(market.expiration);
  if (market.status === 'open' && closes > nowSeconds) return undefined;
  // A result proposed early, or the operator, has closed the market before its end.
  const isEarly = closes > nowSeconds;
  const how = isEarly
    ? 'Trading stopped before the end of this market'
    : `This market closed at ${drawTime(closes, nowSeconds)}`;
  return { state: 'closed', button: 'Trading is closed', text: `${how}. Pick one that is open.` };
}

function aboutWallet({ account, config }: Situation): Obstacle | undefined {
  if (!account.wallet) {
    // A demo wallet keeps its key in the browser, which is acceptable only for test money.
    return config.sandbox
      ? {
          state: 'no-wallet',
          button: 'No wallet',
          text: 'A wallet in this browser, one click, no extension.',
          fix: 'demo-wallet',
        }
      : {
          state: 'no-wallet',
          button: 'No wallet',
          text: 'Everything can be read without one.',
          fix: 'injected-wallet',
        };
  }
  // The sandbox funds and approves wallets before a fill settles; elsewhere a fill fails without the setup.
  if (config.sandbox || account.setup === 'ready' || account.setup === 'unknown') return undefined;
  if (account.setup === 'working') {
    return { state: 'setup', button: 'Setting up', text: 'Setting up the wallet: a few seconds, no gas.' };
  }
  const text = 'Once for each wallet: a few signatures, no gas.';
  return { state: 'setup', button: 'Not set up yet', text, fix: 'set-up' };
}

function aboutOrder({ isPicked, market, reading, account, config }: Situation): Obstacle | undefined {
  if (!isPicked) return { state: 'incomplete', button: 'Pick Up or Down', text: 'New window, new price to beat.' };
  if (reading.order === undefined) {
    const isMissing = reading.problem === 'Enter an amount';
    const text = isMissing ? 'One signature. No gas to pay.' : `${reading.problem}.`;
    return {
      state: 'incomplete',
      button: isMissing ? 'Enter an amount' : 'Check the order',
      text,
      isFault: !isMissing,
    };
  }
  const { atMost, fills, params } = reading.order;
  if (params.timeInForce === 'IOC' && fills.filled === 0n) {
    const text = 'Nothing is on the other side near this price. Place a limit order.';
    return { state: 'incomplete', button: 'Nothing to fill', text, isFault: true };
  }
  const { minOrderSize = 0 } = config.chains.find(({ chainId }) => chainId === market?.chainId) ?? {};
  if (reading.order.size < minOrderSize) return tooSmall(reading.order, BigInt(minOrderSize));
  const available = BigInt(account.balances?.available ?? 0);
  if (account.balances === undefined || atMost <= available) return undefined;
  const text = `This takes ${moneyUp(atMost)}. Order less${config.sandbox ? ', or get test money' : ''}.`;
  const button = `You have ${money(available)}`;
  return { state: 'short', button, text, isFault: true, ...(config.sandbox && { fix: 'fund' as const }) };
}

/** Too small an order. An immediate order may be too small only because the book offers little. */
function tooSmall({ size, wish }: TicketOrder, least: bigint): Obstacle {
  const [offered, fix] = wish < least ? ['This is', 'Order more'] : ['The book fills', 'Place a limit order'];
  const text = `${offered} ${exactShares(size)} shares, and the minimum is ${exactShares(least)}. ${fix}.`;
  return { state: 'incomplete', button: `At least ${exactShares(least)}`, text, isFault: true };
}
