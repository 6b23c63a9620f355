// Whether there is code at every address, and whether it is of this version where it should be ours.
import { fromHex, type Hex } from '@presage/protocol';
import type { Rpc } from '../../rpc.ts';
import { askCode, type ChainCheck, type ChainFault, fault } from './chain-fault.ts';

const FOREIGN = 'Name the address that `presage deploy` wrote, or deploy the contracts of this version.';

/** Asked before anything else: nothing answers where there is no code. */
export async function findMissingCode(rpc: Rpc, contracts: Readonly<Record<string, Hex>>): Promise<ChainFault[]> {
  const faults = Object.entries(contracts).map(async ([name, address]) => {
    if ((await askCode(rpc, address)) !== '0x') return [];
    return [fault(`there is no contract at ${address}, which contracts.${name} names`, FOREIGN)];
  });
  return (await Promise.all(faults)).flat();
}

export const checkCode: ChainCheck = async ({ rpc, contracts }) => {
  // Hundreds of kilobytes that only a live chain needs.
  const bytecode = await import('@presage/contracts/bytecode');
  const { settlement, conditionalTokens, marketFactory, quick } = contracts;
  const known: [string, Hex, Hex][] = [
    ['settlement', settlement.address, bytecode.presageSettlementBytecode],
    ['conditional tokens', conditionalTokens.address, bytecode.conditionalTokensWithPermitBytecode],
    ['market factory', marketFactory.address, bytecode.marketFactoryBytecode],
    ['market', await marketFactory.read('marketImplementation', []), bytecode.marketBytecode],
  ];
  if (quick !== undefined) {
    const quickMarket = await quick.factory.read('marketImplementation', []);
    known.push(['quick market factory', quick.factory.address, bytecode.quickMarketFactoryBytecode]);
    known.push(['quick market', quickMarket, bytecode.quickMarketBytecode]);
  }
  const faults = known.map(async ([name, address, creation]) => {
    const isOurs = isBuiltFrom(await askCode(rpc, address), creation);
    return !isOurs && fault(`the code of the ${name} at ${address} is not of this version`, FOREIGN);
  });
  return Promise.all(faults);
};

/** The creation code ends with the code that it leaves, in which the constructor fills in the zeros of immutables. */
export function isBuiltFrom(code: Hex, creation: Hex): boolean {
  const [deployed, built] = [fromHex(code), fromHex(creation)];
  const start = built.length - deployed.length;
  if (deployed.length === 0 || start < 0) return false;
  return deployed.every((byte, index) => byte === built[start + index] || built[start + index] === 0);
}
