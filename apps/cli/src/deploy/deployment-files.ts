// The files of a deployment: its state, the chains file, and what explorers need to verify the sources.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractPlan, toChainsEntry } from '@presage/chain/setup';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { UsageError } from '../exit-codes.ts';

type ChainsEntry = ReturnType<typeof toChainsEntry>;

/** Written before the first transaction, so that a run that was interrupted can be continued. */
export interface DeploymentState {
  readonly chainId: number;
  readonly deployer: `0x${string}`;
  /** No log of the contracts is older. */
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

  /** Other chains of the file stay as they are, and so does what an operator wrote about this one. */
  async writeChains(entry: ChainsEntry): Promise<void> {
    const text = await readFileIfPresent(this.chainsFile);
    const { chains = [] } = parse<{ chains?: ChainsEntry[] }>(this.chainsFile, text ?? '{}');
    const isNew = !chains.some(({ chainId }) => chainId === entry.chainId);
    const replaced = chains.map((each) => (each.chainId === entry.chainId ? merge(each, entry) : each));
    await this.#write(this.chainsFile, { chains: isNew ? [...chains, entry] : replaced });
  }

  /** The paths; none where the sources could not be read when this program was built. */
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

/** Keeps the fields that no configuration of a deployment has, and further nodes; all other fields are the deployment's. */
function merge({ minOrderSize, batchesInFlight, simulation, rpcUrls: known = [] }: ChainsEntry, entry: ChainsEntry) {
  const rpcUrls = entry.rpcUrls.every((url) => known.includes(url)) ? known : entry.rpcUrls;
  // Fields that are undefined are not written.
  return { ...entry, rpcUrls, minOrderSize, batchesInFlight, simulation };
}

/** The files are written here, or as the documentation of deployments says. */
function parse<T>(path: string, text: string): T {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`, 'Correct it, or move it away.');
  }
}
