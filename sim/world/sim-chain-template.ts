// The chain as every seed finds it: contracts deployed, markets made, wallets with money. Made once.
import { type Contracts, createContracts, type Deployment, type Rpc } from '@presage/chain';
import { type Hex, type MarketId, sha256OfLines } from '@presage/protocol';
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { keyOf } from '../../apps/sandbox/src/chain/sandbox-keys.ts';
import { deployContracts, type SandboxDeployment } from '../../apps/sandbox/src/deployer/deploy-contracts.ts';
import { install } from '../kernel/install.ts';
import { VirtualTime } from '../kernel/virtual-time.ts';
import { PreparedChain } from './prepared-chain.ts';
import { SimChain } from './sim-chain.ts';

/** When every simulated world begins: shortly before a quarter of an hour ends, and with it a quick market. */
export const START_MS = 1_800_000_900_000 - 35_000;
export const TRADER_NAMES = ['ann', 'ben', 'cas', 'dot', 'eve', 'fay', 'gil', 'hal'] as const;
/** Some orders at once, and not more: what one could take counts against the next. */
const FUNDS = 40_000_000n;
const MARKET_MINUTES = [0.5, 12, 600];
/** Deploying takes less of virtual time than this. */
const PREPARATION_MS = 600_000;

export interface ChainTemplate {
  readonly chain: PreparedChain;
  readonly deployment: SandboxDeployment;
  readonly contracts: Deployment;
  readonly marketIds: readonly MarketId[];
  readonly wallets: readonly PrivateKeyAccount[];
  /** Of the same wallets: native code, where a wallet library takes most of a world's time. */
  readonly signers: readonly SignDigest[];
}

/** In virtual time before the beginning of all worlds. */
export async function makeChainTemplate(): Promise<ChainTemplate> {
  const time = new VirtualTime(START_MS - PREPARATION_MS);
  const chain = await SimChain.open(time, START_MS - PREPARATION_MS);
  const answer = async (_url: unknown, init?: RequestInit) => {
    const text = await chain.answer(String(init?.body));
    if (chain.poolSize > 0) await chain.mine();
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  };
  const restore = install({ time, random: () => 0.5, fetch: answer as typeof fetch });
  try {
    let template: Omit<ChainTemplate, 'chain'> | undefined;
    let failure: unknown;
    prepare(chain).then(
      (made) => {
        template = made;
      },
      (error) => {
        failure = error ?? new Error('the template failed');
      },
    );
    await time.runUntil(() => template !== undefined || failure !== undefined, PREPARATION_MS / 2);
    if (template === undefined) throw failure ?? new Error('the contracts were not deployed in time');
    return { ...template, chain: await PreparedChain.open(chain.records) };
  } finally {
    restore();
  }
}

async function prepare(chain: SimChain): Promise<Omit<ChainTemplate, 'chain'>> {
  const deployment = await deployContracts({ rpcUrl: 'http://template.sim' });
  const rpc = toRpc(chain);
  const contracts = createContracts({ rpc, deployment });
  const owner = keyOf('owner').address;
  const marketIds = await makeMarkets(chain, contracts, owner);
  const wallets = TRADER_NAMES.map((name) => privateKeyToAccount(keyOfTrader(name)));
  const signers = await Promise.all(TRADER_NAMES.map((name) => openDigestSigner(keyOfTrader(name))));
  for (const { address } of wallets) {
    await chain.sendAs(owner, contracts.stablecoin.call('mint', [address, FUNDS]));
    await chain.sendAs(address, contracts.stablecoin.call('approve', [deployment.settlement, 2n ** 255n]));
    await chain.sendAs(address, contracts.stablecoin.call('approve', [deployment.conditionalTokens, 2n ** 255n]));
    await chain.sendAs(address, contracts.conditionalTokens.call('setApprovalForAll', [deployment.settlement, true]));
  }
  // Deeper than any reorg: what a world begins with is never taken back.
  await chain.mine(12);
  return { deployment, contracts: toAddresses(deployment), marketIds, wallets, signers };
}

function keyOfTrader(name: string): Hex {
  return sha256OfLines(['presage test wallet', `sim ${name}`]);
}

async function makeMarkets(chain: SimChain, contracts: Contracts, owner: Hex): Promise<MarketId[]> {
  const marketIds: MarketId[] = [];
  for (const minutes of MARKET_MINUTES) {
    const expiration = BigInt(START_MS / 1_000 + minutes * 60);
    const terms = [`Does it hold for ${minutes} minutes?`, 'Of the simulation.', 'general', expiration] as const;
    const [marketId] = await contracts.marketFactory.read('predictMarket', [owner, ...terms]);
    await chain.sendAs(owner, contracts.marketFactory.call('createMarket', terms));
    await chain.mine();
    marketIds.push(marketId);
  }
  return marketIds;
}

function toAddresses(deployment: SandboxDeployment): Deployment {
  const { settlement, conditionalTokens, marketFactory, oracle, stablecoin, multicall } = deployment;
  const { priceOracle, quickMarketFactory, anchors } = deployment;
  return {
    settlement,
    conditionalTokens,
    marketFactory,
    oracle,
    stablecoin,
    multicall,
    ...(priceOracle && { priceOracle }),
    ...(quickMarketFactory && { quickMarketFactory }),
    ...(anchors && { anchors }),
  };
}

/** Asks the chain itself, without a network between. */
export function toRpc(chain: SimChain): Rpc {
  return {
    request: (method, params = []) => chain.call(method, params),
    batch: (calls) =>
      Promise.all(
        calls.map(async ({ method, params = [] }) => ({ ok: true as const, result: await chain.call(method, params) })),
      ),
  };
}
