// Checks that the EVM has every instruction of our contracts, and that each address has code, of this version if it should be ours.
import type { readVersion3 } from '@presage/contracts/version-3';
import { fromHex, type Hex } from '@presage/protocol';
import type { EventContracts } from '../../contracts.ts';
import { type ContractsVersion, readContractsVersion } from '../../contracts-version.ts';
import { type Rpc, RpcError } from '../../rpc.ts';
import { ContractReverted, callContract } from '../../typed-contract.ts';
import { askCode, type ChainCheck, type ChainCheckOptions, type ChainFault, fault } from './chain-fault.ts';

const FOREIGN = 'Name the address that `presage deploy` wrote, or deploy the contracts of this version.';

/** Checked before anything else, because an address without code answers nothing. */
export async function findMissingCode(rpc: Rpc, contracts: Readonly<Record<string, Hex>>): Promise<ChainFault[]> {
  const faults = Object.entries(contracts).map(async ([name, address]) => {
    if ((await askCode(rpc, address)) !== '0x') return [];
    return [fault(`there is no contract at ${address}, which contracts.${name} names`, FOREIGN)];
  });
  return (await Promise.all(faults)).flat();
}

export const checkCode: ChainCheck = async ({ rpc, contracts }) => {
  const { settlement, conditionalTokens, marketFactory, quick, events } = contracts;
  const creations = await loadVersion(await readContractsVersion(contracts));
  const known: [string, Hex, Hex][] = [
    ['settlement', settlement.address, creations.presageSettlement],
    ['conditional tokens', conditionalTokens.address, creations.conditionalTokensWithPermit],
    ['market factory', marketFactory.address, creations.marketFactory],
    ['market', await marketFactory.read('marketImplementation', []), creations.market],
  ];
  if (quick !== undefined) {
    const quickMarket = await quick.factory.read('marketImplementation', []);
    known.push(['quick market factory', quick.factory.address, creations.quickMarketFactory]);
    known.push(['quick market', quickMarket, creations.quickMarket]);
  }
  if (events !== undefined) known.push(...(await listEventCode(events)));
  const faults = known.map(async ([name, address, creation]) => {
    const isOurs = isBuiltFrom(await askCode(rpc, address), creation);
    return !isOurs && fault(`the code of the ${name} at ${address} is not of this version`, FOREIGN);
  });
  return Promise.all(faults);
};

/** Event contracts with the current bytecode: no recorded older version has events. */
async function listEventCode({ factory, event }: EventContracts): Promise<[string, Hex, Hex][]> {
  const bytecode = await import('@presage/contracts/bytecode');
  const implementation = await factory.read('eventImplementation', []);
  const outcome = await event(implementation).read('outcomeImplementation', []);
  return [
    ['event factory', factory.address, bytecode.eventFactoryBytecode],
    ['event', implementation, bytecode.eventMarketBytecode],
    ['market of an outcome', outcome, bytecode.outcomeMarketBytecode],
  ];
}

/** Imported on demand: hundreds of kilobytes that only a live chain needs. */
async function loadVersion(version: ContractsVersion | undefined): Promise<ReturnType<typeof readVersion3>> {
  if (version === 2) return (await import('@presage/contracts/version-2')).readVersion2();
  if (version === 3) return (await import('@presage/contracts/version-3')).readVersion3();
  if (version === 4) return (await import('@presage/contracts/version-4')).readVersion4();
  if (version === 5) return (await import('@presage/contracts/version-5')).readVersion5();
  const bytecode = await import('@presage/contracts/bytecode');
  return {
    presageSettlement: bytecode.presageSettlementBytecode,
    conditionalTokensWithPermit: bytecode.conditionalTokensWithPermitBytecode,
    marketFactory: bytecode.marketFactoryBytecode,
    market: bytecode.marketBytecode,
    quickMarketFactory: bytecode.quickMarketFactoryBytecode,
    quickMarket: bytecode.quickMarketBytecode,
  };
}

/** The creation code ends with the deployed code, in which the constructor fills the zeros of immutables. */
export function isBuiltFrom(code: Hex, creation: Hex): boolean {
  const [deployed, built] = [fromHex(code), fromHex(creation)];
  const start = built.length - deployed.length;
  if (deployed.length === 0 || start < 0) return false;
  return deployed.every((byte, index) => byte === built[start + index] || built[start + index] === 0);
}

interface ProbedInstruction {
  readonly name: string;
  readonly opcode: number;
  /** The hard fork that introduced it. */
  readonly since: string;
  /** Creation code that executes the instruction and deploys an empty contract. */
  readonly program: Hex;
}

/**
 * Instructions that the compiler may use for the EVM version in contracts/scripts/compile.ts and that older EVMs lack;
 * a test compares the bytecode.
 */
export const PROBED_INSTRUCTIONS: readonly ProbedInstruction[] = [
  { name: 'PUSH0', opcode: 0x5f, since: 'Shanghai', program: '0x5f5ff3' },
  { name: 'MCOPY', opcode: 0x5e, since: 'Cancun', program: '0x6000600060005e60006000f3' },
];

/** Runs on every EVM: a node that refuses it refuses this kind of call and reveals nothing about instructions. */
const ANY_EVM: Hex = '0x60006000f3';
const REMEDY =
  'The contracts need an EVM of Cancun or later: name a node whose chain has that upgrade, or start the development chain with it (Anvil: `--hardfork cancun`; Ganache ends at Shanghai).';

/**
 * Detects an EVM that is older than the contracts were compiled for: they can be deployed there and then revert in some
 * functions without a reason.
 */
export async function findMissingInstructions({ rpc }: Pick<ChainCheckOptions, 'rpc'>): Promise<ChainFault[]> {
  const refusals = await Promise.all(PROBED_INSTRUCTIONS.map(({ program }) => findRefusal(rpc, program)));
  if (refusals.every((refusal) => refusal === undefined)) return [];
  const refusal = await findRefusal(rpc, ANY_EVM);
  if (refusal !== undefined) throw refusal;
  return PROBED_INSTRUCTIONS.flatMap(({ name, since, program }, index) => {
    const reason = refusals[index]?.message;
    if (reason === undefined) return [];
    return [fault(`the EVM has no ${name} (${since}): eth_call of the code ${program} answered "${reason}"`, REMEDY)];
  });
}

async function findRefusal(rpc: Rpc, data: Hex): Promise<RpcError | undefined> {
  try {
    await callContract(rpc, { data });
    return undefined;
  } catch (error) {
    const refusal = error instanceof ContractReverted ? error.cause : error;
    if (refusal instanceof RpcError) return refusal;
    throw error;
  }
}
