// Deploys contracts to a chain, or finds them there: safe to repeat, and safe to interrupt anywhere.
import { ownerTimelockAbi, presageSettlementAbi } from '@presage/contracts';
import type { Hex } from '@presage/protocol';
import { messageOf, waitFor } from '@presage/runtime';
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  http,
  isAddressEqual,
  type LocalAccount,
  parseAbiItem,
  zeroAddress,
} from 'viem';
import type { ContractName, ContractPlan, RoleGrant } from './contract-plan.ts';
import { CREATE2_PROXY, PROXY_DEPLOYER, PROXY_DEPLOYER_COST, PROXY_DEPLOYMENT } from './create2.ts';

const SETTLEMENT = presageSettlementAbi;

export interface DeployerOptions {
  readonly rpcUrl: string;
  readonly account: LocalAccount;
  readonly plan: ContractPlan;
  readonly roles: readonly RoleGrant[];
  /** Receives the fees of takers; absent if no market is to have any. */
  readonly treasury?: Hex | undefined;
  /** Offered the contracts after all roles are granted; absent if the deployer keeps them. */
  readonly owner?: Hex | undefined;
  /** Poll interval of the node, and how long to wait for a transaction. */
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** Called for each transaction sent. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/** The deployment cannot continue; the message says what to do. */
export class DeployRefused extends Error {
  override readonly name = 'DeployRefused';
}

interface Step {
  readonly what: string;
  readonly gas: bigint;
  /** Value of the transaction, in wei. */
  readonly value: bigint;
}

/** Gas of a grant or an offer. Its contract may not exist yet, so the node cannot estimate it. */
const CALL_GAS = 80_000n;
const TRANSFER_GAS = 21_000n;
/** Overhead of the proxy over a plain creation, rounded up. */
const PROXY_OVERHEAD_PERCENT = 5n;
const OWNED: readonly ContractName[] = [
  'settlement',
  'marketFactory',
  'eventFactory',
  'marketOracle',
  'quickMarketFactory',
];

export class Deployer {
  readonly #options: DeployerOptions;
  readonly #reader;
  readonly #wallet;
  #nextNonce = 0;

  constructor(options: DeployerOptions) {
    this.#options = options;
    const transport = http(options.rpcUrl, { retryCount: 0, timeout: 10_000 });
    this.#reader = createPublicClient({ transport, pollingInterval: options.pollMs, cacheTime: 0 });
    this.#wallet = createWalletClient({ transport, account: options.account });
  }

  /** Sends only what is missing. */
  async run(): Promise<void> {
    await this.#awaitPending();
    await this.#ensureProxy();
    await this.#ensureContracts();
    await this.#ensureRoles();
    await this.#ensureTreasury();
    await this.#offerOwnership();
    await this.#takeOver();
  }

