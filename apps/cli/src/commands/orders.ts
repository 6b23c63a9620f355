// `presage order`, `orders` and `cancel`: the wallet's own orders.
import {
  type OpenOrder,
  type OrderParams,
  type OrderPreview,
  type PlacedOrder,
  PresageApiError,
  PresageConnectionError,
  type SettlementResult,
  type TradingClient,
} from '@presage/sdk';
import { type Call, command, option, required } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime, parseDuration } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket, shortId } from '../find-market.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';
import {
  definedOnly,
  drawAmount,
  drawFee,
  drawPrice,
  outcomeName,
  parseOutcome,
  parseSide,
  sideName,
  throwIfFailed,
} from '../values.ts';

interface OrderOptions {
  readonly market: string;
  readonly tif?: NonNullable<OrderParams['timeInForce']>;
  readonly postOnly?: true;
  readonly reduceOnly?: true;
  readonly expires?: string;
  readonly wait?: true;
  readonly preview?: true;
}

interface CancelOptions {
  readonly all?: true;
  readonly market?: string;
}

const TERMS = /^([^\s@]+)\s*(?:@|\s)\s*([^\s@]+)$/;

const COLUMNS: readonly Column<OpenOrder>[] = [
  { title: 'ORDER', cell: ({ orderHash }) => orderHash },
  { title: 'MARKET', cell: ({ marketId }) => shortId(marketId) },
  { title: 'SIDE', cell: ({ side, outcome }) => `${sideName(side)} ${outcomeName(outcome)}` },
  { title: 'PRICE', cell: ({ price }) => drawPrice(price), isFigure: true },
  { title: 'LEFT', cell: ({ remainingSize }) => drawAmount(remainingSize), isFigure: true },
  { title: 'OF', cell: ({ size }) => drawAmount(size), isFigure: true },
  { title: 'PLACED (UTC)', cell: ({ createdAt }) => drawTime(createdAt) },
];

export const ORDERS = [
  command(
    'order <side> <outcome> <terms...>',
    'place an order: presage order buy yes 10 @ 0.55 --market "words of its question"',
    placeOrder,
    required('--market <market>', 'id or its beginning, BTC or ETH for the quick market, or words of the question'),
    option(
      '--tif <tif>',
      'GTC rests until it expires (default), IOC cancels what does not fill immediately, FOK fills completely or not at all',
    ).choices(['GTC', 'IOC', 'FOK']),
    option('--post-only', 'refuse the order if it would trade immediately'),
    option('--reduce-only', 'sell only shares that the wallet holds; never mint a short'),
    option('--expires <duration>', 'time from now until it expires (1d)'),
    option('--wait', 'wait until its trades are final on the chain'),
    option('--preview', 'show what the order would do, without placing it'),
  ),
  command(
    'orders',
    'list the open orders of the wallet',
    listOrders,
    option('--market <market>', 'only orders in this market'),
  ),
  command(
    'cancel [orderHash]',
    'cancel an order, or with --all every open order of the wallet',
    cancelOrders,
    option('--all', 'cancel every open order'),
    option('--market <market>', 'with --all: only orders in this market'),
  ),
];

async function placeOrder({ context, args, options }: Call<OrderOptions>): Promise<void> {
  const params = await toOrderParams(context, args, options);
  const trader = await context.trader();
  const { signal, output } = context;
  if (options.preview) {
    const preview = await trader.previewOrder(params, { signal });
    output.show(preview, () => drawPreview(preview));
    return;
  }
  const placed = await sendOrder(context, trader, params);
  // Reported before the wait, which may end without an answer: placing the order again would create a second one.
  if (options.wait) output.note(`order ${placed.orderHash}: placed, waiting for the chain`);
  const settled = options.wait ? await placed.waitForSettlement({ signal }) : undefined;
  const answer = { ...toAnswer(placed), ...settled };
  output.showFacts(answer, placedFacts(placed, settled));
  throwIfFailed(settled?.failed ?? []);
}

/** If a signed order gets no answer, it may have been placed, so the trader is told to check before placing another. */
async function sendOrder({ signal, output }: Context, trader: TradingClient, params: OrderParams) {
  let isSigned = false;
  const onSigned = () => {
    isSigned = true;
  };
  try {
    return await trader.placeOrder(params, { signal, onSigned });
  } catch (error) {
    if (isSigned && isInDoubt(error))
      output.note(
        'the order may have been placed: check `presage orders` and `presage positions` before placing it again',
      );
    throw error;
  }
}

