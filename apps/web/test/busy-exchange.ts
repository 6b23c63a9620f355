// A sandbox on two chains that has been through a lot: many orders, a reorganization, an unreachable chain, failing settlements, a kill.
import {
  createPublicClient,
  createSandboxClient,
  createTradingClient,
  PlacedOrder,
  type SandboxFaults,
} from '@presage/sdk';
import type { KeptReceipt } from '@presage/sdk/verify';
import { openSandbox, type SandboxProcess, SeededRandom, waitFor, walletOf } from '@presage/testkit';

const ENV = { PRESAGE_SANDBOX_CHAINS: '2', PRESAGE_ANCHOR_MINUTES: '0.05' };
export const CHAINS = [31_337, 31_338] as const;
const WALLETS = ['busy ann', 'busy ben', 'busy cem', 'busy dia'] as const;
/** Two at least between each two troubles, so that different wallets meet. */
const BATCH = 12;

interface BusyOptions {
  readonly orders: number;
  readonly seed: number;
}

export class BusyExchange {
  readonly receipts: KeptReceipt[] = [];
  readonly #random: SeededRandom;
  readonly #orders: number;
  readonly #markets: string[] = [];
  #sandbox: SandboxProcess;

  private constructor(sandbox: SandboxProcess, { orders, seed }: BusyOptions) {
    this.#sandbox = sandbox;
    this.#orders = orders;
    this.#random = new SeededRandom(seed);
  }

  static async open(options: BusyOptions): Promise<BusyExchange> {
    return new BusyExchange(await openSandbox({ env: ENV }), options);
  }

  get url(): string {
    return this.#sandbox.url;
  }

  /** The nodes of all chains, in the order of CHAINS. */
  async rpcUrls(): Promise<string[]> {
    const { chains } = await createPublicClient({ url: this.url }).getConfig();
    return chains.flatMap(({ rpcUrl }) => rpcUrl ?? []);
  }

  /** A fifth of the orders between each two troubles. */
  async live(): Promise<void> {
    for (const chainId of CHAINS) {
      const { id } = await this.#controls().createMarket({
        question: `Busy on ${chainId}?`,
        chainId,
        expiresIn: 86_400,
      });
      this.#markets.push(id);
    }
    const part = Math.ceil(this.#orders / 5);
    await this.trade(part);
    await this.#suffer({ reorgDepth: 2 }, part);
    await this.#suffer({ chain: 'down' }, part);
    await this.#suffer({ settlement: 'revert' }, part);
    await this.#sandbox.killGroup();
    this.#sandbox = await openSandbox({ dataDir: this.#sandbox.dataDir, env: ENV });
    await this.trade(part);
    await this.settle();
    for (const chainId of CHAINS) await this.#anchored(chainId);
  }

  /** Orders of random wallets on both sides of the middle, with some cancellations; every receipt is kept. */
  async trade(count: number): Promise<void> {
    for (let left = count; left > 0; left -= BATCH) {
      const client = createTradingClient({ url: this.url, account: walletOf(this.#random.pick(WALLETS)) });
      const orders = Array.from({ length: Math.min(BATCH, left) }, () => this.#order());
      const placed = (await client.placeOrders(orders)).filter((each) => each instanceof PlacedOrder);
      for (const { orderHash, receipt } of placed) if (receipt) this.receipts.push({ orderHash, receipt });
      const open = placed.filter(({ orderStatus }) => orderStatus === 'open');
      if (open.length > 0)
        await this.#random
          .pick(open)
          .cancel()
          .catch(() => undefined);
    }
  }

  async settle(): Promise<void> {
    const reader = createPublicClient({ url: this.url });
    const isQuiet = async () => (await reader.listPendingTrades()).count === 0;
    await waitFor('no trade is on its way', isQuiet, { timeoutMs: 600_000 });
  }

  close(): Promise<void> {
    return this.#sandbox.discard();
  }

  #order() {
    const side = this.#random.pick(['buy', 'sell'] as const);
    const price = side === 'buy' ? this.#random.int(40, 52) : this.#random.int(48, 60);
    const outcome = this.#random.pick(['YES', 'NO'] as const);
    const marketId = this.#random.pick(this.#markets);
    return { marketId, side, outcome, price: `${price}c`, size: String(this.#random.int(1, 9)) } as const;
  }

  async #suffer(faults: SandboxFaults, orders: number): Promise<void> {
    await this.#controls().setFaults({ ...faults, chainId: this.#random.pick(CHAINS) });
    await this.trade(orders);
    for (const chainId of CHAINS) await this.#controls().setFaults({ chain: 'up', settlement: 'normal', chainId });
  }

  async #anchored(chainId: number): Promise<void> {
    const reader = createPublicClient({ url: this.url });
    const isMade = async () => (await reader.listAnchors({ chain_id: chainId })).count > 0;
    await waitFor(`the journal is anchored on ${chainId}`, isMade, { timeoutMs: 90_000 });
  }

  #controls() {
    return createSandboxClient({ url: this.url });
  }
}
