// Contract calls of quick markets: creates, strikes, resolves and voids, each at most once, and checks what is already done.
import {
  ContractReverted,
  type OperationView,
  type QuickContracts,
  readMarketFees,
  type SenderPort,
  type TransactionRequest,
  type WatchedLog,
} from '@presage/chain';
import { quickMarketFactoryAbi } from '@presage/contracts';
import {
  type Address,
  type BoundaryEvidence,
  type FeeRates,
  type Hex,
  isObject,
  type QuickCreation,
  type QuickWindow,
  toLowerHex,
} from '@presage/protocol';
import { encodeEventTopics, type Log, numberToHex, parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import { endOf, type QuickAsset, VOID_AFTER_SECONDS } from './window-step.ts';

/** The contract refuses the call, and no other sender has done it either. */
export class ChainRefused extends Error {
  override readonly name = 'ChainRefused';
}

type Call = Omit<TransactionRequest, 'operationId'>;
/** A log as nodes answer it; viem's type requires more fields than viem reads. */
type NodeLog = Log & WatchedLog;

/** Failed transactions for one purpose, after which a person has to look. */
const MAX_ATTEMPTS = 5;
const BLOCKS_A_SEARCH = 500;
/** Longest lead of a creation: the factory refuses a window further ahead. */
const FACTORY_LEAD_SECONDS = 3_600;
const CREATED = { abi: quickMarketFactoryAbi, eventName: 'QuickMarketCreated' } as const;

interface QuickChainOptions {
  readonly contracts: QuickContracts;
  readonly sender: SenderPort;
  /** Fees that new markets charge takers. */
  readonly fees: FeeRates;
}

export class QuickChain {
  readonly #context: ChainContext;
  readonly #contracts: QuickContracts;
  readonly #sender: SenderPort;
  readonly #fees: FeeRates;

  constructor(context: ChainContext, { contracts, sender, fees }: QuickChainOptions) {
    this.#context = context;
    this.#contracts = contracts;
    this.#sender = sender;
    this.#fees = fees;
  }

  /** Creates a market; undefined while the transaction is in progress. */
  async create({ asset, feedId }: QuickAsset, startTime: number): Promise<QuickCreation | undefined> {
    try {
      const done = await this.#execute(creationOf(asset, startTime), async () =>
        this.#creationCall([asset, feedId, BigInt(startTime)]),
      );
      return done?.hash ? await this.#creationIn(await this.#logsOf(done.hash)) : undefined;
    } catch (error) {
      if (!(error instanceof ContractReverted || error instanceof ChainRefused)) throw error;
      const known = await this.#findCreation(asset, startTime);
      if (known === undefined) throw new ChainRefused(error.message, { cause: error });
      return known;
    }
  }

  /** Whether the market left the chain for good: a deep reorganization removed its block, and its creation failed when mined again. */
  async hasVanished({ asset, startTime }: QuickWindow): Promise<boolean> {
    const attempts = attemptsAt(creationOf(asset, startTime)).flatMap((name) => this.#sender.status(name) ?? []);
    if (attempts.length === 0 || attempts.some(({ stage }) => !isGivenUp(stage))) return false;
    return BigInt(await this.#contracts.factory.read('marketOf', [asset, BigInt(startTime)])) === 0n;
  }

  #creationCall(terms: readonly [asset: string, feedId: Hex, startTime: bigint]): Call {
    const { factory } = this.#contracts;
    const { feeRateBps = 0, makerShareBps = 0 } = this.#fees;
    if (feeRateBps === 0) return factory.call('createQuickMarket', terms);
    return factory.call('createQuickFeeMarket', [...terms, feeRateBps, makerShareBps]);
  }

  /** Sends the start price; resolves to whether it is on chain, no matter who sent it, since only one price is valid. */
  async strike(window: QuickWindow, start: BoundaryEvidence): Promise<boolean> {
    const market = this.#contracts.market(window.creation.contractAddress);
    return this.#executeUnless(
      async () => (await market.read('startPrice', [])).publishTime !== 0n,
      `quick-strike-${window.asset}-${window.startTime}`,
      async () => ({ ...market.call('strike', [[start.payload]]), value: await this.#feeFor(start) }),
    );
  }

  /** Settles a market; without an end price, voids it as soon as its contract allows that without proof. */
  async settle(window: QuickWindow, end: BoundaryEvidence | undefined): Promise<boolean> {
    const market = this.#contracts.market(window.creation.contractAddress);
    if (end === undefined && !(await this.#isVoidable(window))) return false;
    return this.#executeUnless(
      () => market.read('settled', []),
      `quick-${end === undefined ? 'void' : 'resolve'}-${window.asset}-${window.startTime}`,
      async () =>
        end === undefined
          ? market.call('void', [])
          : { ...market.call('resolve', [[end.payload]]), value: await this.#feeFor(end) },
    );
  }

  /** Whether the delay before voiding is over. Contracts of version 2 have a delay of a day, which they do not expose. */
  async #isVoidable({ creation, startTime }: QuickWindow): Promise<boolean> {
    const market = this.#contracts.market(creation.contractAddress);
    const delay = await market.read('UNPROVED_VOID_DELAY', []).catch((error: unknown) => {
      if (error instanceof ContractReverted) return BigInt(VOID_AFTER_SECONDS);
      throw error;
    });
    return this.#context.clock.nowSeconds() >= endOf(startTime) + Number(delay);
  }

  #feeFor({ payload }: BoundaryEvidence): Promise<bigint> {
    return this.#contracts.oracle.read('getUpdateFee', [[payload]]);
  }

  /** Executes a call; if it is refused, checks whether somebody else has done it. */
  async #executeUnless(isDone: () => Promise<boolean>, purpose: string, call: () => Promise<Call>): Promise<boolean> {
    try {
      return (await this.#execute(purpose, call)) !== undefined;
    } catch (error) {
      if (!(error instanceof ContractReverted || error instanceof ChainRefused)) throw error;
      if (await isDone()) return true;
      throw new ChainRefused(error.message, { cause: error });
    }
  }

  /** Executes a call; returns the operation once it is confirmed. Retries a failed one under the next name. */
  async #execute(purpose: string, call: () => Promise<Call>): Promise<OperationView | undefined> {
    for (const operationId of attemptsAt(purpose)) {
      const known = this.#sender.status(operationId);
      if (isGivenUp(known?.stage)) continue;
      if (known !== undefined) return known.stage === 'confirmed' ? known : undefined;
      await this.#sender.enqueue({ operationId, ...(await call()) });
      return undefined;
    }
    throw new ChainRefused(`${purpose} failed ${MAX_ATTEMPTS} times`);
  }

  /** Finds a market that the journal does not know: created by an earlier run of this service, or by another creator. */
  async #findCreation(asset: string, startTime: number): Promise<QuickCreation | undefined> {
    const { rpc, node, chain } = this.#context;
    const { factory } = this.#contracts;
    const market = await factory.read('marketOf', [asset, BigInt(startTime)]);
    if (BigInt(market) === 0n) return undefined;
    const topics = encodeEventTopics({ ...CREATED, args: { market } });
    // Newest blocks first, since public nodes search few blocks per call. A node that lags may lack the creation of a market that another one reported.
    for (let last = (await node.head()).number; last >= chain.fromBlock; last -= BLOCKS_A_SEARCH) {
      const first = Math.max(chain.fromBlock, last - BLOCKS_A_SEARCH + 1);
      const filter = { address: factory.address, topics, fromBlock: numberToHex(first), toBlock: numberToHex(last) };
      // Cast, because logs are decoded before they are believed.
      const [created] = (await rpc.request('eth_getLogs', [filter])) as NodeLog[];
      if (created !== undefined) return this.#creationIn(await this.#logsOf(created.transactionHash), market);
      const [oldest] = await node.headers([first]);
      if (oldest && oldest.timestamp < startTime - FACTORY_LEAD_SECONDS) break;
    }
    return undefined;
  }

  async #logsOf(hash: Hex): Promise<NodeLog[]> {
    // Cast: a node answers a receipt or null.
    const receipt = await this.#context.rpc.request('eth_getTransactionReceipt', [hash]);
    return (receipt as { logs: NodeLog[] } | null)?.logs ?? [];
  }

  /**
   * The market that a transaction created; `market` selects it in a transaction of others, which may have created several. Undefined
   * if its block has left the chain meanwhile: the sender then sends the transaction again.
   */
  async #creationIn(logs: NodeLog[], market?: Address): Promise<QuickCreation | undefined> {
    const isIt = (created: Address) => market === undefined || toLowerHex(created) === toLowerHex(market);
    const event = parseEventLogs({ ...CREATED, logs }).find(({ args }) => isIt(args.market));
    if (event?.blockHash == null || event.transactionHash === null) return undefined;
    const block = await this.#context.rpc.request('eth_getBlockByHash', [event.blockHash, false]);
    if (!isObject(block)) return undefined;
    const { marketId, market: contractAddress, maker, yesTokenId, noTokenId } = event.args;
    return {
      marketId,
      contractAddress: toLowerHex(contractAddress),
      maker: toLowerHex(maker),
      yesTokenId: yesTokenId.toString(),
      noTokenId: noTokenId.toString(),
      createdAt: Number(block.timestamp),
      blockNumber: Number(event.blockNumber),
      transactionHash: toLowerHex(event.transactionHash),
      ...this.#feesIn(logs, marketId),
    };
  }

  /** Fees fixed at the market's creation, from its logs. A node that lags would answer zero fees for a market that it does not know yet. */
  #feesIn(logs: readonly NodeLog[], marketId: Hex): FeeRates | undefined {
    return readMarketFees(logs, this.#context.addresses.settlement).get(marketId);
  }
}

function creationOf(asset: string, startTime: number): string {
  return `quick-create-${asset}-${startTime}`;
}

/** Operation ids for one purpose, in the order of attempts. */
function attemptsAt(purpose: string): string[] {
  return Array.from({ length: MAX_ATTEMPTS }, (_, index) => (index === 0 ? purpose : `${purpose}-${index + 1}`));
}

function isGivenUp(stage: OperationView['stage'] | undefined): boolean {
  return stage === 'failed' || stage === 'abandoned';
}
