// The files of a deployment: its state, the chains file, and the input that explorers need to verify the sources.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractPlan, toChainsEntry } from '@presage/chain/setup';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { UsageError } from '../exit-codes.ts';

type ChainsEntry = ReturnType<typeof toChainsEntry>;

/** Written before the first transaction, so that an interrupted run can be continued. */
export interface DeploymentState {
  readonly chainId: number;
  readonly deployer: `0x${string}`;
  /** The contracts have no logs before this block. */
  readonly fromBlock: number;
}

export class DeploymentFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  get chainsFile(): string {
    return join(this.#dir, 'chains.json');
  }

  async readState(chainId: number): Promise<DeploymentState | undefined> {
    const text = await readFileIfPresent(this.#stateFile(chainId));
    return text === undefined ? undefined : parse<DeploymentState>(this.#stateFile(chainId), text);
  }

  async writeState(state: DeploymentState): Promise<void> {
    await this.#write(this.#stateFile(state.chainId), state);
  }

  /** Keeps the file's other chains, and the fields that an operator added to this one. */
  async writeChains(entry: ChainsEntry): Promise<void> {
    const text = await readFileIfPresent(this.chainsFile);
    const { chains = [] } = parse<{ chains?: ChainsEntry[] }>(this.chainsFile, text ?? '{}');
    const isNew = !chains.some(({ chainId }) => chainId === entry.chainId);
    const replaced = chains.map((each) => (each.chainId === entry.chainId ? merge(each, entry) : each));
    await this.#write(this.chainsFile, { chains: isNew ? [...chains, entry] : replaced });
  }

  /** Returns the paths; none if the sources could not be read when this program was built. */
  async writeVerification(chainId: number, { deployed }: ContractPlan): Promise<readonly string[]> {
    const { input, sources, compiler } = await import('@presage/contracts/verification');
    if (input === undefined) return [];
    const contracts = Object.entries(deployed).map(([name, { address, contract, constructorArguments }]) => ({
      name,
      address,
      source: sources[contract] ?? `${contract}, whose sources are published by its authors`,
      constructorArguments,
    }));
    const files = [join(this.#dir, 'standard-input.json'), join(this.#dir, `contracts-${chainId}.json`)] as const;
    await this.#write(files[0], input);
    await this.#write(files[1], { compiler, contracts });
    return files;
  }

  #stateFile(chainId: number): string {
    return join(this.#dir, `deployment-${chainId}.json`);
  }

  async #write(path: string, value: object): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    await writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
  }
}

/** Keeps the fields that a deployment's configuration lacks, and additional nodes; takes all other fields from the deployment. */
function merge({ minOrderSize, batchesInFlight, simulation, rpcUrls: known = [] }: ChainsEntry, entry: ChainsEntry) {
  const rpcUrls = entry.rpcUrls.every((url) => known.includes(url)) ? known : entry.rpcUrls;
  // Fields that are undefined are not written.
  return { ...entry, rpcUrls, minOrderSize, batchesInFlight, simulation };
}

/** Trusts the shape: the files are written by this program or by hand as docs/going-live.md describes. */
function parse<T>(path: string, text: string): T {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`, 'Correct it, or move it away.');
  }
}
