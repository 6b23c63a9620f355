// Everything deployed on a fresh in-process chain, with traders who sign orders and an operator who settles them.
import { toOutcomeMarketId } from '@presage/protocol';
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseEventLogs,
  type TransactionReceipt,
  toHex,
  zeroAddress,
} from 'viem';
import { type HDAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type PackableFill, packBatch } from '../../packages/chain/src/packed-batch.ts';
import {
  conditionalTokensWithPermitAbi,
  eventFactoryAbi,
  eventMarketAbi,
  marketAbi,
  marketFactoryAbi,
  marketOracleAbi,
  optimisticOracleAbi,
  outcomeMarketAbi,
  presageSettlementAbi,
  testStablecoinAbi,
} from '../generated/abi.ts';
import {
  conditionalTokensWithPermitBytecode,
  eventFactoryBytecode,
  eventMarketBytecode,
  marketBytecode,
  marketFactoryBytecode,
  marketOracleBytecode,
  optimisticOracleBytecode,
  outcomeMarketBytecode,
  presageSettlementBytecode,
  testStablecoinBytecode,
} from '../generated/bytecode.ts';
import { InProcessChain, testAccount } from './in-process-chain.ts';
import { addressAfter, orderTypes } from './typed-data.ts';

export interface Order {
  readonly marketId: Hex;
  readonly trader: Address;
  readonly side: number;
  readonly outcome: number;
  readonly price: bigint;
  readonly size: bigint;
  readonly nonce: bigint;
  readonly expiration: bigint;
  readonly makerFeeRecipient: Address;
}

export interface SignedOrder {
  readonly order: Order;
  readonly signature: Hex;
}

export type Fill = PackableFill;

type Account = PrivateKeyAccount | HDAccount;

export interface WorldOptions {
  /** Creation code of another token than our plain one, with the same functions. */
  readonly stablecoin?: Hex;
  /** Of the first market; without them it has none. */
  readonly fees?: { readonly feeRateBps: number; readonly makerShareBps: number };
  /** Puts another oracle than ours behind the market; must not send as the owner, whose nonces fix the addresses. */
  readonly deployOracle?: (chain: InProcessChain, collateral: Address) => Promise<Address>;
}

const settlementGrace = 3600n;
const voidDelay = 30n * 86_400n;
export const treasury: Address = '0x00000000000000000000000000000000007ea504';
const NO_FEES = { feeRateBps: 0, makerShareBps: 0 };
export const farFuture = 4_000_000_000n;
const yearSeconds = 31_536_000n;

export class World {
  readonly chain: InProcessChain;
  readonly owner = testAccount(0);
  readonly operator = testAccount(1);
  /** Also deploys what must not take a nonce of the owner. */
  readonly arbitrator = testAccount(4);
  readonly settlement: Address;
  readonly collateral: Address;
  readonly shares: Address;
  readonly factory: Address;
  readonly #options: WorldOptions;
  #events = 0;
  oracle: Address = zeroAddress;
  /** Names the oracle to the markets. */
  marketOracle: Address = zeroAddress;
  marketId: Hex = '0x';
  market: Address = zeroAddress;
  tokenIds: readonly [bigint, bigint] = [0n, 0n];

  private constructor(chain: InProcessChain, options: WorldOptions) {
    this.#options = options;
    this.chain = chain;
    // The settlement comes first, so that its address is the one of the shared order vectors.
    this.settlement = addressAfter(this.owner.address, 0);
    this.collateral = addressAfter(this.owner.address, 1);
    this.shares = addressAfter(this.owner.address, 2);
    this.factory = addressAfter(this.owner.address, 4);
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(await InProcessChain.open(), options);
    await world.#deployAll();
    await world.createMarket((await world.chain.now()) + yearSeconds, options.fees);
    return world;
  }

  /** Calls a function of one of the contracts as `account`. */
  async as(
    account: Account,
    to: Address,
    abi: Abi,
    functionName: string,
    args: readonly unknown[],
  ): Promise<TransactionReceipt> {
    return await this.chain.mustSend(account, { to, data: encodeFunctionData({ abi, functionName, args }) });
  }

