// A private chain with our contracts and real markets on it, and wallets that the test controls.
import { type Contracts, createContracts, JsonRpc } from '@presage/chain';
import {
  conditionalTokensWithPermitAbi,
  marketAbi,
  marketFactoryAbi,
  marketOracleAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
} from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  marketBytecode,
  marketFactoryBytecode,
  marketOracleBytecode,
  optimisticOracleBytecode,
  presageSettlementBytecode,
  testStablecoinBytecode,
} from '@presage/contracts/bytecode';
import type { Address, MarketFacts } from '@presage/protocol';
import { type ChainProcess, marketFacts, openChainProcess } from '@presage/testkit';
import { encodeDeployData, type Hex, type Log, parseEventLogs, toHex, zeroHash } from 'viem';

/** Key 0 of the published test mnemonic. */
const OWNER: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const GRACE_SECONDS = 3_600n;
const BOND = 5_000_000n;
const EVERYTHING = (1n << 256n) - 1n;

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: Log[];
}

export class ChainBench {
  readonly rpc: JsonRpc;
  readonly #process: ChainProcess;
  #contracts: Contracts | undefined;

  private constructor(process: ChainProcess) {
    this.#process = process;
    this.rpc = new JsonRpc({ url: process.url });
  }

  static async open(): Promise<ChainBench> {
    const bench = new ChainBench(await openChainProcess({ blockIntervalMs: 20, lingerMs: 2 }));
    await bench.#deploy();
    return bench;
  }

  get contracts(): Contracts {
    if (this.#contracts === undefined) throw new Error('the contracts are not deployed yet');
    return this.#contracts;
  }

  async close(): Promise<void> {
    this.rpc.close();
    await this.#process.stop();
  }

  async createMarket(overrides: Partial<MarketFacts> = {}): Promise<MarketFacts> {
    const { marketFactory, settlement, conditionalTokens, stablecoin } = this.contracts;
    const facts = marketFacts(overrides);
    const args = [facts.question, facts.description, facts.category, BigInt(facts.expiration)] as const;
    const { logs } = await this.execute(OWNER, marketFactory.call('createMarket', args));
    const [event] = parseEventLogs({ abi: marketFactoryAbi, eventName: 'MarketCreated', logs });
    if (event === undefined) throw new Error('no market was made');
    const { marketId, market, yesTokenId, noTokenId } = event.args;
    return {
      ...facts,
      marketId,
      contractAddress: lower(market),
      yesTokenId: String(yesTokenId),
      noTokenId: String(noTokenId),
      settlementAddress: lower(settlement.address),
      conditionalTokens: lower(conditionalTokens.address),
      stablecoin: lower(stablecoin.address),
    };
  }

  async give(wallet: Address, amount: bigint): Promise<void> {
    await this.execute(OWNER, this.contracts.stablecoin.call('mint', [wallet, amount]));
  }

  async approve(wallet: Address, spender: Address, amount: bigint): Promise<void> {
    await this.execute(wallet, this.contracts.stablecoin.call('approve', [spender, amount]));
  }

  /** Gives the wallet so many shares of both outcomes. */
  async split(wallet: Address, { marketId }: MarketFacts, amount: bigint): Promise<void> {
    const { conditionalTokens, stablecoin } = this.contracts;
    await this.give(wallet, amount);
    await this.approve(wallet, conditionalTokens.address, EVERYTHING);
    const args = [stablecoin.address, zeroHash, marketId, [1n, 2n], amount] as const;
    await this.execute(wallet, conditionalTokens.call('splitPosition', args));
  }

  async transferShares(from: Address, to: Address, tokenId: string, amount: bigint): Promise<void> {
    const args = [from, to, BigInt(tokenId), amount, '0x'] as const;
    await this.execute(from, this.contracts.conditionalTokens.call('safeTransferFrom', args));
  }

  /** In the name of the market, which is its condition's oracle. */
  async report({ contractAddress }: MarketFacts, payouts: readonly [bigint, bigint]): Promise<void> {
    const questionId = await this.contracts.market(contractAddress).read('questionId', []);
    await this.execute(contractAddress, this.contracts.conditionalTokens.call('reportPayouts', [questionId, payouts]));
  }

  async setChain(chain: 'up' | 'down'): Promise<void> {
    await this.rpc.request('presage_faults', [{ chain }]);
  }

  async execute(from: Address, { to, data }: { to?: Hex; data: Hex }): Promise<Receipt> {
    const request = { from, data, gas: toHex(15_000_000), ...(to && { to }) };
    const hash = await this.rpc.request('presage_sendAs', [request]);
    await this.rpc.request('presage_mine', [1]);
    const receipt = (await this.rpc.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
    if (receipt?.status !== '0x1') throw new Error(`a transaction of ${from} failed`);
    return receipt;
  }

  async #deploy(): Promise<void> {
    const stablecoin = await this.#create(testStablecoinBytecode);
    const multicall = await this.#create(await multicallBytecode());
    const conditionalTokens = await this.#create(
      encodeDeployData({ abi: conditionalTokensWithPermitAbi, bytecode: conditionalTokensWithPermitBytecode }),
    );
    const settlement = await this.#create(
      encodeDeployData({
        abi: presageSettlementAbi,
        bytecode: presageSettlementBytecode,
        args: [OWNER, stablecoin, conditionalTokens, GRACE_SECONDS],
      }),
    );
    const oracle = await this.#create(
      encodeDeployData({
        abi: optimisticOracleAbi,
        bytecode: optimisticOracleBytecode,
        args: [OWNER, OWNER, stablecoin, BOND],
      }),
    );
    const marketOracle = await this.#create(
      encodeDeployData({
        abi: marketOracleAbi,
        bytecode: marketOracleBytecode,
        args: [OWNER, stablecoin, oracle],
      }),
    );
    const market = await this.#create(
      encodeDeployData({
        abi: marketAbi,
        bytecode: marketBytecode,
        args: [conditionalTokens, stablecoin, settlement, marketOracle, false, 2_592_000n],
      }),
    );
    const marketFactory = await this.#create(
      encodeDeployData({
        abi: marketFactoryAbi,
        bytecode: marketFactoryBytecode,
        args: [OWNER, market, settlement, BOND],
      }),
    );
    const deployment = { settlement, conditionalTokens, marketFactory, oracle, stablecoin, multicall };
    this.#contracts = createContracts({ rpc: this.rpc, deployment });
    const role = await this.#contracts.marketFactory.read('CREATOR_ROLE', []);
    await this.execute(OWNER, this.#contracts.marketFactory.call('grantRole', [role, OWNER]));
    await this.letRegister(marketFactory);
  }

  /** A factory may register its markets, as after a deployment. */
  async letRegister(factory: Hex): Promise<void> {
    const { settlement } = this.contracts;
    const role = await settlement.read('REGISTRAR_ROLE', []);
    await this.execute(OWNER, settlement.call('grantRole', [role, factory]));
  }

  async #create(data: Hex): Promise<Hex> {
    const { contractAddress } = await this.execute(OWNER, { data });
    if (contractAddress === null) throw new Error('no contract was made');
    return contractAddress;
  }
}

/** viem carries the code and does not export it. */
async function multicallBytecode(): Promise<Hex> {
  const { href } = new URL('./constants/contracts.js', import.meta.resolve('viem'));
  return ((await import(href)) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex;
}