  /** The transactions that a run would send, and their gas. */
  async listSteps(): Promise<Step[]> {
    const [proxy, contracts] = await Promise.all([this.#listProxySteps(), this.#listContractSteps()]);
    const grants = await this.#missingGrants();
    const offers = await this.#missingOffers();
    const taken = (await this.#notTaken()).map(([name]) => `have the timelock take over ${name}`);
    const named = (await this.#hasTreasury()) ? [] : ['name the treasury'];
    const calls = [
      ...grants.map(describeGrant),
      ...named,
      ...offers.map(([name]) => `offer ${name} to its owner`),
      ...taken,
    ];
    return [...proxy, ...contracts, ...calls.map((what) => ({ what, gas: CALL_GAS, value: 0n }))];
  }

  /** Contracts whose offered ownership was not accepted yet. */
  async listOffered(): Promise<readonly Hex[]> {
    const { owner } = this.#options;
    const offered: Hex[] = [];
    for (const [, contract] of this.#owned()) {
      if (owner !== undefined && isAddressEqual(await this.#pendingOwnerOf(contract), owner)) offered.push(contract);
    }
    return offered;
  }

  /**
   * The block to index from. The constructors announce their owner, and the first such log marks the block, in every
   * run the same.
   */
  async findFirstBlock(): Promise<number> {
    const { settlement, marketFactory } = this.#options.plan.addresses;
    const logs = await this.#reader.getLogs({
      address: [settlement, marketFactory],
      event: parseAbiItem('event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)'),
      args: { previousOwner: zeroAddress },
      fromBlock: 0n,
      toBlock: 'latest',
    });
    const first = logs[0]?.blockNumber;
    if (first === undefined) throw new Error('the contracts have code but no log of their creation');
    return Number(logs.reduce((least, log) => (log.blockNumber < least ? log.blockNumber : least), first));
  }

  async send(step: string, request: { to: Hex; data?: Hex; value?: bigint }): Promise<void> {
    await this.#confirm([await this.#send(step, request)]);
  }

  /**
   * Waits for transactions of an interrupted run that are still in the pool: their effects must be visible before more
   * is sent. The proxy's own too: mined between two reads, it appears first without code and then without funds, and
   * would be paid once more.
   */
  async #awaitPending(): Promise<void> {
    for (const address of [this.#wallet.account.address, PROXY_DEPLOYER] as const) {
      await this.#wait(`the pending transactions of ${address} are mined`, async () => {
        const mined = await this.#reader.getTransactionCount({ address, blockTag: 'latest' });
        return mined >= (await this.#reader.getTransactionCount({ address, blockTag: 'pending' }));
      });
    }
  }

  async #ensureProxy(): Promise<void> {
    if (await this.#hasCode(CREATE2_PROXY)) return;
    const missing = PROXY_DEPLOYER_COST - (await this.#reader.getBalance({ address: PROXY_DEPLOYER }));
    if (missing > 0n) await this.send('fund proxy deployer', { to: PROXY_DEPLOYER, value: missing });
    const hash = await this.#reader
      .sendRawTransaction({ serializedTransaction: PROXY_DEPLOYMENT })
      .catch(async (error) => {
        // The chain knows the transaction already: an interrupted run sent it, and it only needs to be mined.
        if (await this.#reader.getTransactionCount({ address: PROXY_DEPLOYER, blockTag: 'pending' })) return undefined;
        throw new DeployRefused(
          `this node does not take the transaction of the CREATE2 proxy ${CREATE2_PROXY} (${messageOf(error).split('\n')[0]}): ` +
            'it is signed without a chain id; send it through a node that allows such transactions, then run this again',
        );
      });
    if (hash) {
      this.#options.onStep?.('deploy proxy');
      await this.#confirm([hash]);
    }
    await this.#awaitCode(CREATE2_PROXY);
  }

  /** No constructor depends on another contract, so all are sent together and share a block. */
  async #ensureContracts(): Promise<void> {
    const hashes: Hex[] = [];
    for (const [name, { data }] of await this.#missingContracts()) {
      hashes.push(await this.#send(`deploy ${name}`, { to: CREATE2_PROXY, data }));
    }
    await this.#confirm(hashes);
    for (const { address } of Object.values(this.#options.plan.deployed)) await this.#awaitCode(address);
  }

  async #ensureRoles(): Promise<void> {
    const hashes: Hex[] = [];
    for (const grant of await this.#missingGrants()) {
      const { contract, role, account, what } = grant;
      await this.#requireOwnership(contract, `make ${account} ${what}: have them call grantRole`);
      const data = encodeFunctionData({ abi: SETTLEMENT, functionName: 'grantRole', args: [role, account] });
      hashes.push(await this.#send(describeGrant(grant), { to: contract, data }));
    }
    await this.#confirm(hashes);
    const [refused] = await this.#missingGrants();
    if (refused === undefined) return;
    // The settlement has one operator: a new one is offered the role and accepts it by acceptOperator().
    throw new DeployRefused(
      `${refused.account} is not ${refused.what}: another account is; have the owner revoke that role first, then run this again`,
    );
  }

  async #ensureTreasury(): Promise<void> {
    const { treasury, plan } = this.#options;
    if (treasury === undefined || (await this.#hasTreasury())) return;
    const { settlement } = plan.addresses;
    await this.#requireOwnership(settlement, `make ${treasury} its treasury: have them call setTreasury`);
    const data = encodeFunctionData({ abi: SETTLEMENT, functionName: 'setTreasury', args: [treasury] });
    await this.send('name the treasury', { to: settlement, data });
  }

  /** True also if no treasury is configured. */
  async #hasTreasury(): Promise<boolean> {
    const { treasury, plan } = this.#options;
    if (treasury === undefined) return true;
    const { settlement: address } = plan.addresses;
    if (!(await this.#hasCode(address))) return false;
    return isAddressEqual(
      await this.#reader.readContract({ address, abi: SETTLEMENT, functionName: 'treasury' }),
      treasury,
    );
  }

  async #requireOwnership(contract: Hex, right: string): Promise<void> {
    const owner = await this.#ownerOf(contract);
    if (isAddressEqual(owner, this.#wallet.account.address)) return;
    throw new DeployRefused(`${contract} belongs to ${owner} already, who alone can ${right}, then run this again`);
  }

  async #offerOwnership(): Promise<void> {
    const hashes: Hex[] = [];
    for (const [name, contract] of await this.#missingOffers()) {
      const args = [this.#options.owner!] as const;
      const data = encodeFunctionData({ abi: SETTLEMENT, functionName: 'transferOwnership', args });
      hashes.push(await this.#send(`offer ${name} to its owner`, { to: contract, data }));
    }
    await this.#confirm(hashes);
  }

  /** A timelock can be made to accept an offered ownership by anybody, so the deployer does it. */
  async #takeOver(): Promise<void> {
    const { timelock } = this.#options.plan.addresses;
    const hashes: Hex[] = [];
    for (const [name, contract] of await this.#notTaken()) {
      const data = encodeFunctionData({ abi: ownerTimelockAbi, functionName: 'acceptOwnershipOf', args: [contract] });
      hashes.push(await this.#send(`have the timelock take over ${name}`, { to: timelock!, data }));
    }
    await this.#confirm(hashes);
  }

  async #notTaken(): Promise<(readonly [ContractName, Hex])[]> {
    const { owner, plan } = this.#options;
    const { timelock } = plan.addresses;
    if (timelock === undefined || owner === undefined || !isAddressEqual(timelock, owner)) return [];
    const missing: (readonly [ContractName, Hex])[] = [];
    for (const [name, contract] of this.#owned()) {
      const isTaken = (await this.#hasCode(contract)) && isAddressEqual(await this.#ownerOf(contract), timelock);
      if (!isTaken) missing.push([name, contract]);
    }
    return missing;
  }

  async #listProxySteps(): Promise<Step[]> {
    if (await this.#hasCode(CREATE2_PROXY)) return [];
    return [{ what: 'deploy proxy', gas: TRANSFER_GAS, value: PROXY_DEPLOYER_COST }];
  }

  async #listContractSteps(): Promise<Step[]> {
    const account = this.#wallet.account.address;
    const steps = (await this.#missingContracts()).map(async ([name, { creationCode }]) => {
      const plain = await this.#reader.estimateGas({ account, data: creationCode });
      return { what: `deploy ${name}`, gas: (plain * (100n + PROXY_OVERHEAD_PERCENT)) / 100n, value: 0n };
    });
    return Promise.all(steps);
  }

  async #missingContracts() {
    const planned = Object.entries(this.#options.plan.deployed);
    const are = await Promise.all(planned.map(([, { address }]) => this.#hasCode(address)));
    return planned.filter((_, index) => !are[index]);
  }

  async #missingGrants(): Promise<RoleGrant[]> {
    const { roles } = this.#options;
    const held = await Promise.all(roles.map((grant) => this.#hasRole(grant)));
    return roles.filter((_, index) => !held[index]);
  }

  async #missingOffers(): Promise<(readonly [ContractName, Hex])[]> {
    const { owner, account } = this.#options;
    if (owner === undefined || isAddressEqual(owner, account.address)) return [];
    const missing: (readonly [ContractName, Hex])[] = [];
    for (const [name, contract] of this.#owned()) {
      const isDone = (await this.#hasCode(contract)) && (await this.#isOfferedOrTaken(contract, owner));
      if (!isDone) missing.push([name, contract]);
    }
    return missing;
  }

  async #isOfferedOrTaken(address: Hex, owner: Hex): Promise<boolean> {
    const pending = await this.#pendingOwnerOf(address);
    return isAddressEqual(pending, owner) || isAddressEqual(await this.#ownerOf(address), owner);
  }

  #pendingOwnerOf(address: Hex): Promise<Hex> {
    return this.#reader.readContract({ address, abi: SETTLEMENT, functionName: 'pendingOwner' });
  }

  #owned(): (readonly [ContractName, Hex])[] {
    const { addresses } = this.#options.plan;
    return OWNED.flatMap((name) => (addresses[name] === undefined ? [] : [[name, addresses[name]] as const]));
  }

  #ownerOf(address: Hex): Promise<Hex> {
    return this.#reader.readContract({ address, abi: SETTLEMENT, functionName: 'owner' });
  }

  async #send(step: string, request: { to: Hex; data?: Hex; value?: bigint }): Promise<Hex> {
    const { address } = this.#wallet.account;
    const pending = await this.#reader.getTransactionCount({ address, blockTag: 'pending' });
    // A node behind a balancer may not know the previous transaction yet.
    const nonce = Math.max(pending, this.#nextNonce);
    const hash = await this.#wallet.sendTransaction({ ...request, nonce, chain: null });
    this.#nextNonce = nonce + 1;
    this.#options.onStep?.(step);
    return hash;
  }

  async #confirm(hashes: readonly Hex[]): Promise<void> {
    const { timeoutMs: timeout } = this.#options;
    for (const hash of hashes) {
      const { status } = await this.#reader.waitForTransactionReceipt({ hash, timeout });
      if (status !== 'success') throw new DeployRefused(`transaction ${hash} of the deployment reverted`);
    }
  }

  async #hasCode(address: Hex): Promise<boolean> {
    return (await this.#reader.getCode({ address })) !== undefined;
  }

  async #awaitCode(address: Hex): Promise<void> {
    await this.#wait(`there is code at ${address}`, () => this.#hasCode(address));
  }

  async #wait(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const { pollMs, timeoutMs } = this.#options;
    await waitFor(what, isDone, { pollMs, timeoutMs });
  }

  async #hasRole({ contract, role, account }: RoleGrant): Promise<boolean> {
    if (!(await this.#hasCode(contract))) return false;
    const args = [role, account] as const;
    return this.#reader.readContract({ address: contract, abi: SETTLEMENT, functionName: 'hasRole', args });
  }
}

function describeGrant({ account, what }: RoleGrant): string {
  return `grant role to ${account}: ${what}`;
}
