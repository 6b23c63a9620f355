// What no live venue lets you try on a chain: free money, markets at will, faults on demand.
import { type ContractCall, type Contracts, callContract, type Rpc, withRefusals } from '@presage/chain';
import { marketFactoryAbi } from '@presage/contracts';
import { type Address, type Hex, type MarketId, PresageError, toChecksumAddress } from '@presage/protocol';
import { poll } from '@presage/runtime';
import { type Log, parseEventLogs } from 'viem';
import type { CreateMarketParams, FaultParams, SandboxPort } from '../api/services.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';
import type { Autofund } from './autofund.ts';
import type { FeedControl } from './feed-control.ts';
import type { SandboxNode } from './sandbox-node.ts';

export interface SandboxControlsOptions {
  readonly node: SandboxNode;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly autofund: Autofund;
  readonly feed: FeedControl;
  readonly wallets: Pick<WalletReads, 'funds'>;
  /** Owns the contracts and creates the markets. */
  readonly owner: Hex;
  readonly isListed: (marketId: MarketId) => boolean;
}

/** 10,000.00 of the test stablecoin. */
const DEFAULT_GIFT = 10_000_000_000n;
const LISTING_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

export class SandboxControls implements SandboxPort {
  readonly #options: SandboxControlsOptions;
  #settlement: 'normal' | 'revert' = 'normal';

  constructor(options: SandboxControlsOptions) {
    this.#options = options;
  }

  fund(address: Address, amount = DEFAULT_GIFT): ReturnType<SandboxPort['fund']> {
    return withRefusals(() => this.#fund(address, amount));
  }

  createMarket(params: CreateMarketParams): Promise<MarketId> {
    return withRefusals(() => this.#createMarket(params));
  }

  setFaults(params: FaultParams): ReturnType<SandboxPort['setFaults']> {
    return withRefusals(() => this.#setFaults(params));
  }

  async #fund(address: Address, amount: bigint) {
    const { autofund, wallets } = this.#options;
    const txHash = await this.#send(autofund.mint(address, amount));
    const { balance } = await wallets.funds({ wallet: address, tokenIds: [] });
    return { address: toChecksumAddress(address), amount: amount.toString(), balance: balance.toString(), txHash };
  }

  /** Resolves when the market is listed: made on chain, seen by the indexer, durable. */
  async #createMarket({ question, description, category, expiration }: CreateMarketParams): Promise<MarketId> {
    const { contracts, owner } = this.#options;
    const call = contracts.marketFactory.call('createMarket', [question, description, category, BigInt(expiration)]);
    const marketId = await this.#createdBy(await this.#send({ from: owner, ...call }));
    await this.#waitUntil(() => this.#options.isListed(marketId), LISTING_TIMEOUT_MS);
    return marketId;
  }

  async #setFaults({ chain, settlement, reorgDepth, oracle }: FaultParams) {
    const { node, feed } = this.#options;
    if (oracle !== undefined) await feed.setOracle(oracle);
    if (chain === 'up' || chain === 'slow') await node.setFaults(chain);
    if (settlement !== undefined) await this.#switchSettlement(settlement);
    if (reorgDepth !== undefined && reorgDepth > 0) await node.reorg(reorgDepth);
    if (chain === 'down') await node.setFaults(chain);
    return { chain: (await node.faults()).chain, settlement: this.#settlement, oracle: await feed.oracle() };
  }

  /** Reads the contract's state: a paused contract refuses every batch, also after a restart. */
  async #switchSettlement(settlement: 'normal' | 'revert'): Promise<void> {
    const { node, contracts, owner } = this.#options;
    const isPaused = await contracts.settlement.read('paused', []);
    if (isPaused !== (settlement === 'revert')) {
      await node.sendAs([{ from: owner, ...contracts.settlement.call(isPaused ? 'unpause' : 'pause', []) }]);
    }
    this.#settlement = settlement;
  }

  /** Simulates first, so that a refusal of the contract is answered with its reason. */
  async #send(call: ContractCall & { readonly from: Hex }): Promise<Hex> {
    await callContract(this.#options.rpc, call, 'pending');
    const [hash] = await this.#options.node.sendAs([call]);
    if (hash === undefined) throw new Error('the sandbox chain took no transaction');
    return hash;
  }

  async #createdBy(hash: Hex): Promise<MarketId> {
    // The sandbox chain is our own program, and the transaction is mined.
    const receipt = (await this.#options.rpc.request('eth_getTransactionReceipt', [hash])) as { logs: Log[] };
    const [event] = parseEventLogs({ abi: marketFactoryAbi, eventName: 'MarketCreated', logs: receipt.logs });
    if (event === undefined) throw new Error(`transaction ${hash} made no market`);
    return event.args.marketId;
  }

  async #waitUntil(holds: () => boolean, timeoutMs: number): Promise<void> {
    if (await poll(holds, { timeoutMs, pollMs: POLL_MS })) return;
    throw new PresageError('chain_unavailable', { reason: 'the market was not seen in time' });
  }
}
