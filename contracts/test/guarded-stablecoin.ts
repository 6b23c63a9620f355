// The creation code of a stablecoin that not everybody may mint, for tests of a live chain.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Address, encodeDeployData, type Hex, parseAbi, stringToHex } from 'viem';
import { compileInput, settings } from '../scripts/compile.ts';

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

const NAME = 'GuardedStablecoin';
const BASE = 'solady/src/tokens/ERC20.sol';
let compiled: Hex | undefined;

export function toGuardedStablecoin({ issuer, decimals = 6, version = '2' }: GuardedStablecoinOptions): Hex {
  compiled ??= compile();
  const args = [issuer, decimals, stringToHex(version, { size: 32 })] as const;
  return encodeDeployData({ abi: guardedStablecoinAbi, bytecode: compiled, args });
}

function compile(): Hex {
  const own = readFileSync(join(import.meta.dirname, `solidity/${NAME}.sol`), 'utf8');
  const base = readFileSync(createRequire(import.meta.url).resolve(BASE), 'utf8');
  const sources = { [`${NAME}.sol`]: { content: own }, [BASE]: { content: base } };
  return compileInput({ language: 'Solidity', sources, settings: settings.tests }, `${NAME}.sol`, NAME);
}
