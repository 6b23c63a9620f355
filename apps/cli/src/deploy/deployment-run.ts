// One run of `presage deploy`: reads the configuration, estimates the cost, sends the missing transactions, checks the result.
import { readFile } from 'node:fs/promises';
import { JsonRpc } from '@presage/chain';
import {
  type ChainFault,
  type ContractPlan,
  Deployer,
  type DeploymentTerms,
  DeployRefused,
  findChainFaults,
  findForeignFaults,
  MULTICALL3,
  planContracts,
  planRoles,
  readChainsFile,
  readDeploymentSettings,
  toChainsEntry,
  toServedContracts,
} from '@presage/chain/setup';
import { formatEther, type LocalAccount } from 'viem';
import { toAccount } from 'viem/accounts';
import { UsageError } from '../exit-codes.ts';
import type { Environment } from '../key-files.ts';
import { DeploymentFiles } from './deployment-files.ts';
import { readSigner } from './node-access.ts';

export interface DeployOptions {
  readonly rpc: string;
  readonly key?: string;
  readonly config: string;
  readonly out: string;
  readonly dryRun?: true;
  readonly verify?: true;
}

export interface DeploymentReport {
  readonly chainId: number;
  readonly deployer: string;
  readonly contracts: Readonly<Record<string, string>>;
  /** Transactions that were missing before this run. */
  readonly steps: readonly string[];
  readonly gas: string;
  /** Cost in the chain's coin at the current gas price, without the data fee that some chains charge. */
  readonly cost: string;
  readonly balance: string;
  readonly sent: boolean;
  readonly files: readonly string[];
  /** Contracts whose new owner must still call acceptOwnership(). */
  readonly toAccept: readonly string[];
  readonly faults: readonly ChainFault[];
}

const POLL_MS = 500;
const TRANSACTION_TIMEOUT_MS = 180_000;

interface Parts {
  readonly rpc: JsonRpc;
  readonly files: DeploymentFiles;
  readonly terms: DeploymentTerms;
  readonly account: LocalAccount;
  readonly plan: ContractPlan;
}

export class DeploymentRun {
  readonly #options: DeployOptions;
  readonly #parts: Parts;
  readonly #deployer: Deployer;

