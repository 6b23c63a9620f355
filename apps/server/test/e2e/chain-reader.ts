// The chain asked past the service: shares, money, filled amounts, blocks.
import {
  conditionalTokensWithPermitAbi,
  presageSettlementAbi,
  quickMarketFactoryAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import type { Hex } from '@presage/protocol';
import { readJson, type SandboxProcess } from '@presage/testkit';
import { type Abi, createPublicClient, http, type PublicClient } from 'viem';
import type { MarketBody } from './wire.ts';

interface Addresses {
  readonly settlement: Hex;
  readonly conditionalTokens: Hex;
  readonly stablecoin: Hex;
}

interface QuickCreated {
  readonly marketId: Hex;
  readonly yesTokenId: bigint;
  readonly noTokenId: bigint;
}

interface CallAs {
  readonly from: Hex;
  /** A transaction without it deploys the contract in its data. */
  readonly to?: Hex;
  readonly data: Hex;
}

/** The sandbox's chain saves its state after a load: to trace a full batch takes a second, and ten on a machine that is ten times too busy. */
const ANSWER_MS = 60_000;

export class ChainReader {
  readonly #client: PublicClient;
  readonly #addresses: Addresses;

  private constructor(client: PublicClient, addresses: Addresses) {
    this.#client = client;
    this.#addresses = addresses;
  }

  /** Reads the first chain unless another is named. */
  static async open({ url }: SandboxProcess, wanted?: number): Promise<ChainReader> {
    const config = await readJson<{ chains: ConfigChain[] }>(`${url}/api/v1/config`);
    const chain = config.chains.find(({ chainId }) => chainId === (wanted ?? chainId))!;
    const { settlement, conditionalTokens, stablecoin, rpcUrl } = chain;
    const addresses = {
      settlement: settlement.address,
      conditionalTokens: conditionalTokens.address,
      stablecoin: stablecoin.address,
    };
    return new ChainReader(
      createPublicClient({ transport: http(rpcUrl, { retryCount: 0, timeout: ANSWER_MS }) }),
      addresses,
    );
  }

  async shares(
    market: Pick<MarketBody, 'yesTokenId' | 'noTokenId'>,
    wallet: Hex,
  ): Promise<{ yes: bigint; no: bigint }> {
    const balance = (tokenId: string) =>
      this.#client.readContract({
        address: this.#addresses.conditionalTokens,
        abi: conditionalTokensWithPermitAbi,
        functionName: 'balanceOf',
        args: [wallet, BigInt(tokenId)],
      });
    const [yes, no] = await Promise.all([balance(market.yesTokenId), balance(market.noTokenId)]);
    return { yes, no };
  }

  money(wallet: Hex): Promise<bigint> {
    const { stablecoin: address } = this.#addresses;
    return this.#client.readContract({ address, abi: testStablecoinAbi, functionName: 'balanceOf', args: [wallet] });
  }

  filled({ trader, marketId, nonce }: { trader: Hex; marketId: Hex; nonce: bigint }): Promise<bigint> {
    const { settlement: address } = this.#addresses;
    const args = [trader, marketId, nonce] as const;
    return this.#client.readContract({ address, abi: presageSettlementAbi, functionName: 'filled', args });
  }

  gasMoney(address: Hex): Promise<bigint> {
    return this.#client.getBalance({ address });
  }

  transactionCount(address: Hex): Promise<number> {
    return this.#client.getTransactionCount({ address });
  }

  read(address: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Promise<unknown> {
    return this.#client.readContract({ address, abi, functionName, args });
  }

  /** In somebody's name, as only the sandbox allows; resolves when the node has it. */
  postAs(call: CallAs): Promise<Hex> {
    return this.#client.request<{ Method: 'presage_sendAs'; Parameters: [object]; ReturnType: Hex }>({
      method: 'presage_sendAs',
      params: [call],
    });
  }

  /** The same; resolves when it is mined, rejects when it reverted. */
  async sendAs(call: CallAs): Promise<Hex> {
    const hash = await this.postAs(call);
    const { status } = await this.#client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (status !== 'success') throw new Error(`the transaction ${hash} reverted`);
    return hash;
  }

  /** Replaces the newest blocks: with the same transactions, or without any of them. */
  async reorg(depth: number, transactions: 'keep' | 'drop'): Promise<void> {
    await this.#client.request<{ Method: 'presage_reorg'; Parameters: [object]; ReturnType: unknown }>({
      method: 'presage_reorg',
      params: [{ depth, transactions }],
    });
  }

  /** Makes the chain misbehave: `held` mines only when asked, `slow` answers everybody late. */
  async setFaults(faults: {
    readonly mining?: 'auto' | 'held';
    readonly chain?: 'up' | 'slow';
    readonly slowMs?: number;
  }): Promise<void> {
    await this.#client.request<{ Method: 'presage_faults'; Parameters: [object]; ReturnType: unknown }>({
      method: 'presage_faults',
      params: [faults],
    });
  }

  /** One block, also while mining is held. */
  async mine(): Promise<void> {
    await this.#client.request<{ Method: 'presage_mine'; Parameters: [number]; ReturnType: unknown }>({
      method: 'presage_mine',
      params: [1],
    });
  }

  /** A quick market as its creation tells it, listed or not. */
  async quickMarket(asset: string, startTime: number): Promise<QuickCreated | undefined> {
    const logs = await this.#client.getContractEvents({
      abi: quickMarketFactoryAbi,
      eventName: 'QuickMarketCreated',
      fromBlock: 0n,
      strict: true,
    });
    return logs.map(({ args }) => args).find((args) => args.asset === asset && args.startTime === BigInt(startTime));
  }

  async head(): Promise<{ number: bigint; hash: Hex }> {
    const { number, hash } = await this.#client.getBlock();
    return { number, hash };
  }

  async hashOfBlock(blockNumber: bigint): Promise<Hex> {
    return (await this.#client.getBlock({ blockNumber })).hash;
  }
}

interface ConfigChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly settlement: { readonly address: Hex };
  readonly conditionalTokens: { readonly address: Hex };
  readonly stablecoin: { readonly address: Hex };
}