/** Errors after which the order may have been placed: the service lost its disk, or the node that owns the market, and does not know. */
const IN_DOUBT: ReadonlySet<string> = new Set(['journal_unavailable', 'partition_unavailable', 'internal']);

function isInDoubt(error: unknown): boolean {
  if (error instanceof PresageApiError) return IN_DOUBT.has(error.code);
  return error instanceof PresageConnectionError;
}

async function toOrderParams(context: Context, args: readonly string[], options: OrderOptions): Promise<OrderParams> {
  const [side = '', outcome = '', ...terms] = args;
  const [, size, price] = TERMS.exec(terms.join(' ')) ?? [];
  if (size === undefined || price === undefined) {
    throw new UsageError(`"${terms.join(' ')}" is not a size and a price`, 'Write 10 @ 0.55, or 10 @ 55c.');
  }
  const words = { side: parseSide(side), outcome: parseOutcome(outcome), size, price };
  const market = await findMarket(context, options.market);
  context.output.note(`market ${market.id} ${plain(market.question)}`);
  const { tif: timeInForce, postOnly, reduceOnly, expires } = options;
  const expiresIn = expires === undefined ? undefined : parseDuration(expires);
  return { marketId: market.id, ...words, ...definedOnly({ timeInForce, postOnly, reduceOnly, expiresIn }) };
}

function toAnswer({ order, orderHash, orderStatus, matches, filledSize, remainingSize, trades }: PlacedOrder) {
  return { orderHash, marketId: order.marketId, orderStatus, matches, filledSize, remainingSize, trades };
}

function placedFacts(placed: PlacedOrder, settled: SettlementResult | undefined): Record<string, string> {
  const fills = placed.trades.map(
    ({ price, size, fee = 0 }) => `${drawAmount(size)} at ${drawPrice(price)}${drawFee(fee)}`,
  );
  const hashes = new Set([...(settled?.settled ?? [])].map(({ txHash }) => txHash));
  return {
    order: placed.orderHash,
    status: placed.orderStatus,
    filled: [drawAmount(placed.filledSize), ...(fills.length === 0 ? [] : [`(${fills.join(', ')})`])].join(' '),
    left: drawAmount(placed.remainingSize),
    ...(settled && { settled: [...hashes].join(', ') || 'nothing to settle' }),
    ...(settled?.failed.length && { failed: settled.failed.map(({ reason = '' }) => plain(reason)).join('; ') }),
  };
}

function drawPreview({ errors, wouldMatch }: OrderPreview): string {
  if (errors.length > 0) return errors.map(({ code, error }) => `would be refused: ${error} (${code})`).join('\n');
  const { filledSize = 0, remainingSize = 0, cost = 0, fee = 0 } = wouldMatch ?? {};
  return `would fill ${drawAmount(filledSize)} for ${drawAmount(cost)}${drawFee(fee)}, and leave ${drawAmount(remainingSize)} on the book`;
}

async function listOrders({ context, options }: Call<{ readonly market?: string }>): Promise<void> {
  const { account } = await context.wallet();
  const market = options.market === undefined ? undefined : (await findMarket(context, options.market)).id;
  const list = await context.reader.listOrders(account.address, definedOnly({ market }), { signal: context.signal });
  context.output.showTable(list, { columns: COLUMNS, rows: list.orders, empty: 'no open orders' });
}

async function cancelOrders({ context, args: [orderHash], options }: Call<CancelOptions>): Promise<void> {
  if ((orderHash === undefined) === (options.all === undefined)) {
    throw new UsageError(
      'an order hash or --all is required, not both',
      'Give the hash of one order, or --all for every order.',
    );
  }
  const { signal, output } = context;
  const marketId = options.market === undefined ? undefined : (await findMarket(context, options.market)).id;
  const trader = await context.trader();
  const given = definedOnly({ signal, marketId });
  if (orderHash !== undefined) {
    const cancelled = await trader.cancel(orderHash, given);
    output.show(cancelled, () => `cancelled with ${drawAmount(cancelled.remainingSize)} unfilled`);
    return;
  }
  const cancelled = await trader.cancelAll(given);
  output.show(cancelled, () => `cancelled ${cancelled.count} orders`);
}
