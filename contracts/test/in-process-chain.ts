// A private chain inside the test process, accessed through viem like any other node.
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
} from '@nomicfoundation/edr';
import {
  type Address,
  createPublicClient,
  custom,
  type Hash,
  type Hex,
  hexToBytes,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { type HDAccount, mnemonicToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';

type Account = Pick<PrivateKeyAccount, 'address' | 'signTransaction'>;
type Call = { readonly to?: Address; readonly data: Hex; readonly gas?: bigint };

// The newest rules, with the cap of 2^24 gas on a transaction (EIP-7825).
const newest = 'Osaka';
const testMnemonic = 'test test test test test test test test test test test junk';
const blockGasLimit = 60_000_000n;

// EDR wants one context per process.
let shared: Promise<EdrContext> | undefined;

async function registerContext(): Promise<EdrContext> {
  const context = new EdrContext();
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
  return context;
}

/** Kept: from the words to a key takes longer than many a test. */
const accounts = new Map<number, HDAccount>();

/** The sandbox's published key number `index`. */
export function testAccount(index: number): HDAccount {
  const account = accounts.get(index) ?? mnemonicToAccount(testMnemonic, { addressIndex: index });
  accounts.set(index, account);
  return account;
}

/** Another chain than the tests of contracts have: by the rules of an earlier hard fork, or with an id of its own. */
export interface ChainRules {
  readonly hardfork?: string;
  readonly chainId?: number;
}

/** Sends every transaction of every account at a gas price of zero, one block each, so that gas is all that is counted. */
export class InProcessChain {
  readonly client: PublicClient;
  readonly #request: (method: string, params: readonly unknown[]) => Promise<unknown>;
  readonly #nonces = new Map<Address, number>();

  private constructor(request: (method: string, params: readonly unknown[]) => Promise<unknown>) {
    this.#request = request;
    const transport = custom({ request: ({ method, params }) => request(method, params ?? []) });
    this.client = createPublicClient({ chain: hardhat, transport, cacheTime: 0, pollingInterval: 1 });
  }

  static async open(rules: ChainRules = {}): Promise<InProcessChain> {
    shared ??= registerContext();
    const context = await shared;
    const provider = await context.createProvider(
      L1_CHAIN_TYPE,
      providerConfig(rules),
      { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
      { subscriptionCallback: () => {} },
      new ContractDecoder(),
    );
    let id = 0;
    return new InProcessChain(async (method, params) => {
      const response = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
      return resultOf(response.data);
    });
  }

  async send(account: Account, call: Call): Promise<TransactionReceipt> {
    const nonce = this.#nonces.get(account.address) ?? 0;
    this.#nonces.set(account.address, nonce + 1);
    const gas = call.gas ?? 16_000_000n;
    const serialized = await account.signTransaction({
      type: 'legacy',
      chainId: hardhat.id,
      nonce,
      gasPrice: 0n,
      ...call,
      gas,
    });
    const hash = (await this.#request('eth_sendRawTransaction', [serialized])) as Hash;
    return await this.client.getTransactionReceipt({ hash });
  }

  /** Sends a transaction and requires success. */
  async mustSend(account: Account, call: Call): Promise<TransactionReceipt> {
    const receipt = await this.send(account, call);
    if (receipt.status !== 'success') throw new Error(`transaction ${receipt.transactionHash} reverted`);
    return receipt;
  }

  async now(): Promise<bigint> {
    return (await this.client.getBlock()).timestamp;
  }

  /** Advances the chain's time and mines a block. */
  async advance(seconds: bigint): Promise<void> {
    await this.#request('evm_increaseTime', [Number(seconds)]);
    await this.#request('evm_mine', []);
  }

  /** Puts other code behind an address; its storage stays. */
  async setCode(address: Address, code: Hex): Promise<void> {
    await this.#request('hardhat_setCode', [address, code]);
  }

  /** Sends from an account without a key, such as a contract. */
  async sendAs(from: Address, call: Call & { readonly to: Address }): Promise<void> {
    await this.#request('hardhat_impersonateAccount', [from]);
    await this.#request('eth_sendTransaction', [{ from, to: call.to, data: call.data, gasPrice: '0x0' }]);
    await this.#request('hardhat_stopImpersonatingAccount', [from]);
  }
}

function providerConfig({
  hardfork = newest,
  chainId = hardhat.id,
}: ChainRules): Parameters<EdrContext['createProvider']>[1] {
  const genesisState = l1GenesisState(l1HardforkFromString(hardfork));
  return {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(chainId),
    coinbase: hexToBytes('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'),
    defaultTransactionGasLimit: 16_000_000n,
    genesisState,
    hardfork,
    initialBaseFeePerGas: 0n,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    mining: { autoMine: true, blockGasLimit, memPool: { order: MineOrdering.Fifo } },
    network: { genesisBlockGasLimit: blockGasLimit },
    networkId: BigInt(chainId),
    observability: {},
    ownedAccounts: [],
    precompileOverrides: [],
  };
}

function resultOf(data: unknown): unknown {
  const answer = (typeof data === 'string' ? JSON.parse(data) : data) as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (answer.error === undefined) return answer.result;
  throw Object.assign(new Error(answer.error.message), { code: answer.error.code, data: answer.error.data });
}
