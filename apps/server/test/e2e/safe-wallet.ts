// A real Safe on the sandbox's chain, plain or as an ERC-4337 account: deployed from its published code, signing as its owners do.
import { readFileSync } from 'node:fs';
import {
  type Account,
  concatHex,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

interface PublishedCode {
  readonly source: string;
  readonly creationCode: Hex;
}

const FIXTURE = '../../../../contracts/test/fixtures/safe.json';
export const SAFE_CODE = JSON.parse(readFileSync(new URL(FIXTURE, import.meta.url), 'utf8')) as Readonly<
  Record<'safe' | 'proxyFactory' | 'fallbackHandler' | 'moduleSetup' | 'module4337', PublishedCode>
>;

const ABI = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
  'event ProxyCreation(address indexed proxy, address singleton)',
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function enableModules(address[] modules)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
  'function nonce() view returns (uint256)',
]);
const TYPES = {
  SafeMessage: [{ name: 'message', type: 'bytes' }],
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const;
/** Version 0.7, at this address on every chain. */
const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';

export interface SafeOptions {
  readonly rpcUrl: string;
  readonly chainId: number;
  /** Pays the gas. */
  readonly sender: Account;
  /** All of them must sign. */
  readonly owners: readonly PrivateKeyAccount[];
  /** With the module through which an EntryPoint reaches it, which then answers for signatures too. */
  readonly is4337?: boolean;
}

export class SafeWallet {
  readonly address: Hex;
  readonly #options: SafeOptions;
  readonly #owners: readonly PrivateKeyAccount[];

  private constructor(options: SafeOptions, owners: readonly PrivateKeyAccount[], address: Hex) {
    this.#options = options;
    this.#owners = owners;
    this.address = address;
  }

  static async deploy(options: SafeOptions): Promise<SafeWallet> {
    const chain = new Sender(options);
    // Signatures stand in the order of their owners' addresses.
    const owners = options.owners.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    const singleton = await chain.create(SAFE_CODE.safe.creationCode);
    const factory = await chain.create(SAFE_CODE.proxyFactory.creationCode);
    const data = options.is4337 === true ? await setUpAs4337(chain, owners) : await setUp(chain, owners);
    const args = [singleton, data, 1n] as const;
    const call = encodeFunctionData({ abi: ABI, functionName: 'createProxyWithNonce', args });
    const { logs } = await chain.send({ to: factory, data: call });
    const [created] = parseEventLogs({ abi: ABI, eventName: 'ProxyCreation', logs });
    return new SafeWallet(options, owners, created!.args.proxy);
  }

  /** As EIP-1271 asks of a Safe: its owners sign the digest as a message of this Safe. */
  sign(digest: Hex): Promise<Hex> {
    return this.#collect('SafeMessage', { message: digest });
  }

  /** Resolves when it is mined. */
  async execute(to: Hex, data: Hex): Promise<void> {
    const chain = new Sender(this.#options);
    const nonce = await chain.reader.readContract({ address: this.address, abi: ABI, functionName: 'nonce' });
    const free = { safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zeroAddress, refundReceiver: zeroAddress };
    const signatures = await this.#collect('SafeTx', { to, value: 0n, data, operation: 0, ...free, nonce });
    const args = [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures] as const;
    await chain.send({
      to: this.address,
      data: encodeFunctionData({ abi: ABI, functionName: 'execTransaction', args }),
    });
  }

  async #collect(primaryType: keyof typeof TYPES, message: object): Promise<Hex> {
    const domain = { chainId: this.#options.chainId, verifyingContract: this.address };
    const data = { domain, types: TYPES, primaryType, message } as Parameters<PrivateKeyAccount['signTypedData']>[0];
    return concatHex(await Promise.all(this.#owners.map((owner) => owner.signTypedData(data))));
  }
}

async function setUp(chain: Sender, owners: readonly PrivateKeyAccount[]): Promise<Hex> {
  return toSetup(owners, zeroAddress, '0x', await chain.create(SAFE_CODE.fallbackHandler.creationCode));
}

async function setUpAs4337(chain: Sender, owners: readonly PrivateKeyAccount[]): Promise<Hex> {
  const entryPoint = encodeAbiParameters([{ type: 'address' }], [ENTRY_POINT]);
  const module = await chain.create(concatHex([SAFE_CODE.module4337.creationCode, entryPoint]));
  const enabler = await chain.create(SAFE_CODE.moduleSetup.creationCode);
  const enable = encodeFunctionData({ abi: ABI, functionName: 'enableModules', args: [[module]] });
  return toSetup(owners, enabler, enable, module);
}

function toSetup(owners: readonly PrivateKeyAccount[], to: Hex, data: Hex, fallbackHandler: Hex): Hex {
  const addresses = owners.map(({ address }) => address);
  const threshold = BigInt(addresses.length);
  const args = [addresses, threshold, to, data, fallbackHandler, zeroAddress, 0n, zeroAddress] as const;
  return encodeFunctionData({ abi: ABI, functionName: 'setup', args });
}

/** Sends from one account, one transaction after another. */
class Sender {
  readonly reader;
  readonly #wallet;

  constructor({ rpcUrl, sender }: SafeOptions) {
    const transport = http(rpcUrl);
    this.reader = createPublicClient({ transport, pollingInterval: 25 });
    this.#wallet = createWalletClient({ transport, account: sender });
  }

  async create(data: Hex): Promise<Hex> {
    const { contractAddress } = await this.send({ data });
    return getAddress(contractAddress!);
  }

  async send(call: { readonly to?: Hex; readonly data: Hex }) {
    const hash = await this.#wallet.sendTransaction({ ...call, chain: null });
    const receipt = await this.reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${hash} of the Safe reverted`);
    return receipt;
  }
}
