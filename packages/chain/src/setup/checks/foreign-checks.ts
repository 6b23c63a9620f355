// Checks that foreign contracts are fit for a live chain: a stablecoin with permits, UMA's oracle or ours with the named arbitrator, and Pyth.
import type { Hex } from '@presage/protocol';
import { domainSeparator, encodeFunctionData, parseAbi } from 'viem';
import type { Rpc } from '../../rpc.ts';
import { ContractReverted, callContract } from '../../typed-contract.ts';
import { askCode, type ChainCheck, type ChainFault, type CheckedChain, fault, isSame } from './chain-fault.ts';
import { isBuiltFrom } from './code-checks.ts';

const DECIMALS = 6;
/** Functions with which test tokens let anybody mint. */
const FAUCET = parseAbi([
  'function mint(address to, uint256 amount)',
  'function mint(uint256 amount)',
  'function allocateTo(address to, uint256 amount)',
]);
const NO_FUNCTION: Hex = '0x5a3e0001';
const SOMEBODY = '0x00000000000000000000000000000000005a3e00';
const OTHER_COIN = "Name the network's native USDC, or another token with 6 decimals and EIP-2612 permits.";

export const checkStablecoin: ChainCheck = async ({ contracts }) => {
  const decimals = await contracts.stablecoin.read('decimals', []);
  return [decimals !== DECIMALS && fault(`the stablecoin has ${decimals} decimals instead of ${DECIMALS}`, OTHER_COIN)];
};

/** Wallets without gas trade by permits, and a domain that differs in a letter invalidates every one of them. */
export const checkPermitDomain: ChainCheck = async ({ settings, contracts }) => {
  const { stablecoin } = contracts;
  const read = async () => {
    const [name, version, found] = await Promise.all([
      stablecoin.read('name', []),
      stablecoin.read('version', []),
      stablecoin.read('DOMAIN_SEPARATOR', []),
    ]);
    const domain = { name, version, chainId: settings.chainId, verifyingContract: stablecoin.address };
    return domainSeparator({ domain }) === found;
  };
  // A token that reverts or returns nothing has no permits.
  const isKnown = await read().catch((error) => {
    if (error instanceof ContractReverted || (error instanceof Error && /AbiDecoding|Position/.test(error.name)))
      return undefined;
    throw error;
  });
  if (isKnown === undefined)
    return [fault('the stablecoin has no permits (name, version, DOMAIN_SEPARATOR)', OTHER_COIN)];
  return [
    !isKnown &&
      fault("the stablecoin's permit domain is not what its name, version, chain and address give", OTHER_COIN),
  ];
};

export const checkMint: ChainCheck = async ({ rpc, contracts }) => {
  const to = contracts.stablecoin.address;
  const calls = [
    encodeFunctionData({ abi: FAUCET, functionName: 'mint', args: [SOMEBODY, 1n] }),
    encodeFunctionData({ abi: FAUCET, functionName: 'mint', args: [1n] }),
    encodeFunctionData({ abi: FAUCET, functionName: 'allocateTo', args: [SOMEBODY, 1n] }),
  ];
  const [unknown, ...answers] = await Promise.all(
    [NO_FUNCTION, ...calls].map((data) => ask(rpc, { to, data, from: SOMEBODY })),
  );
  // A contract that accepts any call proves nothing by accepting these.
  const isOpen = unknown === undefined && answers.some((answer) => answer !== undefined);
  return [isOpen && fault('anybody may mint the stablecoin', OTHER_COIN)];
};

/** Returns undefined if the contract reverts. */
async function ask(rpc: Rpc, call: { to: Hex; data: Hex; from?: Hex }): Promise<Hex | undefined> {
  try {
    return await callContract(rpc, call);
  } catch (error) {
    if (error instanceof ContractReverted) return undefined;
    throw error;
  }
}

/** Functions that only our own oracles have. */
const OWN_SIGNS = parseAbi([
  'function arbitrator() view returns (address)',
  'function currency() view returns (address)',
  'function feedSigner() view returns (address)',
]);

export const checkOracle: ChainCheck = async (chain) => {
  const arbitrator = await askAddress(chain, chain.contracts.oracle.address, 'arbitrator');
  return arbitrator === undefined ? checkUma(chain) : checkArbitrated(chain, arbitrator);
};

async function checkArbitrated(chain: CheckedChain, arbitrator: Hex): Promise<(ChainFault | false)[]> {
  const { settings, contracts, rpc } = chain;
  const named = settings.arbitratorAddress;
  if (named === undefined) {
    const remedy =
      "Name UMA's OptimisticOracleV3, or the arbitrator with arbitratorAddress, whom traders then have to trust.";
    return [
      fault(`the optimistic oracle is ours, where ${arbitrator} decides every dispute, and nobody named them`, remedy),
    ];
  }
  const { optimisticOracleBytecode } = await import('@presage/contracts/bytecode');
  const isOurs = isBuiltFrom(await askCode(rpc, contracts.oracle.address), optimisticOracleBytecode);
  const currency = await askAddress(chain, contracts.oracle.address, 'currency');
  const redeploy = 'Deploy an oracle of this version with `presage deploy`.';
  return [
    !isSame(arbitrator, named) &&
      fault(`the oracle's arbitrator is ${arbitrator}, not ${named}`, 'Correct arbitratorAddress, or deploy again.'),
    !isOurs && fault('the code of the oracle is not of this version', redeploy),
    (currency === undefined || !isSame(currency, settings.contracts.stablecoin)) &&
      fault(`the oracle takes bonds in ${currency}, not in the stablecoin`, redeploy),
  ];
}

/** UMA accepts a currency only after it was approved and synced. */
async function checkUma({ settings, contracts }: CheckedChain): Promise<(ChainFault | false)[]> {
  const { stablecoin } = settings.contracts;
  const least = await contracts.oracle.read('getMinimumBond', [stablecoin]);
  const remedy = 'Choose a stablecoin that UMA has approved on this chain, or call syncUmaParams on its oracle first.';
  return [least === 0n && fault(`UMA's oracle takes no bonds in ${stablecoin}`, remedy)];
}

export const checkPriceOracle: ChainCheck = async (chain) => {
  const prices = chain.contracts.quick?.oracle.address;
  const signer = prices && (await askAddress(chain, prices, 'feedSigner'));
  const remedy =
    "Name Pyth's contract on this chain, or leave out contracts.priceOracle and contracts.quickMarketFactory.";
  return [signer !== undefined && fault('the price oracle is the one of the sandbox', remedy)];
};

async function askAddress(
  { rpc }: CheckedChain,
  to: Hex,
  functionName: 'arbitrator' | 'currency' | 'feedSigner',
): Promise<Hex | undefined> {
  const answer = await ask(rpc, { to, data: encodeFunctionData({ abi: OWN_SIGNS, functionName }) });
  return answer?.length === 66 ? `0x${answer.slice(26)}` : undefined;
}
