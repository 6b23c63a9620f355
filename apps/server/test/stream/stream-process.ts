// The stream in a process of its own, so that its memory is the service's alone; controlled over IPC.
import { BUY, DEFAULT_TERMS, type MarketId, type Side, toPrice, toSize, ZERO_ADDRESS } from '@presage/protocol';
import { marketFacts, placeOrder, TEST_MARKET, TRADERS } from '@presage/testkit';
import { RandomFlow } from './random-flow.ts';
import { openStreamFixture } from './stream-fixture.ts';

export type Order =
  | { readonly what: 'run'; readonly operations: number; readonly burst: number }
  | { readonly what: 'deepen'; readonly levels: number }
  | { readonly what: 'flicker'; readonly times: number }
  | { readonly what: 'close' };

export interface BookState {
  readonly step: number;
  readonly hashes: readonly [string, string];
}

export interface Report {
  readonly url: string;
  /** Where the random flow trades. */
  readonly busy: BookState;
  /** Where books are deep and nothing trades. */
  readonly deep: BookState;
  readonly connections: number;
  readonly residentBytes: number;
}

const DEEP_MARKET = `0x${'de'.repeat(32)}` as const;

let fixture: Awaited<ReturnType<typeof openStreamFixture>>;
let flow: RandomFlow;
let nonce = 1n << 40n;

function restingBid(level: number) {
  const order = {
    marketId: DEEP_MARKET,
    trader: TRADERS.alice,
    side: BUY as Side,
    outcome: 0 as const,
    nonce: ++nonce,
    price: toPrice(1_000 + level),
    size: toSize(1_000_000),
    makerFeeRecipient: ZERO_ADDRESS,
    expiration: BigInt(fixture.clock.nowSeconds + 86_400),
  };
  return placeOrder(order, { ...DEFAULT_TERMS, timeMs: 0 });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function carryOut(order: Order): Promise<void> {
  switch (order.what) {
    case 'run':
      for (let done = 0; done < order.operations; done += order.burst) {
        await flow.burst(order.burst);
        await turn();
      }
      break;
    case 'deepen':
      for (let level = 0; level < order.levels; level++) await fixture.host.submit(restingBid(level));
      break;
    case 'flicker':
      for (let i = 0; i < order.times; i++) {
        await fixture.host.submit(restingBid(i % 100));
        await turn();
      }
      break;
    case 'close':
      await fixture.close();
      process.exit(0);
  }
}

function stateOf(marketId: MarketId): BookState {
  const { reads } = fixture.host;
  return {
    step: reads.market(marketId)!.step,
    hashes: [reads.bookHash(marketId, 0), reads.bookHash(marketId, 1)],
  };
}

function report(): Report {
  return {
    url: fixture.url,
    busy: stateOf(TEST_MARKET),
    deep: stateOf(DEEP_MARKET),
    connections: fixture.stream.connections,
    residentBytes: process.memoryUsage.rss(),
  };
}

/** Awaits nothing at the top level: that runs from one script, which loads faster than modules. */
async function serve(): Promise<void> {
  fixture = await openStreamFixture();
  await fixture.commands.listMarket(marketFacts({ marketId: DEEP_MARKET }));
  flow = new RandomFlow(fixture, Number(process.argv[2]));
  process.on('message', (order: Order) => {
    void carryOut(order).then(() => process.send?.(report()));
  });
  // Its parent has exited.
  process.on('disconnect', () => process.exit(0));
  process.send?.(report());
}

void serve();
