// Every check of one chain, in the order in which a fault of one makes the next meaningless.
import { messageOf } from '@presage/runtime';
import { createContracts } from '../../contracts.ts';
import { isRpcFailure } from '../../rpc-errors.ts';
import { ContractReverted } from '../../typed-contract.ts';
import { type ChainCheck, type ChainCheckOptions, type ChainFault, type CheckedChain, fault } from './chain-fault.ts';
import { checkCode, findMissingCode } from './code-checks.ts';
import { findMissingInstructions } from './evm-checks.ts';
import { checkGasMoney, checkHead, checkPaused, checkSigners, findOtherChain } from './node-checks.ts';
import { checkOracle, checkPriceOracle } from './oracle-checks.ts';
import { checkOwners, checkRoles } from './role-checks.ts';
import { checkMint, checkPermitDomain, checkStablecoin } from './token-checks.ts';
import { checkFirstBlock, checkGrace, checkMulticall, checkQuickWiring, checkWiring } from './wiring-checks.ts';

/** Checks by subject, which a fault names if the contract does not answer as expected. */
const CHECKS: Readonly<Record<string, ChainCheck>> = {
  node: checkHead,
  code: checkCode,
  wiring: checkWiring,
  'quick markets': checkQuickWiring,
  grace: checkGrace,
  stablecoin: checkStablecoin,
  permits: checkPermitDomain,
  mint: checkMint,
  roles: checkRoles,
  owners: checkOwners,
  oracle: checkOracle,
  'price oracle': checkPriceOracle,
  multicall: checkMulticall,
  fromBlock: checkFirstBlock,
  'gas money': checkGasMoney,
  pause: checkPaused,
  signers: checkSigners,
};

/** What is asked of the contracts of others, before ours are put beside them. */
const FOREIGN_CHECKS = ['node', 'stablecoin', 'permits', 'mint'] as const;

/** Before a deployment: is this the chain, and are the stablecoin and the oracles what they should be? */
export async function findForeignFaults(
  options: ChainCheckOptions,
  deployed: ReadonlySet<string>,
): Promise<ChainFault[]> {
  const otherChain = await findOtherChain(options);
  if (otherChain.length > 0) return otherChain;
  const instructions = await findMissingInstructions(options);
  if (instructions.length > 0) return instructions;
  const given = Object.entries(options.settings.contracts).filter(([name]) => !deployed.has(name));
  const missing = await findMissingCode(options.rpc, Object.fromEntries(given));
  if (missing.length > 0) return missing;
  const { rpc, settings } = options;
  const chain = { ...options, contracts: createContracts({ rpc, deployment: settings.contracts }) };
  const names = [...FOREIGN_CHECKS, ...(deployed.has('oracle') ? [] : ['oracle']), 'price oracle'];
  const found = await Promise.all(names.map((name) => runCheck(name, CHECKS[name]!, chain)));
  return found.flat();
}

/** Rejects when the chain cannot be asked. */
export async function findChainFaults(options: ChainCheckOptions): Promise<ChainFault[]> {
  const otherChain = await findOtherChain(options);
  if (otherChain.length > 0) return otherChain;
  const instructions = await findMissingInstructions(options);
  if (instructions.length > 0) return instructions;
  const missing = await findMissingCode(options.rpc, options.settings.contracts);
  if (missing.length > 0) return missing;
  const { rpc, settings } = options;
  const chain = { ...options, contracts: createContracts({ rpc, deployment: settings.contracts }) };
  const found = await Promise.all(Object.entries(CHECKS).map(([about, check]) => runCheck(about, check, chain)));
  return found.flat();
}

/** A contract of somebody else answers what nobody can read, or not at all. */
async function runCheck(about: string, check: ChainCheck, chain: CheckedChain): Promise<ChainFault[]> {
  try {
    return (await check(chain)).filter((each) => each !== false);
  } catch (error) {
    if (isRpcFailure(error) && !(error instanceof ContractReverted)) throw error;
    const [reason] = messageOf(error).split('\n');
    const remedy = 'Compare the addresses in contracts with those that `presage deploy` wrote.';
    return [fault(`a contract gave no answer to the check of ${about}: ${reason}`, remedy)];
  }
}
