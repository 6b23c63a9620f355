// The EVM itself: one EDR provider configured as the sandbox chain, with typed requests.
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  type Provider,
  type ProviderConfig,
} from '@nomicfoundation/edr';
import type { Hex } from '@presage/protocol';
import { type EdrErrorBody, toRpcError } from './rpc/rpc-error.ts';
import { sandboxKeys } from './sandbox-keys.ts';
import { BlockNames, type HeaderView } from './snapshot/block-names.ts';

/** The rules of a chain, fixed at its creation. */
export type Hardfork = 'Prague' | 'Osaka';
const COINBASE = Buffer.from('c014ba5ec014ba5ec014ba5ec014ba5ec014ba5e', 'hex');
const GAS_MONEY = 10n ** 24n;

export interface EdrNodeOptions {
  readonly chainId: number;
  readonly hardfork: Hardfork;
  readonly genesisTime: number;
  readonly blockGasLimit: number;
  /** Accounts at genesis; those of the sandbox by default. */
  readonly accounts?: ProviderConfig['genesisState'];
  readonly beaconSeed?: Hex;
}

// EDR requires a single context per process.
let sharedContext: Promise<EdrContext> | undefined;

async function createContext(): Promise<EdrContext> {
  const context = new EdrContext();
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
  return context;
}

export class EdrNode {
  readonly #provider: Provider;
  /** Set for a node that began from a snapshot. */
  #names: BlockNames | undefined;

  private constructor(provider: Provider) {
    this.#provider = provider;
  }

  static async open(options: EdrNodeOptions): Promise<EdrNode> {
    sharedContext ??= createContext();
    const context = await sharedContext;
    const silent = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} };
    const subscriptions = { subscriptionCallback: () => {} };
    const config = toProviderConfig(options);
    return new EdrNode(
      await context.createProvider(L1_CHAIN_TYPE, config, silent, subscriptions, new ContractDecoder()),
    );
  }

  /** Gives the newest block this hash; later blocks get hashes that descend from it. */
  async adoptHead(hash: Hex): Promise<void> {
    this.#names = new BlockNames((await this.#readHead()).hash, hash);
  }

  /** Returns the result unchanged; a refusal is thrown as an `RpcError` in geth's words. */
  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    if (!this.#names) return this.#ask(method, params);
    const result = await this.#ask(method, this.#names.toNode(params));
    if (method === 'evm_mine') this.#names.learn(await this.#readHead());
    return this.#names.toChain(result);
  }

  /** Like `request`, with the result type that the method's specification gives. */
  async read<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return (await this.request(method, params)) as T;
  }

  async #readHead(): Promise<HeaderView & { readonly hash: Hex }> {
    return this.#ask('eth_getBlockByNumber', ['latest', false]);
  }

  async #ask<T>(method: string, params: readonly unknown[]): Promise<T> {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { data } = await this.#provider.handleRequest(request);
    const body: { result: T; error?: EdrErrorBody } = typeof data === 'string' ? JSON.parse(data) : data;
    if (body.error) throw toRpcError(body.error);
    return body.result;
  }
}

function toProviderConfig(options: EdrNodeOptions): ProviderConfig {
  const chainId = BigInt(options.chainId);
  const blockGasLimit = BigInt(options.blockGasLimit);
  return {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    // Elasticity 1 puts the gas target at the limit: a full block can then never push the base fee above zero.
    baseFeeConfig: [{ activation: { blockNumber: 0n }, maxChangeDenominator: 8n, elasticityMultiplier: 1n }],
    chainId,
    networkId: chainId,
    coinbase: COINBASE,
    defaultTransactionGasLimit: 16_000_000n,
    genesisState: options.accounts ?? toGenesisState(options.hardfork),
    hardfork: options.hardfork,
    initialBaseFeePerGas: 0n,
    initialParentBeaconBlockRoot: toBytes32(options.beaconSeed),
    minGasPrice: 0n,
    mining: { autoMine: false, blockGasLimit, memPool: { order: MineOrdering.Fifo } },
    network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(options.genesisTime) },
    observability: {},
    ownedAccounts: [],
    precompileOverrides: [],
    // The gas cap is enforced before the pool instead: a node that begins from a snapshot writes whole states in one
    // transaction.
    transactionGasCap: false,
  };
}

function toBytes32(value: Hex | undefined): Buffer {
  return value === undefined ? Buffer.alloc(32) : Buffer.from(value.slice(2), 'hex');
}

/** Genesis state of the sandbox chain: the contracts of its rules, and the funds of its published keys. */
export function toGenesisState(hardfork: Hardfork): ProviderConfig['genesisState'] {
  const funded = sandboxKeys.map(({ address }) => ({
    address: Buffer.from(address.slice(2), 'hex'),
    balance: GAS_MONEY,
  }));
  return [...l1GenesisState(l1HardforkFromString(hardfork)), ...funded];
}
