// The tour that `npm run demo` prints: addresses to open, and a trade that cannot settle until a fault is repaired.
import { sleep } from '@presage/runtime';
import type { MarketEvent, PublicClient, SandboxClient, TradingClient } from '@presage/sdk';
import { drawCommand } from '../typed-command.ts';

export interface DemoTourOptions {
  readonly url: string;
  readonly reader: PublicClient;
  readonly sandbox: SandboxClient;
  /** A new wallet without any history. */
  readonly visitor: TradingClient;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Long enough that a batch is refused and the page shows it. */
const BROKEN_MS = 4_000;
const LOOK_EVERY_MS = 500;
const SIZE = '5';

export class DemoTour {
  readonly #options: DemoTourOptions;
  #step = 0;

  constructor(options: DemoTourOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { say, url } = this.#options;
    say('\n  A tour of what runs now. Open the addresses in a browser, or just read.\n');
    await this.#showEvents();
    this.#tell('Quick markets: does the price rise in these 15 minutes?', `${url}/quick/BTC`);
    await this.#breakAndHeal();
    this.#tell('The takers and the maker, ranked', `${url}/leaderboard`);
    this.#tell('Who was matched with whom, checked from outside', drawCommand('verify', url), `${url}/proof`);
    this.#tell('What an operator sees: failures, alarms, fees', `${url}/operator`);
    this.#tell('Guides and the reference of the API', `${url}/docs/guides`, `${url}/docs`);
    say('  The tour ends here; the exchange runs until you press Ctrl-C.\n');
  }

  async #showEvents(): Promise<void> {
    const { reader, url, signal } = this.#options;
    const events = await this.#until(async () => {
      const list = await reader.listEvents({}, { signal });
      return list.events.length > 1 ? list.events : undefined;
    });
    for (const event of events) this.#tell(drawEvent(event), `${url}/e/${event.id}`);
  }

  async #breakAndHeal(): Promise<void> {
    const { reader, sandbox, visitor, url, signal } = this.#options;
    const { marketId, price } = await this.#until(() => this.#findOffer());
    const { question } = await reader.getMarket(marketId, { signal });
    await sandbox.setFaults({ settlement: 'revert' }, { signal });
    try {
      const terms = { marketId, outcome: 'YES', side: 'buy', price, size: SIZE, timeInForce: 'IOC' } as const;
      const order = await visitor.placeOrder(terms, { signal });
      this.#tell(
        `A trade that fails: the settlement contract refuses everything, and somebody buys "${question}"`,
        `matched at once, not settled: ${order.orderHash}`,
        `${url}/m/${marketId}`,
      );
      await sleep(BROKEN_MS, signal);
      await sandbox.setFaults({ settlement: 'normal' }, { signal });
      const { settled, failed } = await order.waitForSettlement({ signal });
      const transactions = settled.flatMap(({ txHash }) => txHash ?? []);
      this.#tell(
        failed.length === 0
          ? 'It heals: the contract works again, and the same trade settled by itself'
          : 'The contract works again; this trade had failed for a reason of its own',
        ...transactions,
        drawCommand(`trace ${order.orderHash}`, url),
      );
    } finally {
      // An interrupted tour must not leave the exchange broken.
      await sandbox.setFaults({ settlement: 'normal' });
    }
  }

  /** The best offer of the first open market that has one. */
  async #findOffer(): Promise<{ readonly marketId: string; readonly price: bigint } | undefined> {
    const { reader, signal } = this.#options;
    const { markets } = await reader.listMarkets({ status: 'open', kind: 'standard' }, { signal });
    for (const { id } of markets) {
      const { asks } = await reader.getOrderbook(id, { outcome: 'YES' }, { signal });
      if (asks[0] !== undefined) return { marketId: id, price: BigInt(asks[0].price) };
    }
    return undefined;
  }

  /** Polls until there is a value: the first markets and quotes appear a moment after the start. */
  async #until<T>(read: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      await sleep(LOOK_EVERY_MS, this.#options.signal);
    }
  }

  #tell(what: string, ...places: readonly string[]): void {
    this.#step++;
    const lines = places.map((place) => `       ${place}`);
    this.#options.say([`  ${String(this.#step).padStart(2)}.  ${what}`, ...lines, ''].join('\n'));
  }
}

function drawEvent({ question, outcomes }: MarketEvent): string {
  return `An event of ${outcomes.length} outcomes, of which one wins: ${question}`;
}
