// Reports events of the wallet in all its markets, whichever screen is open, and those that happened while the page was closed.
import type { ClaimUpdate, OpenOrder, ServiceConfig, UserActivity, WatchUserEvent } from '@presage/sdk';
import { useEffect } from 'react';
import { cents, money, shares } from '../lib/format.ts';
import { type OutcomeNames, outcomeOf, PLAIN_NAMES, QUICK_NAMES } from '../lib/outcomes.ts';
import { keep, recall } from '../state/kept.ts';
import { type Page, usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart } from '../state/store.ts';

/** Use this hook once per page. */
export function useWalletNotices(): void {
  const page = usePage();
  const { chains } = useConfig();
  const address = usePart(page.account.state, ({ wallet }) => wallet?.address);
  useEffect(() => {
    if (address === undefined) return;
    const teller = new WalletTeller(page, address, chains);
    void teller.catchUp();
    return page.account.listen((event) => void teller.tell(event));
  }, [page, address, chains]);
}

type OwnTrade = UserActivity['activity'][number];
type Terms = Pick<OwnTrade, 'side' | 'size' | 'outcome' | 'price'>;
type TradeStatus = Extract<WatchUserEvent, { type: 'trade_status' }>['data'];

/** Number of the newest trades that are searched for missed ones. */
const LOOKED_AT = 50;

class WalletTeller {
  readonly #page: Page;
  readonly #address: string;
  readonly #chains: ServiceConfig['chains'];
  readonly #markets = new Map<string, Promise<{ readonly names: OutcomeNames; readonly question: string }>>();

  constructor(page: Page, address: string, chains: ServiceConfig['chains']) {
    this.#page = page;
    this.#address = address;
    this.#chains = chains;
  }

  async tell(event: WatchUserEvent): Promise<void> {
    if (event.type === 'order') await this.#onOrder(event.data);
    else if (event.type === 'fill') this.#see(event.data.id);
    else if (event.type === 'trade_status') await this.#onTradeStatus(event.data);
    else if (event.type === 'claim') await this.#onClaim(event.data);
    else if (event.type === 'gap') await this.catchUp();
  }

  /** Reports fills of resting orders that happened while the page was closed; none on the first visit. */
  async catchUp(): Promise<void> {
    const read = ({ chainId }: { readonly chainId: number }) =>
      this.#page.reader.getUserActivity(this.#address, { chain_id: chainId, limit: LOOKED_AT }).catch(() => undefined);
    const lists = await Promise.all(this.#chains.map(read));
    // An incomplete read reports nothing; the next one does.
    if (lists.includes(undefined)) return;
    const trades = lists.flatMap((each) => each?.activity ?? []);
    const seen = this.#seen();
    this.#see(Math.max(0, ...trades.map(({ id }) => id)));
    const missed = trades.filter(({ id, role }) => seen !== undefined && role === 'maker' && id > seen);
    for (const trade of missed.sort((a, b) => a.id - b.id)) {
      const { names } = await this.#market(trade.marketId);
      const text = `While you were away. ${trade.marketQuestion}`;
      this.#page.notices.add({ id: `trade ${trade.id}`, title: tradeText(trade, names), text });
    }
  }

  async #onOrder(order: OpenOrder): Promise<void> {
    // Called before the list of orders changes, so an order in it was resting.
    const before = this.#page.account.state.get().orders?.find(({ orderHash }) => orderHash === order.orderHash);
    const filled = BigInt(before?.remainingSize ?? order.remainingSize) - BigInt(order.remainingSize);
    if (filled <= 0n || order.status === 'cancelled') return;
    const { names, question } = await this.#market(order.marketId);
    const left = BigInt(order.remainingSize);
    const rest =
      left === 0n ? `Your ${order.side === 0 ? 'bid' : 'ask'} was filled.` : `${shares(left)} still rest in the book.`;
    this.#page.toasts.show({
      key: `fill ${order.orderHash}`,
      id: `fill ${order.orderHash} ${left}`,
      tone: 'ok',
      title: tradeText({ ...order, size: filled }, names),
      text: `${rest} ${question}`,
    });
  }

  /** Reports settlements of resting orders, and failures that the order tracker does not report. */
  async #onTradeStatus(trade: TradeStatus): Promise<void> {
    const { id, status, maker, side } = trade;
    const isMaker = maker.toLowerCase() === this.#address.toLowerCase();
    const isTold = this.#page.orderTracker.follows(id);
    if (status === 'pending' || (status === 'confirmed' ? !isMaker : isTold)) return;
    const { names, question } = await this.#market(trade.marketId);
    const text = tradeText({ ...trade, side: isMaker ? oppositeOf(side) : side }, names);
    if (status === 'confirmed') {
      this.#page.notices.add({ id: `settled ${id}`, title: `Settled: ${text}`, text: question });
    } else {
      const why = `${trade.reason ?? 'The chain refused it'}. No money moved for it. ${question}`;
      this.#page.toasts.show({
        key: `failed ${id}`,
        id: `failed ${id}`,
        tone: 'bad',
        title: `Failed: ${text}`,
        text: why,
      });
    }
  }

  /** Adds only a notice, because the tab that claims shows its own message. */
  async #onClaim({ marketId, txHash, payout, status, reason }: ClaimUpdate): Promise<void> {
    if (status !== 'confirmed' && status !== 'failed') return;
    const { question } = await this.#market(marketId);
    const isPaid = status === 'confirmed';
    this.#page.notices.add({
      id: `claim ${txHash} ${marketId} ${status}`,
      title: `${money(payout)} ${isPaid ? 'paid out' : 'not paid out'}`,
      text: isPaid ? question : `${reason ?? 'The redemption failed'}. It can be redeemed again. ${question}`,
    });
  }

  #market(marketId: string) {
    const known = this.#markets.get(marketId);
    const found =
      known ??
      this.#page.reader.getMarket(marketId).then(
        ({ kind, question }) => ({ names: kind === 'quick' ? QUICK_NAMES : PLAIN_NAMES, question }),
        () => ({ names: PLAIN_NAMES, question: '' }),
      );
    this.#markets.set(marketId, found);
    return found;
  }

  /** Id of the newest trade reported or seen. Trade ids grow with time. */
  #seen(): number | undefined {
    // `#see` stores a number under this key.
    return recall(this.#seenKey()) as number | undefined;
  }

  #see(id: number): void {
    keep(this.#seenKey(), Math.max(id, this.#seen() ?? 0));
  }

  #seenKey(): string {
    return `presage.seen ${this.#address.toLowerCase()}`;
  }
}

function oppositeOf(side: Terms['side']): Terms['side'] {
  return side === 0 ? 1 : 0;
}

/** Text of a trade: `Bought 60 YES at 40.0¢`. */
function tradeText({ side, size, outcome, price }: Terms, names: OutcomeNames): string {
  return `${side === 0 ? 'Bought' : 'Sold'} ${shares(size)} ${names[outcomeOf(outcome)]} at ${cents(price)}`;
}
