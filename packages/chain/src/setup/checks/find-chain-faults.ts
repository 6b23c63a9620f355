// Runs every check of one chain, in the order in which a fault of one makes the next meaningless.
import type { Hex } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import { createContracts } from '../../contracts.ts';
import { isRpcFailure } from '../../rpc.ts';
import { ContractReverted } from '../../typed-contract.ts';
import { type ChainCheck, type ChainCheckOptions, type ChainFault, type CheckedChain, fault } from './chain-fault.ts';
import { checkCode, findMissingCode, findMissingInstructions } from './code-checks.ts';
import { checkMint, checkOracle, checkPermitDomain, checkPriceOracle, checkStablecoin } from './foreign-checks.ts';
import { checkGasMoney, checkHead, checkPaused, checkSigners, findOtherChain } from './node-checks.ts';
import { checkOwners, checkRegistrars, checkRoles, checkTreasury } from './role-checks.ts';
import {
  checkEventWiring,
  checkFirstBlock,
  checkGrace,
  checkMulticall,
  checkQuickWiring,
  checkWiring,
} from './wiring-checks.ts';

/** Checks by subject; a fault names the subject if the contract does not answer as expected. */
const CHECKS: Readonly<Record<string, ChainCheck>> = {
  node: checkHead,
  code: checkCode,
  wiring: checkWiring,
  events: checkEventWiring,
  'quick markets': checkQuickWiring,
  grace: checkGrace,
  stablecoin: checkStablecoin,
  permits: checkPermitDomain,
  mint: checkMint,
  roles: checkRoles,
  registrars: checkRegistrars,
  owners: checkOwners,
  treasury: checkTreasury,
  oracle: checkOracle,
  'price oracle': checkPriceOracle,
  multicall: checkMulticall,
  fromBlock: checkFirstBlock,
  'gas money': checkGasMoney,
  pause: checkPaused,
  signers: checkSigners,
};

/** Checks of contracts that are not ours, run before ours are deployed beside them. */
const FOREIGN_CHECKS = ['node', 'stablecoin', 'permits', 'mint'] as const;

/** Checks before a deployment: the right chain, and the right stablecoin and oracles. */
export function findForeignFaults(options: ChainCheckOptions, deployed: ReadonlySet<string>): Promise<ChainFault[]> {
  const given = Object.entries(options.settings.contracts).filter(([name]) => !deployed.has(name));
  const names = [...FOREIGN_CHECKS, ...(deployed.has('oracle') ? [] : ['oracle']), 'price oracle'];
  return findFaults(options, Object.fromEntries(given), names);
}

/** Rejects if the chain cannot be reached. */
export function findChainFaults(options: ChainCheckOptions): Promise<ChainFault[]> {
  return findFaults(options, options.settings.contracts, Object.keys(CHECKS));
}

async function findFaults(
  options: ChainCheckOptions,
  needed: Readonly<Record<string, Hex>>,
  checks: readonly string[],
): Promise<ChainFault[]> {
  const { rpc, settings } = options;
  for (const find of [findOtherChain, findMissingInstructions, () => findMissingCode(rpc, needed)]) {
    const faults = await find(options);
    if (faults.length > 0) return faults;
  }
  const chain = { ...options, contracts: createContracts({ rpc, deployment: settings.contracts }) };
  return (await Promise.all(checks.map((name) => runCheck(name, CHECKS[name]!, chain)))).flat();
}

/** Reports a contract whose answer is missing or unreadable: it may be a foreign one. */
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
