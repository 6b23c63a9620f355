// One running sandbox as a test file uses it: its client, its markets, its chain, and what to wait for.
import {
  openSandbox,
  type SandboxOptions,
  type SandboxProcess,
  TestClient,
  waitFor,
  withoutQuickMarkets,
} from '@presage/testkit';
import { ChainReader } from './chain-reader.ts';
import type { MarketBody, PendingBody, PositionBody, TradeBody } from './wire.ts';

/** Four markets, and two events of five and six outcomes. */
const SEEDED_MARKETS = 15;

export class Exchange {
  readonly sandbox: SandboxProcess;
  readonly client: TestClient;
  readonly chain: ChainReader;

  private constructor(sandbox: SandboxProcess, client: TestClient, chain: ChainReader) {
    this.sandbox = sandbox;
    this.client = client;
    this.chain = chain;
  }

  /** Without quick markets, unless `env` names some: see `QUICK_MARKETS`. */
  static async open(options: SandboxOptions = {}): Promise<Exchange> {
    const sandbox = await openSandbox(withoutQuickMarkets(options));
    const client = await TestClient.open(sandbox.url);
    return new Exchange(sandbox, client, await ChainReader.open(sandbox));
  }

  /** On the same data, after it was stopped or killed. */
  async reopen(options: Omit<SandboxOptions, 'dataDir'> = {}): Promise<Exchange> {
    const { dataDir } = this.sandbox;
    return this.over(await openSandbox(withoutQuickMarkets({ ...options, dataDir })));
  }

  /** The same signer on the same chain, over a later run of the sandbox. */
  async over(sandbox: SandboxProcess): Promise<Exchange> {
    const { chainId } = this.client.domain;
    return new Exchange(sandbox, this.client.at(sandbox.url), await ChainReader.open(sandbox, chainId));
  }

  /** The same sandbox, with orders, markets and readings of another of its chains. */
  async on(chainId: number): Promise<Exchange> {
    const { sandbox } = this;
    const client = await TestClient.open(sandbox.url, chainId);
    return new Exchange(sandbox, client, await ChainReader.open(sandbox, chainId));
  }

  close(): Promise<void> {
    return this.sandbox.discard();
  }

  /** A market that no other test touches. */
  async newMarket(question: string, expiresIn = 30 * 86_400): Promise<MarketBody> {
    const { chainId } = this.client.domain;
    const { status, body } = await this.client.post<MarketBody>('/sandbox/markets', { question, expiresIn, chainId });
    if (status !== 200) throw new Error(`no market was made: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Moves the sandbox's clock. */
  async travel(advanceSeconds: number): Promise<void> {
    const { status, body } = await this.client.post('/sandbox/time', { advanceSeconds });
    if (status !== 200) throw new Error(`the clock did not move: ${status} ${JSON.stringify(body)}`);
  }

  /** The relayed transaction, once it is confirmed. */
  confirmed(hash: string): Promise<Readonly<Record<string, unknown>>> {
    return waitFor(`${hash} is confirmed`, async () => {
      const seen = await this.client.read<Record<string, unknown>>(`/api/v1/relayer/transactions/${hash}`);
      if (seen.status === 'failed') throw new Error(`${hash} failed: ${seen.error}`);
      return seen.status === 'confirmed' && seen;
    });
  }

  /** The markets of a first start are made in the background. */
  seededMarkets(): Promise<MarketBody[]> {
    return waitFor('the first markets are listed', async () => {
      const { markets } = await this.client.read<{ markets: MarketBody[] }>('/api/v1/markets?kind=standard');
      return markets.length >= SEEDED_MARKETS && markets;
    });
  }

  async trades(marketId: string): Promise<TradeBody[]> {
    return (await this.client.read<{ trades: TradeBody[] }>(`/api/v1/trades/${marketId}`)).trades;
  }

  async pending(): Promise<PendingBody[]> {
    return (await this.client.read<{ pendingTrades: PendingBody[] }>('/api/v1/pending-trades')).pendingTrades;
  }

  /** Every trade is confirmed or failed. */
  async settled(): Promise<void> {
    await waitFor('no trade is pending', async () => (await this.pending()).length === 0);
  }

  position(marketId: string, wallet: { readonly address: string }): Promise<PositionBody> {
    return this.client.read(`/api/v1/positions/${marketId}?user=${wallet.address}`);
  }

  /** What the position endpoint says and what the tokens on chain say, side by side. */
  async sharesBothWays(market: MarketBody, wallet: { readonly address: `0x${string}` }) {
    const { yesShares, noShares } = await this.position(market.id, wallet);
    const reported = { yes: BigInt(yesShares), no: BigInt(noShares) };
    return { reported, onChain: await this.chain.shares(market, wallet.address) };
  }
}
