// The real Gnosis bytecode beside ours on one chain: every call goes to both, and both must behave alike.
import { createRequire } from 'node:module';
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, type Log, maxUint256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '../generated/abi.ts';
import { conditionalTokensWithPermitBytecode, testStablecoinBytecode } from '../generated/bytecode.ts';
import { InProcessChain, testAccount } from './in-process-chain.ts';

interface Answer {
  readonly status: string;
  readonly events: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[];
}

const artifact = createRequire(import.meta.url)(
  '@gnosis.pm/conditional-tokens-contracts/build/contracts/ConditionalTokens.json',
) as {
  abi: Abi;
  bytecode: Hex;
};

export class GnosisTwin {
  readonly chain: InProcessChain;
  readonly oracle: PrivateKeyAccount;
  readonly actors: readonly PrivateKeyAccount[];
  readonly collateral: Address;
  readonly #gnosis: Address;
  readonly #ours: Address;

  private constructor(chain: InProcessChain, addresses: readonly [Address, Address, Address]) {
    this.chain = chain;
    [this.collateral, this.#gnosis, this.#ours] = addresses;
    this.oracle = privateKeyToAccount(`0x${'0a'.repeat(32)}`);
    this.actors = [privateKeyToAccount(`0x${'0b'.repeat(32)}`), privateKeyToAccount(`0x${'0c'.repeat(32)}`)];
  }

  static async open(): Promise<GnosisTwin> {
    const chain = await InProcessChain.open();
    const deploy = async (abi: Abi, bytecode: Hex): Promise<Address> => {
      const receipt = await chain.mustSend(testAccount(0), { data: encodeDeployData({ abi, bytecode }) });
      return receipt.contractAddress!;
    };
    const collateral = await deploy(testStablecoinAbi, testStablecoinBytecode);
    const gnosis = await deploy(artifact.abi, artifact.bytecode);
    const ours = await deploy(conditionalTokensWithPermitAbi, conditionalTokensWithPermitBytecode);
    const twin = new GnosisTwin(chain, [collateral, gnosis, ours]);
    for (const actor of twin.actors) await twin.#fund(actor);
    return twin;
  }

  /** Sends one call to each; returns the events of each. */
  async both(account: PrivateKeyAccount, functionName: string, args: readonly unknown[]): Promise<[Answer, Answer]> {
    return [
      await this.#send(account, this.#gnosis, functionName, args),
      await this.#send(account, this.#ours, functionName, args),
    ];
  }

  /** Reads one view of each; a revert counts as a result. */
  async readBoth(functionName: string, args: readonly unknown[]): Promise<[unknown, unknown]> {
    return [await this.#read(this.#gnosis, functionName, args), await this.#read(this.#ours, functionName, args)];
  }

  /** Stablecoin held by each. */
  async heldByBoth(): Promise<[bigint, bigint]> {
    const held = (owner: Address): Promise<bigint> =>
      this.chain.client.readContract({
        address: this.collateral,
        abi: testStablecoinAbi,
        functionName: 'balanceOf',
        args: [owner],
      });
    return [await held(this.#gnosis), await held(this.#ours)];
  }

  async #send(
    account: PrivateKeyAccount,
    to: Address,
    functionName: string,
    args: readonly unknown[],
  ): Promise<Answer> {
    const receipt = await this.chain.send(account, {
      to,
      data: encodeFunctionData({ abi: artifact.abi, functionName, args }),
    });
    const own = receipt.logs.filter((log: Log) => log.address.toLowerCase() === to.toLowerCase());
    return { status: receipt.status, events: own.map(({ topics, data }) => ({ topics, data })) };
  }

  async #read(address: Address, functionName: string, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.chain.client.readContract({ address, abi: artifact.abi, functionName, args });
    } catch {
      return 'refused';
    }
  }

  async #fund(actor: PrivateKeyAccount): Promise<void> {
    const call = async (functionName: 'mint' | 'approve', args: readonly [Address, bigint]): Promise<void> => {
      const data = encodeFunctionData({ abi: testStablecoinAbi, functionName, args });
      await this.chain.mustSend(actor, { to: this.collateral, data });
    };
    await call('mint', [actor.address, 10n ** 30n]);
    await call('approve', [this.#gnosis, maxUint256]);
    await call('approve', [this.#ours, maxUint256]);
  }
}
