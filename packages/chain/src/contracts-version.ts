// Which version of our contracts a chain has: version 3 says so itself, version 2 came before anybody asked.
import type { Contracts } from './contracts.ts';
import { ContractReverted } from './typed-contract.ts';

export type ContractsVersion = 2 | 3;

/** Undefined for a version that this Presage does not know. */
export async function readContractsVersion({ settlement }: Contracts): Promise<ContractsVersion | undefined> {
  try {
    const version = await settlement.read('VERSION', []);
    return version === 3n ? 3 : undefined;
  } catch (error) {
    if (error instanceof ContractReverted) return 2;
    throw error;
  }
}
