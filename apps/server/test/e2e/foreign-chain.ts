// A chain of others: nothing of ours on it, only accounts with money, a stablecoin that only its issuer mints, and perhaps UMA.
import { SerialQueue } from '@presage/runtime';
import { openChainProcess } from '@presage/testkit';
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { guardedStablecoinAbi, toGuardedStablecoin } from '../../../../contracts/test/guarded-stablecoin.ts';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { UmaOracle } from '../../../../contracts/test/uma-oracle.ts';

type Sender = Pick<PrivateKeyAccount, 'address' | 'signTransaction'>;

/** Whom the chain gives money at its beginning. */
const RICH = testAccount(0);
const GAS_MONEY = parseEther('10');

interface Request {
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
}

export interface Person {
  readonly key: Hex;
  readonly account: PrivateKeyAccount;
}

export function newPerson(): Person {
  const key = generatePrivateKey();
  return { key, account: privateKeyToAccount(key) };
}

export class ForeignChain {
  readonly chainId: number;
  readonly url: string;
  readonly client;
  readonly close: () => Promise<void>;
  /** One after another: nonces are asked for. */
  readonly #queue = new SerialQueue();
  stablecoin: Address = '0x';

  private constructor(chainId: number, url: string, close: () => Promise<void>) {
    this.chainId = chainId;
    this.url = url;
    this.close = close;
    this.client = createPublicClient({ transport: http(url), pollingInterval: 50, cacheTime: 0 });
  }

  static async open(chainId: number): Promise<ForeignChain> {
    const process = await openChainProcess({ chainId });
    const chain = new ForeignChain(chainId, process.url, () => process.kill());
    const { contractAddress } = await chain.mustSend(RICH, { data: toGuardedStablecoin({ issuer: RICH.address }) });
    chain.stablecoin = contractAddress as Address;
    return chain;
  }

  async giveGasMoney(...people: readonly Person[]): Promise<void> {
    for (const { account } of people) await this.mustSend(RICH, { to: account.address, value: GAS_MONEY });
  }

  async giveStablecoin(to: Address, amount: bigint): Promise<void> {
    await this.call(RICH, this.stablecoin, guardedStablecoinAbi, 'mint', [to, amount]);
  }

  balanceOf(owner: Address): Promise<bigint> {
    const coin = { address: this.stablecoin, abi: guardedStablecoinAbi } as const;
    return this.client.readContract({ ...coin, functionName: 'balanceOf', args: [owner] });
  }

  /** The real bytecode; its deployer is another published account. */
  async deployUma(): Promise<UmaOracle> {
    await this.mustSend(RICH, { to: testAccount(9).address, value: GAS_MONEY });
    return UmaOracle.deploy(this as never, this.stablecoin);
  }

  call(sender: Sender, to: Address, abi: Abi | readonly unknown[], functionName: string, args: readonly unknown[]) {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
    return this.mustSend(sender, { to, data });
  }

  mustSend(sender: Sender, request: Request): Promise<TransactionReceipt> {
    return this.#queue.run(() => this.#send(sender, request));
  }

  async #send(sender: Sender, request: Request): Promise<TransactionReceipt> {
    const wallet = createWalletClient({ account: sender as PrivateKeyAccount, transport: http(this.url) });
    const hash = await wallet.sendTransaction({ ...request, chain: null } as never);
    const receipt = await this.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`);
    return receipt;
  }
}
