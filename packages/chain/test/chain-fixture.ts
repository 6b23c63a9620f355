// A real chain process with a real token on it, and the truth about what an account did there.
import { testStablecoinAbi } from '@presage/contracts';
import { testStablecoinBytecode } from '@presage/contracts/bytecode';
import type { Hex } from '@presage/protocol';
import { type Address, pad, toHex } from 'viem';
import { type ChainProcess, type ChainProcessOptions, openChainProcess } from '../../testkit/src/chain-process.ts';
import { JsonRpc } from '../src/json-rpc.ts';
import type { TransactionRequest } from '../src/sender/sender-options.ts';
import { TypedContract } from '../src/typed-contract.ts';
import { OWNER_ADDRESS } from './sandbox-accounts.ts';

export interface ChainTransaction {
  readonly hash: Hex;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: number;
  readonly input: Hex;
}

export class ChainFixture {
  readonly process: ChainProcess;
  readonly rpc: JsonRpc;
  readonly token: TypedContract<typeof testStablecoinAbi>;

  private constructor(process: ChainProcess, rpc: JsonRpc, token: Address) {
    this.process = process;
    this.rpc = rpc;
    this.token = new TypedContract(rpc, token, testStablecoinAbi);
  }

  static async open(options: ChainProcessOptions = {}): Promise<ChainFixture> {
    const process = await openChainProcess({ blockIntervalMs: 20, lingerMs: 5, ...options });
    const rpc = new JsonRpc({ url: process.url });
    return new ChainFixture(process, rpc, await deployToken(rpc));
  }

  async close(): Promise<void> {
    this.rpc.close();
    await this.process.stop();
  }

  /** Operation number `index`: mints an amount that nobody else mints, to a wallet that nobody else has. */
  mint(index: number): TransactionRequest {
    const call = this.token.call('mint', [recipientOf(index), amountOf(index)]);
    return { operationId: `mint-${index}`, ...call, gasLimit: 100_000n };
  }

  async mine(count = 1): Promise<void> {
    await this.rpc.request('presage_mine', [count]);
  }

  async reorg(depth: number, transactions: 'keep' | 'drop' | 'shuffle'): Promise<void> {
    await this.rpc.request('presage_reorg', [{ depth, transactions }]);
  }

  async holdMining(held: boolean): Promise<void> {
    await this.rpc.request('presage_faults', [{ mining: held ? 'held' : 'auto' }]);
  }

  async head(): Promise<number> {
    return Number(await this.rpc.request('eth_blockNumber'));
  }

  /** Every transaction of the account that is on the chain, in order. */
  async transactionsOf(account: Address): Promise<ChainTransaction[]> {
    const numbers = Array.from({ length: (await this.head()) + 1 }, (_, number) => number);
    const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] }));
    const transactions = (await this.rpc.batch(calls)).flatMap((outcome) => {
      if (!outcome.ok) throw outcome.error;
      return (outcome.result as { transactions: (Omit<ChainTransaction, 'nonce'> & { nonce: Hex })[] }).transactions;
    });
    return transactions
      .filter(({ from }) => from.toLowerCase() === account.toLowerCase())
      .map((transaction) => ({ ...transaction, nonce: Number(transaction.nonce) }));
  }

  /** What operation number `index` minted: its amount if it was executed once, a multiple if more often. */
  async mintedBy(index: number): Promise<bigint> {
    return this.token.read('balanceOf', [recipientOf(index)]);
  }
}

export function recipientOf(index: number): Address {
  return pad(toHex(0xa000_0000 + index), { size: 20 });
}

export function amountOf(index: number): bigint {
  return BigInt(1_000_000 + index);
}

async function deployToken(rpc: JsonRpc): Promise<Address> {
  const hash = await rpc.request('presage_sendAs', [
    { from: OWNER_ADDRESS, data: testStablecoinBytecode, gas: toHex(5_000_000) },
  ]);
  for (;;) {
    const receipt = (await rpc.request('eth_getTransactionReceipt', [hash])) as { contractAddress: Address } | null;
    if (receipt !== null) return receipt.contractAddress;
  }
}