  /** A wallet with the given stablecoin and shares, both approved for the settlement. */
  async openTrader(options: { key: number; stablecoin: bigint; yesShares: bigint }): Promise<PrivateKeyAccount> {
    const trader = privateKeyToAccount(toHex(options.key, { size: 32 }));
    const { settlement, shares, collateral } = this;
    await this.as(trader, collateral, testStablecoinAbi, 'mint', [
      trader.address,
      options.stablecoin + options.yesShares,
    ]);
    await this.as(trader, collateral, testStablecoinAbi, 'approve', [settlement, maxUint256]);
    await this.as(trader, shares, conditionalTokensWithPermitAbi, 'setApprovalForAll', [settlement, true]);
    if (options.yesShares > 0n) await this.#splitYes(trader, options.yesShares);
    return trader;
  }

  /** Neither shares nor stablecoin of this trader can be drawn any more. */
  async revokeApprovals(trader: PrivateKeyAccount): Promise<void> {
    await this.as(trader, this.collateral, testStablecoinAbi, 'approve', [this.settlement, 0n]);
    await this.as(trader, this.shares, conditionalTokensWithPermitAbi, 'setApprovalForAll', [this.settlement, false]);
  }

  async sign(trader: PrivateKeyAccount, terms: Partial<Order>): Promise<SignedOrder> {
    const order: Order = {
      marketId: this.marketId,
      trader: trader.address,
      side: 0,
      outcome: 0,
      price: 500_000n,
      size: 10_000_000n,
      nonce: 0n,
      expiration: farFuture,
      makerFeeRecipient: zeroAddress,
      ...terms,
    };
    const domain = { name: 'PresageSettlement', version: '1', chainId: 31337, verifyingContract: this.settlement };
    const signature = await trader.signTypedData({ domain, types: orderTypes, primaryType: 'Order', message: order });
    return { order, signature };
  }

  async settle(orders: readonly SignedOrder[], fills: readonly Fill[], gas = 1n << 24n): Promise<TransactionReceipt> {
    return await this.chain.mustSend(this.operator, { to: this.settlement, data: encodeBatch(orders, fills), gas });
  }

