// The creation code of stablecoins as live chains have them: one that not everybody may mint, and one that costs what USDC costs.
import { type Address, encodeDeployData, type Hex, parseAbi, stringToHex } from 'viem';
import { compileFolder, settings } from '../scripts/compile.ts';

export interface GuardedStablecoinOptions {
  readonly issuer: Address;
  readonly decimals?: number;
  /** What it says of itself; permits are checked with 2. */
  readonly version?: string;
}

export const guardedStablecoinAbi = parseAbi([
  'constructor(address issuer, uint8 decimals, bytes32 claimedVersion)',
  'function mint(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
]);

const compiled = new Map<string, Hex>();

export function toGuardedStablecoin({ issuer, decimals = 6, version = '2' }: GuardedStablecoinOptions): Hex {
  const args = [issuer, decimals, stringToHex(version, { size: 32 })] as const;
  return encodeDeployData({ abi: guardedStablecoinAbi, bytecode: compile('GuardedStablecoin'), args });
}

/** Behind a proxy, with a pause, a block list and a counted allowance; anybody mints. */
export function toDearStablecoin(): Hex {
  return compile('DearStablecoin');
}

/** Measures a second transfer in one transaction. */
export function toBareTransfer(): Hex {
  return compile('BareTransfer');
}

/** Of what the Solidity tests are compiled to, which is kept: the compiler alone takes two seconds to load. */
function compile(contract: string): Hex {
  const known = compiled.get(contract);
  if (known !== undefined) return known;
  const found = compileFolder('test/solidity', settings.tests).find(({ name }) => name === contract);
  if (found === undefined) throw new Error(`test/solidity has no ${contract}`);
  compiled.set(contract, found.bytecode);
  return found.bytecode;
}
