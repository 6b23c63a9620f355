// Puts the contracts on a chain, or finds them there: safe to repeat, and safe to interrupt anywhere.
import type { Deployment } from '@presage/chain';
import { presageSettlementAbi, testStablecoinAbi } from '@presage/contracts';
import type { Hex } from '@presage/protocol';
import { waitFor } from '@presage/runtime';
import { createPublicClient, createWalletClient, encodeFunctionData, http, parseAbiItem, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { keyOf } from '../chain/sandbox-keys.ts';
import { type ContractPlan, planContracts, planRoles, type RoleGrant } from './contract-plan.ts';
import { CREATE2_PROXY, PROXY_DEPLOYER, PROXY_DEPLOYER_COST, PROXY_DEPLOYMENT } from './create2.ts';

const POLL_MS = 25;
const WAIT = { timeoutMs: 30_000, pollMs: POLL_MS };
/** A million dollars of the test stablecoin: bonds return to the sponsor, and this lasts for thousands at once. */
const SPONSOR_FUNDS = 1_000_000_000_000n;

export interface SandboxDeployment extends Deployment {
  readonly chainId: number;
  readonly owner: Hex;
  readonly marketImplementation: Hex;
  readonly settlementGraceSeconds: number;
  readonly bondAmount: bigint;
  /** No log of ours is older than this block. */
  readonly blockNumber: number;
}

export interface DeployOptions {
  readonly rpcUrl: string;
  readonly ownerKey?: Hex;
  readonly settlementGraceSeconds?: number;
  readonly bondAmount?: bigint;
  /** 0 for the first chain of a service; every further one needs its own. */
  readonly salt?: bigint;
  /** Called after each transaction is sent. */
  readonly onStep?: (step: string) => void;
}

export async function deployContracts(options: DeployOptions): Promise<SandboxDeployment> {
  return new Deployer(options).run();
}

class Deployer {
  readonly #options: Required<DeployOptions>;
  readonly #reader;
  readonly #wallet;
  readonly #plan: ContractPlan;

  constructor(options: DeployOptions) {
    const terms = { settlementGraceSeconds: 3_600, bondAmount: 100_000_000n, salt: 0n };
    this.#options = { ownerKey: keyOf('owner').privateKey, ...terms, onStep: () => {}, ...options };
    const account = privateKeyToAccount(this.#options.ownerKey);
    const transport = http(options.rpcUrl, { retryCount: 0 });
    this.#reader = createPublicClient({ transport, pollingInterval: POLL_MS });
    this.#wallet = createWalletClient({ transport, account });
    this.#plan = planContracts({ ...this.#options, owner: account.address });
  }

  async run(): Promise<SandboxDeployment> {
    await this.#awaitPending();
    await this.#ensureProxy();
    await this.#ensureContracts();
    await this.#ensureRoles();
    await this.#ensureSponsorFunds();
    return this.#describe();
  }

  /**
   * An interrupted run may have left transactions in the pool: what they do must be seen before more is sent. The proxy's own too: mined
   * between two questions, it has no code at first and then no money, and would be paid once more.
   */
  async #awaitPending(): Promise<void> {
    for (const address of [this.#wallet.account.address, PROXY_DEPLOYER] as const) await this.#awaitPendingOf(address);
  }

  async #awaitPendingOf(address: Hex): Promise<void> {
    await waitFor(
      `the pending transactions of ${address} are mined`,
      async () => {
        const mined = await this.#reader.getTransactionCount({ address, blockTag: 'latest' });
        return mined >= (await this.#reader.getTransactionCount({ address, blockTag: 'pending' }));
      },
      WAIT,
    );
  }

  async #ensureProxy(): Promise<void> {
    if (await this.#hasCode(CREATE2_PROXY)) return;
    const missing = PROXY_DEPLOYER_COST - (await this.#reader.getBalance({ address: PROXY_DEPLOYER }));
    if (missing > 0n)
      await this.#confirm([await this.#send('fund proxy deployer', { to: PROXY_DEPLOYER, value: missing })]);
    const hash = await this.#reader
      .sendRawTransaction({ serializedTransaction: PROXY_DEPLOYMENT })
      .catch(async (error) => {
        // Known to the chain already: an interrupted run sent it, and it only remains to be mined.
        if (await this.#reader.getTransactionCount({ address: PROXY_DEPLOYER, blockTag: 'pending' })) return undefined;
        throw error;
      });
    if (hash) {
      this.#options.onStep('deploy proxy');
      await this.#confirm([hash]);
    }
    await this.#awaitCode(CREATE2_PROXY);
  }

  /** Nothing a constructor does depends on another contract, so all go out together and share a block. */
  async #ensureContracts(): Promise<void> {
    const hashes: Hex[] = [];
    for (const [name, { address, data }] of Object.entries(this.#plan)) {
      if (await this.#hasCode(address)) continue;
      hashes.push(await this.#send(`deploy ${name}`, { to: CREATE2_PROXY, data }));
    }
    await this.#confirm(hashes);
    for (const { address } of Object.values(this.#plan)) await this.#awaitCode(address);
  }

  async #ensureRoles(): Promise<void> {
    const hashes: Hex[] = [];
    for (const grant of planRoles(this.#plan)) {
      if (await this.#hasRole(grant)) continue;
      const { contract, role, account } = grant;
      const data = encodeFunctionData({ abi: presageSettlementAbi, functionName: 'grantRole', args: [role, account] });
      hashes.push(await this.#send(`grant role to ${account}`, { to: contract, data }));
    }
    await this.#confirm(hashes);
  }

  /** The relayer puts up the bond of a proposer who has none. */
  async #ensureSponsorFunds(): Promise<void> {
    const coin = { address: this.#plan.stablecoin.address, abi: testStablecoinAbi } as const;
    const sponsor = keyOf('relayer').address;
    if ((await this.#reader.readContract({ ...coin, functionName: 'balanceOf', args: [sponsor] })) > 0n) return;
    const data = encodeFunctionData({ abi: coin.abi, functionName: 'mint', args: [sponsor, SPONSOR_FUNDS] });
    await this.#confirm([await this.#send('fund the bond sponsor', { to: coin.address, data })]);
  }

  async #describe(): Promise<SandboxDeployment> {
    const { settlementGraceSeconds, bondAmount } = this.#options;
    const { settlement, conditionalTokens, stablecoin, marketFactory, marketImplementation, multicall } = this.#plan;
    const { oracle, priceOracle, quickMarketFactory, anchors } = this.#plan;
    return {
      chainId: await this.#reader.getChainId(),
      owner: this.#wallet.account.address,
      settlement: settlement.address,
      conditionalTokens: conditionalTokens.address,
      stablecoin: stablecoin.address,
      marketFactory: marketFactory.address,
      marketImplementation: marketImplementation.address,
      oracle: oracle.address,
      multicall: multicall.address,
      priceOracle: priceOracle.address,
      quickMarketFactory: quickMarketFactory.address,
      anchors: anchors.address,
      settlementGraceSeconds,
      bondAmount,
      blockNumber: await this.#findFirstBlock(),
    };
  }

  /** The constructors announce their owner: the first such log marks the block to read from, in every run the same. */
  async #findFirstBlock(): Promise<number> {
    const logs = await this.#reader.getLogs({
      address: [this.#plan.settlement.address, this.#plan.marketFactory.address],
      event: parseAbiItem('event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)'),
      args: { previousOwner: zeroAddress },
      fromBlock: 0n,
      toBlock: 'latest',
    });
    const first = logs[0]?.blockNumber;
    if (first === undefined) throw new Error('the contracts have code but no log of their creation');
    return Number(logs.reduce((least, log) => (log.blockNumber < least ? log.blockNumber : least), first));
  }

  async #send(step: string, request: { to: Hex; data?: Hex; value?: bigint }): Promise<Hex> {
    const { address } = this.#wallet.account;
    const nonce = await this.#reader.getTransactionCount({ address, blockTag: 'pending' });
    const hash = await this.#wallet.sendTransaction({ ...request, nonce, chain: null });
    this.#options.onStep(step);
    return hash;
  }

  async #confirm(hashes: readonly Hex[]): Promise<void> {
    for (const hash of hashes) {
      const { status } = await this.#reader.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error(`transaction ${hash} of the deployment reverted`);
    }
  }

  async #hasCode(address: Hex): Promise<boolean> {
    return (await this.#reader.getCode({ address })) !== undefined;
  }

  async #awaitCode(address: Hex): Promise<void> {
    await waitFor(`there is code at ${address}`, () => this.#hasCode(address), WAIT);
  }

  #hasRole({ contract, role, account }: RoleGrant): Promise<boolean> {
    const args = [role, account] as const;
    return this.#reader.readContract({ address: contract, abi: presageSettlementAbi, functionName: 'hasRole', args });
  }
}