  async #splitYes(trader: PrivateKeyAccount, amount: bigint): Promise<void> {
    await this.as(trader, this.collateral, testStablecoinAbi, 'approve', [this.shares, maxUint256]);
    const args = [this.collateral, this.marketId, amount, trader.address, this.owner.address];
    await this.as(trader, this.shares, conditionalTokensWithPermitAbi, 'splitTo', args);
  }

  async #deployAll(): Promise<void> {
    const { owner, settlement, collateral, shares } = this;
    await this.#deploy(presageSettlementAbi, presageSettlementBytecode, [
      owner.address,
      collateral,
      shares,
      settlementGrace,
    ]);
    await this.#deploy(testStablecoinAbi, this.#options.stablecoin ?? testStablecoinBytecode, []);
    await this.#deploy(conditionalTokensWithPermitAbi, conditionalTokensWithPermitBytecode, []);
    this.oracle = await (this.#options.deployOracle ?? deployOurOracle)(this.chain, collateral);
    const { arbitrator } = this;
    const source = await create(this.chain, arbitrator, marketOracleAbi, marketOracleBytecode, [
      owner.address,
      collateral,
      this.oracle,
    ]);
    this.marketOracle = source;
    await this.#deploy(marketAbi, marketBytecode, [shares, collateral, settlement, source, false, voidDelay]);
    const implementation = addressAfter(owner.address, 3);
    await this.#deploy(marketFactoryAbi, marketFactoryBytecode, [
      owner.address,
      implementation,
      settlement,
      1_000_000_000n,
    ]);
    await this.#grant(settlement, presageSettlementAbi, 'OPERATOR_ROLE', this.operator.address);
    await this.#grant(settlement, presageSettlementAbi, 'REGISTRAR_ROLE', this.factory);
    await this.#grant(this.factory, marketFactoryAbi, 'CREATOR_ROLE', owner.address);
    await this.as(owner, settlement, presageSettlementAbi, 'setTreasury', [treasury]);
  }

  async #deploy(abi: Abi, bytecode: Hex, args: readonly unknown[]): Promise<void> {
    await this.chain.mustSend(this.owner, { data: encodeDeployData({ abi, bytecode, args }) });
  }

  async #grant(address: Address, abi: Abi, role: string, account: Address): Promise<void> {
    const id = await this.chain.client.readContract({ address, abi, functionName: role });
    await this.as(this.owner, address, abi, 'grantRole', [id, account]);
  }

  /** Makes a condition of any oracle tradable, as the owner. */
  async register(marketId: Hex, expiration: bigint, { feeRateBps, makerShareBps } = NO_FEES): Promise<void> {
    const [address, abi] = [this.settlement, presageSettlementAbi];
    await this.#grant(address, abi, 'REGISTRAR_ROLE', this.owner.address);
    await this.as(this.owner, address, abi, 'registerMarket', [marketId, expiration, feeRateBps, makerShareBps]);
  }

  /** Makes a condition of the owner an event, and returns its id. */
  async prepareEvent(outcomes: number): Promise<Hex> {
    const [address, abi] = [this.shares, conditionalTokensWithPermitAbi];
    const question = toHex(++this.#events, { size: 32 });
    const count = BigInt(outcomes);
    await this.as(this.owner, address, abi, 'prepareEvent', [this.collateral, question, count]);
    const args = [this.owner.address, question, count] as const;
    return await this.chain.client.readContract({ address, abi, functionName: 'getConditionId', args });
  }

  /** Trades the first outcome of a new event instead of the current market. */
  async tradeEvent(outcomes: number): Promise<void> {
    const marketId = toOutcomeMarketId(await this.prepareEvent(outcomes), 0, outcomes);
    await this.register(marketId, (await this.chain.now()) + yearSeconds);
    this.marketId = marketId;
  }

  /** Creates an event through its factory, with all outcomes listed, and returns its id and the contracts of their markets. */
  async createEvent(names: readonly string[], expiration: bigint): Promise<{ eventId: Hex; markets: Address[] }> {
    const { chain, arbitrator, owner, shares, collateral, settlement, marketOracle } = this;
    const outcome = await create(chain, arbitrator, outcomeMarketAbi, outcomeMarketBytecode, []);
    const args = [shares, collateral, settlement, marketOracle, false, voidDelay, outcome];
    const implementation = await create(chain, arbitrator, eventMarketAbi, eventMarketBytecode, args);
    const terms = [owner.address, implementation, settlement, 1_000_000_000n];
    const factory = await create(chain, arbitrator, eventFactoryAbi, eventFactoryBytecode, terms);
    await this.#grant(settlement, presageSettlementAbi, 'REGISTRAR_ROLE', factory);
    await this.#grant(factory, eventFactoryAbi, 'CREATOR_ROLE', owner.address);
    const event = {
      question: 'Who wins the cup?',
      description: 'As the league says.',
      category: 'sports',
      names,
      expiration,
      early: false,
      ...NO_FEES,
    };
    const receipt = await this.as(owner, factory, eventFactoryAbi, 'createEvent', [event, BigInt(names.length)]);
    const listed = parseEventLogs({ abi: eventFactoryAbi, eventName: 'OutcomeListed', logs: receipt.logs });
    return { eventId: listed[0]!.args.eventId, markets: listed.map(({ args }) => args.market) };
  }

  /** Creates another market, which replaces the current one in this fixture. */
  async createMarket(expiration: bigint, fees = NO_FEES): Promise<void> {
    const terms = ['Will it rain tomorrow?', 'YES if the gauge shows one millimetre.', 'general', expiration];
    const [name, args] =
      fees.feeRateBps === 0
        ? (['createMarket', terms] as const)
        : (['createFeeMarket', [...terms, false, fees.feeRateBps, fees.makerShareBps]] as const);
    const receipt = await this.as(this.owner, this.factory, marketFactoryAbi, name, args);
    const [created] = parseEventLogs({ abi: marketFactoryAbi, eventName: 'MarketCreated', logs: receipt.logs });
    if (created === undefined) throw new Error('no MarketCreated event');
    this.marketId = created.args.marketId;
    this.market = created.args.market;
    this.tokenIds = [created.args.yesTokenId, created.args.noTokenId];
  }
}

/** The arbitrator's key deploys it. */
async function deployOurOracle(chain: InProcessChain, collateral: Address): Promise<Address> {
  const arbitrator = testAccount(4);
  const args = [arbitrator.address, testAccount(0).address, collateral, 1_000_000n] as const;
  return await create(chain, arbitrator, optimisticOracleAbi, optimisticOracleBytecode, args);
}

async function create(
  chain: InProcessChain,
  account: Account,
  abi: Abi,
  bytecode: Hex,
  args: readonly unknown[],
): Promise<Address> {
  const { contractAddress } = await chain.mustSend(account, { data: encodeDeployData({ abi, bytecode, args }) });
  if (!contractAddress) throw new Error('no contract was made');
  return contractAddress;
}

function encodeBatch(orders: readonly SignedOrder[], fills: readonly Fill[]): Hex {
  const args = packBatch({ orders, fills });
  return encodeFunctionData({ abi: presageSettlementAbi, functionName: 'settleBatch', args });
}
