// Deploys the contracts of the sandbox: our own oracles, a free test stablecoin, and published keys in every role.
import type { Deployment } from '@presage/chain';
import { Deployer, planContracts, planRoles, toServedContracts } from '@presage/chain/setup';
import { testStablecoinAbi } from '@presage/contracts';
import { keyOf, SANDBOX_TREASURY } from '@presage/devchain';
import type { Hex } from '@presage/protocol';
import { createPublicClient, encodeFunctionData, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const POLL_MS = 25;
const TIMEOUT_MS = 30_000;
/** A million dollars of the test stablecoin: enough for thousands of bonds at once, which return to the sponsor. */
const SPONSOR_FUNDS = 1_000_000_000_000n;
/** Least bond of an assertion, whatever bond a market sets; in the stablecoin's units of 10^-6. */
const MINIMUM_BOND = 1_000_000n;
/** Thirty days: after this time without a result anyone may void a market. */
const VOID_DELAY_SECONDS = 2_592_000;

export interface SandboxDeployment extends Deployment {
  readonly chainId: number;
  readonly owner: Hex;
  readonly marketImplementation: Hex;
  readonly settlementGraceSeconds: number;
  readonly bondAmount: bigint;
  /** Account that receives the fees; absent from deployments without fees. */
  readonly treasury?: Hex;
  /** The contracts have no logs before this block. */
  readonly blockNumber: number;
}

export interface DeployOptions {
  readonly rpcUrl: string;
  /** Salt of the addresses: 0 for the first chain of a service; every further chain needs another. */
  readonly salt?: bigint;
  /** Called after each transaction is sent. */
  readonly onStep?: (step: string) => void;
}

export async function deployContracts({ rpcUrl, salt = 0n, onStep }: DeployOptions): Promise<SandboxDeployment> {
  const account = privateKeyToAccount(keyOf('owner').privateKey);
  const terms = { settlementGraceSeconds: 3_600, bondAmount: 100_000_000n };
  const plan = planContracts({
    ...terms,
    deployer: account.address,
    stablecoin: 'test',
    oracle: {
      arbitrator: keyOf('arbitrator').address,
      secondArbitrator: account.address,
      minimumBond: MINIMUM_BOND,
    },
    priceOracle: { feedSigner: keyOf('feedSigner').address },
    multicall: 'deploy',
    // The operator sponsors bonds here, so that proposing in the sandbox takes no money.
    bondPermitRequired: false,
    voidDelaySeconds: VOID_DELAY_SECONDS,
    salt,
  });
  // The owner creates markets, and so does the relayer for its users.
  const creators = (['owner', 'settler', 'relayer'] as const).map((role) => keyOf(role).address);
  const roles = planRoles(plan, { settler: keyOf('settler').address, creators });
  const treasury = SANDBOX_TREASURY;
  const timing = { pollMs: POLL_MS, timeoutMs: TIMEOUT_MS };
  const deployer = new Deployer({ rpcUrl, account, plan, roles, treasury, ...timing, onStep });
  await deployer.run();
  const { addresses } = plan;
  await fundSponsor(deployer, rpcUrl, addresses.stablecoin);
  const chainId = await createPublicClient({ transport: http(rpcUrl) }).getChainId();
  const blockNumber = await deployer.findFirstBlock();
  const { marketImplementation } = addresses;
  return {
    ...toServedContracts(plan),
    marketImplementation,
    ...terms,
    chainId,
    owner: account.address,
    treasury,
    blockNumber,
  };
}

/** Funds the relayer, which puts up the bond of proposers who have none. */
async function fundSponsor(deployer: Deployer, rpcUrl: string, stablecoin: Hex): Promise<void> {
  const reader = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) });
  const coin = { address: stablecoin, abi: testStablecoinAbi } as const;
  const sponsor = keyOf('relayer').address;
  if ((await reader.readContract({ ...coin, functionName: 'balanceOf', args: [sponsor] })) > 0n) return;
  const data = encodeFunctionData({ abi: coin.abi, functionName: 'mint', args: [sponsor, SPONSOR_FUNDS] });
  await deployer.send('fund the bond sponsor', { to: stablecoin, data });
}
