// Whether the oracles are those of a live chain: UMA's, or ours with the arbitrator that was named; and Pyth.
import type { Hex } from '@presage/protocol';
import { encodeFunctionData, parseAbi } from 'viem';
import { askCode, type ChainCheck, type ChainFault, type CheckedChain, fault, isSame } from './chain-fault.ts';
import { isBuiltFrom } from './code-checks.ts';
import { ask } from './token-checks.ts';

/** Only our own oracles know these. */
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

/** UMA knows a currency only after it was approved and synced. */
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
