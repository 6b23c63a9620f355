// Quick markets on a private chain with the real contracts; the test controls prices, time and the end of the process.
import { type Contracts, createContracts, TransactionSender } from '@presage/chain';
import { priceOracleAbi, quickMarketAbi, quickMarketFactoryAbi } from '@presage/contracts';
import { priceOracleBytecode, quickMarketBytecode, quickMarketFactoryBytecode } from '@presage/contracts/bytecode';
import {
  type AssetFeeds,
  decodeRecord,
  encodeRecord,
  hashPriceUpdate,
  type MarketFacts,
  packPriceUpdate,
  type QuickMarketChanged,
  type QuickWindow,
  type SenderRecord,
} from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { encodeDeployData, type Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { InterceptedRpc } from '../../../../packages/chain/test/intercepted-rpc.ts';
import type { BoundaryUpdate } from '../../src/prices/ports.ts';
import { openQuickMarkets, openWindows, QuickIds, QuickLedger } from '../../src/quick/open.ts';
import type { QuickMarkets } from '../../src/quick/quick-markets.ts';
import type { WindowScheduler } from '../../src/quick/window-scheduler.ts';
import { createContext } from '../chain-context.ts';
import { ChainBench } from '../statistics/chain-bench.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const [owner, settler, feed] = [0, 1, 3].map((addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }));
const FEED_ID: Hex = `0x${'b7'.repeat(32)}`;
export const STRANGER: Hex = `0x${'57'.repeat(20)}`;

export class QuickBench {
  readonly chain: ChainBench;
  /** As the service sees the chain. */
  readonly rpc: InterceptedRpc;
  readonly contracts: Contracts;
  /** What the journal holds: it outlives every run. */
  readonly records: QuickMarketChanged[] = [];
  readonly listed = new Map<string, MarketFacts>();
  readonly #senderRecords: SenderRecord[] = [];
  /** Prices by boundary; the last one where none was set, and none where it is null. */
  readonly #prices = new Map<number, bigint | null>();
  #offsetSeconds = 0;
  #run:
    | { readonly service: QuickMarkets; readonly windows: WindowScheduler; readonly sender: TransactionSender }
    | undefined;
  #ledger = new QuickLedger();
  #isWriting = true;
  #stopping: Promise<void> = Promise.resolve();
  onAppend: (record: QuickMarketChanged) => void = () => undefined;

  private constructor(chain: ChainBench, contracts: Contracts) {
    this.chain = chain;
    this.rpc = new InterceptedRpc(chain.rpc);
    this.contracts = contracts;
  }

  static async open(): Promise<QuickBench> {
    const chain = await ChainBench.open();
    const bench = new QuickBench(chain, await deployQuick(chain));
    await bench.travelTo(bench.nextStart + 1);
    return bench;
  }

  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1_000);
  }

  get nowMs(): number {
    return Date.now() + this.#offsetSeconds * 1_000;
  }

  get start(): number {
    return this.nowSeconds - (this.nowSeconds % 900);
  }

  get nextStart(): number {
    return this.start + 900;
  }

  get service(): QuickMarkets {
    if (this.#run === undefined) throw new Error('the quick markets are closed');
    return this.#run.service;
  }

  setPrice(boundary: number, price: bigint | null): void {
    this.#prices.set(boundary, price);
  }

  async travelTo(seconds: number): Promise<void> {
    this.#offsetSeconds += seconds - this.nowSeconds;
    await this.chain.rpc.request('presage_setTimeOffset', [this.#offsetSeconds]);
  }

  /** A new run of the service on what the journal holds. */
  startRun(): void {
    this.#isWriting = true;
    const sender = new TransactionSender({
      rpc: this.chain.rpc,
      chainId: 31_337,
      account: settler!,
      pollMs: 20,
      journal: { append: async (record) => void this.#senderRecords.push(record) },
      records: [...this.#senderRecords],
    });
    const { settlement, conditionalTokens, stablecoin } = this.contracts;
    const context = createContext({
      chain: {
        chainId: 31_337,
        fromBlock: 0,
        contracts: {
          settlement: settlement.address,
          conditionalTokens: conditionalTokens.address,
          stablecoin: stablecoin.address,
        },
      },
      rpc: this.rpc,
      identity: { settlementGraceSeconds: 3_600 },
      contracts: this.contracts,
      reads: { market: (marketId: string) => this.listed.get(marketId) },
      commands: { listMarket: async (market: MarketFacts) => void this.listed.set(market.marketId, market) },
      clock: { nowMs: () => this.nowMs, nowSeconds: () => this.nowSeconds },
    });
    this.#ledger = new QuickLedger(this.records);
    const options = {
      config: { assets: [{ asset: 'BTC', pyth: FEED_ID } as AssetFeeds], pythUrl: 'http://feed' },
      fees: {},
      ledger: this.#ledger,
      prices: { isFresh: () => true, boundaryUpdate: (_: string, boundary: number) => this.#updateAt(boundary) },
      ids: new QuickIds(),
      sender,
      journal: { append: (record: QuickMarketChanged) => this.#append(record) },
      onListed: () => undefined,
    };
    const service = openQuickMarkets(context, options);
    const windows = openWindows(context, options);
    if (service === undefined || windows === undefined) throw new Error('there are no contracts');
    this.#run = { service, windows, sender };
    sender.start();
    windows.start();
    service.start();
  }

  /** Resolves when nothing of the run writes any more, however often it is asked. */
  stop(): Promise<void> {
    this.#isWriting = false;
    const run = this.#run;
    this.#run = undefined;
    run?.service.close();
    if (run !== undefined) this.#stopping = run.windows.close().then(() => run.sender.close());
    return this.#stopping;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.chain.close();
  }

  /** The last blocks leave the chain; their transactions wait to be mined again. */
  async reorganize(depth: number): Promise<void> {
    await this.chain.rpc.request('presage_reorg', [{ depth, transactions: 'keep' }]);
  }

  /** As after a journal that was lost: the chain remembers, the sender does not. */
  forgetTransactions(): void {
    this.#senderRecords.length = 0;
  }

  windowAt(startTime: number): QuickWindow | undefined {
    return this.records.findLast(({ window }) => window.startTime === startTime)?.window;
  }

  reaches(startTime: number, stage: QuickWindow['stage']): Promise<QuickWindow> {
    return waitFor(`the window ${startTime} is ${stage}`, async () => {
      const window = this.windowAt(startTime);
      return window?.stage === stage && window;
    });
  }

  async payouts({ creation: { marketId } }: QuickWindow): Promise<readonly [bigint, bigint]> {
    const { conditionalTokens } = this.contracts;
    return Promise.all([
      conditionalTokens.read('payoutNumerators', [marketId, 0n]),
      conditionalTokens.read('payoutNumerators', [marketId, 1n]),
    ]);
  }

  async payloadAt(boundary: number): Promise<Hex> {
    const update = await this.#updateAt(boundary);
    if (update === undefined) throw new Error(`there is no price at ${boundary}`);
    return update.payload;
  }

  /** A write that a dying process never finished is lost, as it would be. */
  async #append(record: QuickMarketChanged): Promise<void> {
    if (!this.#isWriting) throw new Error('the process has ended');
    this.records.push(decodeRecord(encodeRecord(record)) as QuickMarketChanged);
    this.#ledger.follow(record);
    this.onAppend(record);
  }

  async #updateAt(boundary: number): Promise<BoundaryUpdate | undefined> {
    const price = this.#prices.get(boundary) ?? 65_000_00000000n;
    if (this.#prices.get(boundary) === null || this.nowSeconds < boundary) return undefined;
    const update = { feedId: FEED_ID, price, conf: 1n, expo: -8, publishTime: boundary, prevPublishTime: boundary - 1 };
    const signature = await feed!.sign({ hash: hashPriceUpdate(update) });
    return { ...update, payload: packPriceUpdate(update, signature) };
  }
}

async function deployQuick(chain: ChainBench): Promise<Contracts> {
  const { contracts, rpc } = chain;
  const create = async (data: Hex) => (await chain.execute(owner!.address, { data })).contractAddress as Hex;
  const deployment = {
    settlement: contracts.settlement.address,
    conditionalTokens: contracts.conditionalTokens.address,
    marketFactory: contracts.marketFactory.address,
    stablecoin: contracts.stablecoin.address,
    oracle: contracts.oracle.address,
    multicall: contracts.stablecoin.address,
  };
  const priceOracle = await create(
    encodeDeployData({ abi: priceOracleAbi, bytecode: priceOracleBytecode, args: [feed!.address] }),
  );
  const others = [deployment.conditionalTokens, deployment.stablecoin, deployment.settlement, 100n, 86_400n] as const;
  const market = await create(
    encodeDeployData({ abi: quickMarketAbi, bytecode: quickMarketBytecode, args: [priceOracle, ...others] }),
  );
  const factory = { abi: quickMarketFactoryAbi, bytecode: quickMarketFactoryBytecode } as const;
  const quickMarketFactory = await create(
    encodeDeployData({ ...factory, args: [owner!.address, market, deployment.settlement] }),
  );
  await chain.letRegister(quickMarketFactory);
  const all = createContracts({ rpc, deployment: { ...deployment, priceOracle, quickMarketFactory } });
  const role = await all.quick!.factory.read('CREATOR_ROLE', []);
  await chain.execute(owner!.address, all.quick!.factory.call('grantRole', [role, settler!.address]));
  return all;
}