  private constructor(options: DeployOptions, parts: Parts, onStep: (step: string) => void) {
    this.#options = options;
    this.#parts = parts;
    const { settler, pauser, creator, owner } = parts.terms.holders;
    this.#deployer = new Deployer({
      rpcUrl: options.rpc,
      account: parts.account,
      plan: parts.plan,
      roles: planRoles(parts.plan, { settler, pauser, creators: [creator] }),
      treasury: parts.terms.settings.treasury,
      owner: parts.plan.addresses.timelock ?? owner,
      pollMs: POLL_MS,
      timeoutMs: TRANSACTION_TIMEOUT_MS,
      onStep,
    });
  }

  /** Reads and checks the configuration and the key, and plans the contracts; sends nothing. */
  static async open(options: DeployOptions, env: Environment, onStep: (step: string) => void): Promise<DeploymentRun> {
    const terms = await readTerms(options.config);
    const files = new DeploymentFiles(options.out);
    const rpc = new JsonRpc({ url: options.rpc });
    const account = await findAccount(options, env, files, terms.settings.chainId);
    const hasMulticall = (await rpc.request('eth_getCode', [MULTICALL3, 'latest'])) !== '0x';
    const multicall = hasMulticall ? MULTICALL3 : 'deploy';
    const plan = planContracts({ ...terms, deployer: account.address, multicall });
    return new DeploymentRun(options, { rpc, files, terms, account, plan }, onStep);
  }

  async run(onEstimate: (report: DeploymentReport) => void): Promise<DeploymentReport> {
    const foreign = await findForeignFaults(this.#toCheck(0), new Set(Object.keys(this.#parts.plan.deployed)));
    refuse(
      `chain ${this.#parts.terms.settings.chainId} at ${new URL(this.#options.rpc).host} cannot be used`,
      foreign.filter(({ isFatal }) => isFatal),
    );
    const estimate = await this.#estimate();
    onEstimate(estimate);
    if (this.#options.dryRun) return estimate;
    if (this.#options.verify) return this.#finish(estimate, false);
    requireMoney(estimate);
    const known = await this.#parts.files.readState(this.#parts.terms.settings.chainId);
    if (known?.deployer !== this.#parts.account.address) await this.#writeFirstState();
    await this.#deployer.run().catch(toUsageError);
    return this.#finish(estimate, true);
  }

  async #estimate(): Promise<DeploymentReport> {
    const steps = await this.#deployer.listSteps();
    const price = BigInt(String(await this.#parts.rpc.request('eth_gasPrice')));
    const balance = BigInt(
      String(await this.#parts.rpc.request('eth_getBalance', [this.#parts.account.address, 'latest'])),
    );
    const gas = steps.reduce((sum, step) => sum + step.gas, 0n);
    const value = steps.reduce((sum, step) => sum + step.value, 0n);
    return {
      chainId: this.#parts.terms.settings.chainId,
      deployer: this.#parts.account.address,
      contracts: this.#parts.plan.addresses,
      steps: steps.map(({ what }) => what),
      gas: gas.toString(),
      cost: formatEther(gas * price + value),
      balance: formatEther(balance),
      sent: false,
      files: [],
      toAccept: [],
      faults: [],
    };
  }

  /** If the settlement is not deployed yet, the contracts have no logs before the current block. */
  async #writeFirstState(): Promise<void> {
    const { settlement } = this.#parts.plan.addresses;
    if ((await this.#parts.rpc.request('eth_getCode', [settlement, 'latest'])) !== '0x') return;
    const fromBlock = Number(await this.#parts.rpc.request('eth_blockNumber'));
    await this.#parts.files.writeState({
      chainId: this.#parts.terms.settings.chainId,
      deployer: this.#parts.account.address,
      fromBlock,
    });
  }

  async #finish(estimate: DeploymentReport, sent: boolean): Promise<DeploymentReport> {
    const fromBlock = await this.#findFirstBlock();
    const faults = await findChainFaults(this.#toCheck(fromBlock));
    const files: string[] = [];
    if (!faults.some(({ isFatal }) => isFatal)) {
      const { rpc: rpcUrl } = this.#options;
      const entry = toChainsEntry({ terms: this.#parts.terms, plan: this.#parts.plan, rpcUrl, fromBlock });
      requireReadable(JSON.stringify({ chains: [entry] }));
      await this.#parts.files.writeChains(entry);
      files.push(this.#parts.files.chainsFile);
      files.push(...(await this.#parts.files.writeVerification(entry.chainId, this.#parts.plan)));
    }
    return { ...estimate, sent, files, faults, toAccept: await this.#deployer.listOffered() };
  }

  async #findFirstBlock(): Promise<number> {
    const { chainId, fromBlock } = this.#parts.terms.settings;
    const state = await this.#parts.files.readState(chainId);
    const isOurs = state?.deployer === this.#parts.account.address;
    const known = fromBlock ?? (isOurs ? state?.fromBlock : undefined);
    if (known !== undefined) return known;
    try {
      return await this.#deployer.findFirstBlock();
    } catch {
      const remedy = 'Write the block in which the settlement was deployed into the configuration as fromBlock.';
      throw new UsageError('the node cannot say when the contracts were deployed', remedy);
    }
  }

  #toCheck(fromBlock: number) {
    const { settings, holders, settlementGraceSeconds } = this.#parts.terms;
    const { transactionGasCap, arbitrator } = settings;
    const { plan } = this.#parts;
    return {
      rpc: this.#parts.rpc,
      keys: { settler: { address: holders.settler }, relayer: { address: holders.relayer } },
      settings: {
        chainId: settings.chainId,
        contracts: toServedContracts(plan),
        fromBlock,
        settlementGraceSeconds,
        ...(transactionGasCap !== undefined && { transactionGasCap }),
        ownerAddress: plan.addresses.timelock ?? settings.owner,
        pauserAddress: settings.pauser,
        creatorAddress: settings.creator,
        ...(settings.treasury !== undefined && { treasury: settings.treasury }),
        ...(arbitrator !== undefined && { arbitratorAddress: arbitrator }),
      },
    };
  }
}

async function readTerms(path: string): Promise<DeploymentTerms> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(error.message, 'Name the file that says what to deploy; docs/going-live.md describes it.');
  });
  const { terms, faults } = readDeploymentSettings(text);
  if (terms !== undefined) return terms;
  throw new UsageError(
    `${path} has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    'docs/going-live.md describes every field.',
  );
}

/** With --verify the deployer's address is enough: nothing is signed. */
async function findAccount(
  { key, verify }: DeployOptions,
  env: Environment,
  files: DeploymentFiles,
  chainId: number,
): Promise<LocalAccount> {
  if (key !== undefined) return readSigner(key, env);
  const known = verify ? await files.readState(chainId) : undefined;
  if (known === undefined)
    throw new UsageError('--key is missing', 'Write --key env:NAME, file:/path or signer:URL#0xADDRESS.');
  const never = () => Promise.reject(new Error('nothing is signed with --verify'));
  return toAccount({ address: known.deployer, signMessage: never, signTransaction: never, signTypedData: never });
}

function requireMoney({ cost, balance, deployer, steps }: DeploymentReport): void {
  if (steps.length === 0 || Number(balance) >= Number(cost)) return;
  throw new UsageError(
    `${deployer} has ${balance}, and the deployment costs ${cost} of the chain's coin`,
    'Send it the missing amount and some more, because the gas price changes.',
  );
}

function refuse(what: string, faults: readonly ChainFault[]): void {
  if (faults.length === 0) return;
  const lines = faults.map(({ detail, remedy }) => `  - ${detail}. ${remedy}`);
  throw new UsageError(`${what}:\n${lines.join('\n')}`);
}

function toUsageError(error: unknown): never {
  if (error instanceof DeployRefused) throw new UsageError(error.message);
  throw error;
}

/** Checks that the service could read the chains file. */
function requireReadable(text: string): void {
  const { faults } = readChainsFile(text);
  if (faults.length > 0) throw new Error(`the chains file would be invalid: ${faults.join('; ')}`);
}
