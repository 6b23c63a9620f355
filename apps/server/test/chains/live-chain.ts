// A chain inside the test process on which everything is as a live service wants it, until a test spoils something.
import { planContracts, planRoles, type ReadChainSettings, toServedContracts } from '@presage/chain/setup';
import { presageSettlementAbi } from '@presage/contracts';
import { type Address, encodeFunctionData, type Hex, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { toGuardedStablecoin } from '../../../../contracts/test/guarded-stablecoin.ts';
import { InProcessChain, testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { CREATE2_PROXY } from '../../../../packages/chain/src/setup/deploy/create2.ts';
import { toRpc } from '../in-process-rpc.ts';

type CheckedSettings = Parameters<typeof import('@presage/chain/setup').findChainFaults>[0]['settings'];

/** What the proxy's creation leaves. */
const PROXY_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';
const OWNER = testAccount(0);
const GRACE_SECONDS = 300;
const MONEY = toHex(10n ** 20n);
const CHAIN_ID = 31_337;

/** Keys of nobody: what a live operator would make for themselves. */
export const KEYS = {
  settler: `0x${'51'.repeat(32)}`,
  relayer: `0x${'52'.repeat(32)}`,
  pauser: `0x${'53'.repeat(32)}`,
  creator: `0x${'54'.repeat(32)}`,
  arbitrator: `0x${'55'.repeat(32)}`,
} as const;

export function addressOf(role: keyof typeof KEYS): Address {
  return privateKeyToAddress(KEYS[role]);
}

export class LiveChain {
  readonly chain: InProcessChain;
  readonly owner = OWNER.address;
  settings!: CheckedSettings & { readonly contracts: ReadChainSettings['contracts'] };

  private constructor(chain: InProcessChain) {
    this.chain = chain;
  }

  static async open(): Promise<LiveChain> {
    const live = new LiveChain(await InProcessChain.open());
    await live.chain.setCode(CREATE2_PROXY, PROXY_CODE);
    await live.#deploy(await live.deployStablecoin());
    return live;
  }

  get rpc() {
    return toRpc(this.chain);
  }

  async deployStablecoin(changes: { readonly decimals?: number; readonly version?: string } = {}): Promise<Address> {
    return this.deploy(toGuardedStablecoin({ issuer: OWNER.address, ...changes }));
  }

  async deploy(data: Hex): Promise<Address> {
    const { contractAddress } = await this.chain.mustSend(testAccount(1), { data });
    if (!contractAddress) throw new Error('nothing was deployed');
    return contractAddress;
  }

  /** In the owner's name. */
  async asOwner(to: string, functionName: 'pause' | 'transferOwnership' | 'revokeRole', args: readonly unknown[] = []) {
    const data = encodeFunctionData({ abi: presageSettlementAbi, functionName, args: args as never });
    await this.chain.sendAs(OWNER.address, { to: to as Address, data });
  }

  async setBalance(address: Address, wei: Hex): Promise<void> {
    await this.#request('hardhat_setBalance', [address, wei]);
  }

  /** What `spoil` does to the chain is undone afterwards. */
  async spoilt<T>(spoil: (live: LiveChain) => Promise<unknown>, look: () => Promise<T>): Promise<T> {
    const snapshot = await this.#request('evm_snapshot', []);
    try {
      await spoil(this);
      return await look();
    } finally {
      await this.#request('evm_revert', [snapshot]);
    }
  }

  #request(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.chain.client.request({ method, params } as never);
  }

  async #deploy(stablecoin: Address): Promise<void> {
    const plan = planContracts({
      deployer: OWNER.address,
      stablecoin,
      oracle: {
        arbitrator: addressOf('arbitrator'),
        secondArbitrator: OWNER.address,
        minimumBond: 1_000_000n,
      },
      // Any contract that is not the sandbox's oracle: nobody asks it for a price here.
      priceOracle: CREATE2_PROXY,
      multicall: 'deploy',
      settlementGraceSeconds: GRACE_SECONDS,
      bondAmount: 500_000_000n,
      bondPermitRequired: true,
      voidDelaySeconds: 2_592_000,
      salt: BigInt(CHAIN_ID) << 32n,
    });
    const fromBlock = Number(await this.chain.client.getBlockNumber()) + 1;
    for (const { data } of Object.values(plan.deployed)) await this.chain.mustSend(OWNER, { to: CREATE2_PROXY, data });
    const holders = { settler: addressOf('settler'), pauser: addressOf('pauser'), creators: [addressOf('creator')] };
    for (const { contract, role, account } of planRoles(plan, holders)) {
      const data = encodeFunctionData({ abi: presageSettlementAbi, functionName: 'grantRole', args: [role, account] });
      await this.chain.mustSend(OWNER, { to: contract, data });
    }
    for (const role of ['settler', 'relayer'] as const) await this.setBalance(addressOf(role), MONEY);
    this.settings = {
      chainId: CHAIN_ID,
      contracts: toServedContracts(plan),
      fromBlock,
      settlementGraceSeconds: GRACE_SECONDS,
      ownerAddress: OWNER.address,
      pauserAddress: addressOf('pauser'),
      creatorAddress: addressOf('creator'),
      arbitratorAddress: addressOf('arbitrator'),
    };
  }
}
