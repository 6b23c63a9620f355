// The contracts of a data folder: deployed at its first start and then reused, even if the code would deploy newer ones.
import { dirname } from 'node:path';
import { HttpPost } from '@presage/chain/http-post';
import { FIRST_CHAIN_ID } from '@presage/devchain';
import { messageOf } from '@presage/runtime';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { SandboxDeployment } from '../deployer/deploy-contracts.ts';
import type { ChainPlace } from './chains-file.ts';
import { StartFault } from './start-fault.ts';

export interface ContractsStepOptions {
  readonly place: ChainPlace;
  readonly rpcUrl: string;
  readonly onProgress: (step: string) => void;
}

export interface ContractsFound {
  readonly deployment: SandboxDeployment;
  readonly isNew: boolean;
}

/** Version that this code deploys. */
const CONTRACTS_VERSION = 3;
/** Versions that the service supports; it asks a chain which one it has. */
const KNOWN_VERSIONS: readonly number[] = [2, CONTRACTS_VERSION];
/** Timeout for an answer of a local node that has reported itself ready. */
const ANSWER_MS = 30_000;

/*
 * Addresses are derived from the bytecode. Newer code would deploy to other addresses, which hold none of this folder's orders,
 * trades and balances, so an existing deployment is used unchanged.
 */
export async function openContracts(options: ContractsStepOptions): Promise<ContractsFound> {
  const { chainId, deploymentFile } = options.place;
  const known = await readContracts(options.place);
  if (known !== undefined) return { deployment: await requireCode(options, known), isNew: false };
  // Loaded when needed: the deployer imports a library that takes longer to load than the chain takes to start.
  const { deployContracts } = await import('../deployer/deploy-contracts.ts');
  const salt = BigInt(chainId - FIRST_CHAIN_ID);
  const deployment = await deployContracts({ rpcUrl: options.rpcUrl, salt, onStep: options.onProgress });
  await writeFileAtomically(deploymentFile, encode(deployment));
  return { deployment, isNew: true };
}

/** Loads the deployer while the chain starts; call it only if a deployment will be needed. */
export async function preloadDeployer(): Promise<void> {
  await import('../deployer/deploy-contracts.ts');
}

/** The deployment of an earlier start; undefined if there is none. */
export async function readContracts({ deploymentFile: file }: ChainPlace): Promise<SandboxDeployment | undefined> {
  const text = await readFileIfPresent(file);
  if (text === undefined) return undefined;
  const { version = 1, ...deployment } = decode(file, text);
  if (KNOWN_VERSIONS.includes(version)) return deployment;
  const dataDir = dirname(file);
  throw new StartFault(
    `The contracts in ${dataDir} are of version ${version}, and this Presage works with versions ${KNOWN_VERSIONS.join(' and ')}. ` +
      `Move ${dataDir} away to begin anew, or start the Presage that made it.`,
  );
}

async function requireCode({ place, rpcUrl }: ContractsStepOptions, deployment: SandboxDeployment) {
  if (await hasCode(rpcUrl, deployment.settlement)) return deployment;
  const { chainDir, deploymentFile: file } = place;
  throw new StartFault(
    `The chain in ${chainDir} has no contract at ${deployment.settlement}, where ${file} says the settlement is. ` +
      `The chain was removed or replaced: bring it back, or move ${dirname(file)} away to begin anew.`,
  );
}

/** Avoids `fetch`: loading it would take a fifth of the supervisor's own time in a start. */
async function hasCode(rpcUrl: string, address: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [address, 'latest'] });
  const post = new HttpPost(rpcUrl, { 'content-type': 'application/json' });
  try {
    const { result }: { result?: string } = JSON.parse((await post.send(body, ANSWER_MS)).text);
    return result !== undefined && result !== '0x';
  } finally {
    post.close();
  }
}

function encode(deployment: SandboxDeployment): string {
  const written = { version: CONTRACTS_VERSION, ...deployment, bondAmount: deployment.bondAmount.toString() };
  return `${JSON.stringify(written, null, 2)}\n`;
}

function decode(file: string, text: string): SandboxDeployment & { readonly version?: number } {
  try {
    const kept: Omit<SandboxDeployment, 'bondAmount'> & { bondAmount: string } = JSON.parse(text);
    return { ...kept, bondAmount: BigInt(kept.bondAmount) };
  } catch (error) {
    throw new StartFault(`${file} cannot be read (${messageOf(error)}): bring it back from a copy.`);
  }
}
