// The creation code of a stablecoin that not everybody may mint, for tests of a live chain.
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

let compiled: Hex | undefined;

export function toGuardedStablecoin({ issuer, decimals = 6, version = '2' }: GuardedStablecoinOptions): Hex {
  compiled ??= compile();
  const args = [issuer, decimals, stringToHex(version, { size: 32 })] as const;
  return encodeDeployData({ abi: guardedStablecoinAbi, bytecode: compiled, args });
}

/** Of what the Solidity tests are compiled to, which is kept: the compiler alone takes two seconds to load. */
function compile(): Hex {
  const found = compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'GuardedStablecoin');
  if (found === undefined) throw new Error('test/solidity has no GuardedStablecoin');
  return found.bytecode;
}
