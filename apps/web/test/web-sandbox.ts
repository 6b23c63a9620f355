// One running sandbox for the page's tests: separate markets, and wallets for the other side.
import {
  createPublicClient,
  createSandboxClient,
  createTradingClient,
  type Market,
  type OutcomeName,
} from '@presage/sdk';
import { openSandbox, type SandboxProcess, walletOf, withoutQuickMarkets } from '@presage/testkit';

export interface Quote {
  readonly outcome?: OutcomeName;
  readonly side: 'buy' | 'sell';
  /** `'55c'`. */
  readonly price: string;
  readonly size: string;
}

/** Two-sided, deep enough not to count as thin, the same for YES and NO. */
const USUAL_BOOK: readonly Quote[] = [
  ...(['55', '56', '57', '58.5'] as const).map((price) => ({ side: 'sell' as const, price: `${price}c`, size: '300' })),
  ...(['53', '52', '51', '49.5'] as const).map((price) => ({ side: 'buy' as const, price: `${price}c`, size: '300' })),
  { outcome: 'NO', side: 'sell', price: '47c', size: '300' },
  { outcome: 'NO', side: 'buy', price: '45c', size: '300' },
];

export class WebSandbox {
  readonly process: SandboxProcess;
  readonly reader;
  readonly controls;

  private constructor(process: SandboxProcess) {
    this.process = process;
    this.reader = createPublicClient({ url: process.url });
    this.controls = createSandboxClient({ url: process.url });
  }

  /** Without quick markets, unless `env` names some: see `QUICK_MARKETS`. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<WebSandbox> {
    return new WebSandbox(await openSandbox(withoutQuickMarkets({ env })));
  }

  get url(): string {
    return this.process.url;
  }

  client(name: string) {
    return createTradingClient({ url: this.url, account: walletOf(name) });
  }

  newMarket(question: string, expiresIn = 30 * 86_400): Promise<Market> {
    return this.controls.createMarket({ question, expiresIn });
  }

  /** Orders of a maker, all accepted when this resolves. */
  async quote(marketId: string, quotes: readonly Quote[] = USUAL_BOOK, maker = 'maker'): Promise<void> {
    const placed = await this.client(maker).placeOrders(quotes.map((quote) => ({ marketId, ...quote })));
    const refused = placed.find((each) => each instanceof Error);
    if (refused instanceof Error) throw refused;
  }

  close(): Promise<void> {
    return this.process.discard();
  }
}
