// Whether a live chain is what its settings say: asked at every start, so that no money meets a sandbox contract or a stranger's.
import { setTimeout as sleep } from 'node:timers/promises';
import { ContractReverted, type Contracts, callContract, isRpcFailure, type Rpc } from '@presage/chain';
import { fromHex, type Hex } from '@presage/protocol';
import { encodeFunctionData, isAddressEqual, keccak256, parseAbi, stringToHex } from 'viem';
import type { ChainConfig } from '../config.ts';

export interface ChainCheckOptions {
  readonly chain: ChainConfig;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly settler: Hex;
  readonly relayer: Hex;
}

/** The chain cannot be served as it is set up; every reason at once. */
class ChainUnfit extends Error {
  override readonly name = 'ChainUnfit';

  constructor(chainId: number, faults: readonly string[]) {
    super(`chain ${chainId} cannot be served:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

const RETRY_MS = 5_000;
const DECIMALS = 6;
const CREATOR_ROLE = keccak256(stringToHex('CREATOR_ROLE'));
const FAUCET = parseAbi(['function mint(address to, uint256 amount)']);
/** Only the oracles of the sandbox know these. */
const SANDBOX_SIGNS = parseAbi([
  'function arbitrator() view returns (address)',
  'function feedSigner() view returns (address)',
]);
const SOMEBODY = '0x00000000000000000000000000000000005a3e00';

/**
 * Throws `ChainUnfit`. A chain that was fit at an earlier start and is unreachable now is asked until it answers, and then
 * judged through `onUnfit`.
 */
export async function requireFitChain(
  options: ChainCheckOptions,
  { wasFit, onUnfit }: { readonly wasFit: boolean; readonly onUnfit: (error: unknown) => void },
): Promise<void> {
  try {
    await assertFit(options);
  } catch (error) {
    if (!wasFit || !isRpcFailure(error)) throw error;
    void retryUntilAnswered(options).catch(onUnfit);
  }
}

async function retryUntilAnswered(options: ChainCheckOptions): Promise<void> {
  for (;;) {
    await sleep(RETRY_MS, undefined, { ref: false });
    try {
      return await assertFit(options);
    } catch (error) {
      if (!isRpcFailure(error)) throw error;
    }
  }
}

async function assertFit(options: ChainCheckOptions): Promise<void> {
  const faults = await findChainFaults(options);
  if (faults.length > 0) throw new ChainUnfit(options.chain.chainId, faults);
}

/** Rejects when the chain cannot be asked. */
export async function findChainFaults(options: ChainCheckOptions): Promise<string[]> {
  const checks = [checkTokens, checkRoles, checkGrace, checkMint, checkOracles, checkCode];
  const faults = await Promise.all(checks.map((check) => check(options)));
  return faults.flat();
}

async function checkTokens({ chain, contracts }: ChainCheckOptions): Promise<string[]> {
  const { settlement, stablecoin } = contracts;
  const [collateral, tokens, decimals] = await Promise.all([
    settlement.read('collateral', []),
    settlement.read('conditionalTokens', []),
    stablecoin.read('decimals', []),
  ]);
  return [
    isAddressEqual(collateral, chain.contracts.stablecoin) ||
      `the settlement's collateral is ${collateral}, not the stablecoin`,
    isAddressEqual(tokens, chain.contracts.conditionalTokens) || `the settlement's conditional tokens are ${tokens}`,
    decimals === DECIMALS || `the stablecoin has ${decimals} decimals instead of ${DECIMALS}`,
  ].filter(isFault);
}

async function checkRoles({ contracts, settler, relayer }: ChainCheckOptions): Promise<string[]> {
  const { settlement, marketFactory, quick } = contracts;
  const [operator, owner, factoryOwner] = await Promise.all([
    settlement.read('operator', []),
    settlement.read('owner', []),
    marketFactory.read('owner', []),
  ]);
  const isQuickCreator = (await quick?.factory.read('hasRole', [CREATOR_ROLE, settler])) ?? true;
  const hot = [settler, relayer];
  return [
    isAddressEqual(operator, settler) || `the settlement's operator is ${operator}, not the settler ${settler}`,
    isQuickCreator || `the settler ${settler} may not create quick markets`,
    ...[owner, factoryOwner].map(
      (each) => !hot.some((key) => isAddressEqual(key, each)) || `${each} owns a contract and signs for the service`,
    ),
  ].filter(isFault);
}

/** What is signed hangs over its trader for that long. */
async function checkGrace({ chain, contracts }: ChainCheckOptions): Promise<string[]> {
  const grace = Number(await contracts.settlement.read('SETTLEMENT_GRACE', []));
  const most = chain.settlementGraceSeconds;
  return grace <= most ? [] : [`the settlement's grace is ${grace} s; settlementGraceSeconds allows ${most} s`];
}

async function checkMint({ rpc, contracts }: ChainCheckOptions): Promise<string[]> {
  const data = encodeFunctionData({ abi: FAUCET, functionName: 'mint', args: [SOMEBODY, 1n] });
  const isOpen = await answers(rpc, { to: contracts.stablecoin.address, data, from: SOMEBODY });
  return isOpen ? ['anybody may mint the stablecoin'] : [];
}

async function checkOracles({ rpc, contracts }: ChainCheckOptions): Promise<string[]> {
  const asks = async (to: Hex, functionName: 'arbitrator' | 'feedSigner') => {
    const answer = await ask(rpc, { to, data: encodeFunctionData({ abi: SANDBOX_SIGNS, functionName }) });
    return answer !== undefined && answer.length === 66;
  };
  const prices = contracts.quick?.oracle.address;
  return [
    !(await asks(contracts.oracle.address, 'arbitrator')) || 'the optimistic oracle is the one of the sandbox',
    prices === undefined || !(await asks(prices, 'feedSigner')) || 'the price oracle is the one of the sandbox',
  ].filter(isFault);
}

async function checkCode({ rpc, contracts }: ChainCheckOptions): Promise<string[]> {
  // Hundreds of kilobytes that only a live chain needs.
  const bytecode = await import('@presage/contracts/bytecode');
  const market = await contracts.marketFactory.read('marketImplementation', []);
  const known: [string, Hex, Hex][] = [
    ['settlement', contracts.settlement.address, bytecode.presageSettlementBytecode],
    ['conditional tokens', contracts.conditionalTokens.address, bytecode.conditionalTokensWithPermitBytecode],
    ['market factory', contracts.marketFactory.address, bytecode.marketFactoryBytecode],
    ['market', market, bytecode.marketBytecode],
  ];
  if (contracts.quick !== undefined) {
    const quickMarket = await contracts.quick.factory.read('marketImplementation', []);
    known.push(['quick market factory', contracts.quick.factory.address, bytecode.quickMarketFactoryBytecode]);
    known.push(['quick market', quickMarket, bytecode.quickMarketBytecode]);
  }
  const faults = known.map(async ([name, address, creation]) => {
    const code = (await rpc.request('eth_getCode', [address, 'latest'])) as Hex;
    return isBuiltFrom(code, creation) || `the code of the ${name} at ${address} is not of this version`;
  });
  return (await Promise.all(faults)).filter(isFault);
}

/** The creation code ends with the code that it leaves, in which the constructor fills in the zeros of immutables. */
export function isBuiltFrom(code: Hex, creation: Hex): boolean {
  const [deployed, built] = [fromHex(code), fromHex(creation)];
  const start = built.length - deployed.length;
  if (deployed.length === 0 || start < 0) return false;
  return deployed.every((byte, index) => byte === built[start + index] || built[start + index] === 0);
}

async function answers(rpc: Rpc, call: { to: Hex; data: Hex; from: Hex }): Promise<boolean> {
  return (await ask(rpc, call)) !== undefined;
}

async function ask(rpc: Rpc, call: { to: Hex; data: Hex; from?: Hex }): Promise<Hex | undefined> {
  try {
    return await callContract(rpc, call);
  } catch (error) {
    if (error instanceof ContractReverted) return undefined;
    throw error;
  }
}

function isFault(fault: string | true): fault is string {
  return fault !== true;
}
