// Hostile traders on the chain, without telling the service: they drain, revoke, halt, cancel, and undo it.
import { type Contracts, createContracts } from '@presage/chain';
import type { Address, MarketId } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { toRpc } from '../world/sim-chain-template.ts';
import type { World } from '../world/world.ts';

/** Receives drained funds; it has no key. */
const AWAY = '0x000000000000000000000000000000000000da11';

export class HostileActs {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #contracts: Contracts;
  /** Wallets whose acts can make fills fail: no other may be blamed. */
  readonly guilty = new Set<Address>();

  constructor(world: World, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
    this.#contracts = createContracts({ rpc: toRpc(world.chain), deployment: world.template.contracts });
  }

  /**
   * Acts between the simulation of a batch and its sending, the worst moment: a fill that was good a moment ago fails
   * in its block.
   */
  async strike(trader: Address): Promise<void> {
    this.guilty.add(trader);
    const { stablecoin, conditionalTokens } = this.#contracts;
    const { settlement: spender } = this.#world.template.contracts;
    await this.#world.chain.sendAs(trader, stablecoin.call('approve', [spender, 0n]));
    await this.#world.chain.sendAs(trader, conditionalTokens.call('setApprovalForAll', [spender, false]));
    this.#world.say(`${trader.slice(0, 10)} on chain: revokes everything while a batch is on its way`);
  }

  async act(trader: Address, name: string, marketId: MarketId, nonce: bigint): Promise<void> {
    this.guilty.add(trader);
    const { stablecoin, conditionalTokens, settlement } = this.#contracts;
    const { settlement: spender } = this.#world.template.contracts;
    const what = this.#random.weighted({ drain: 4, revoke: 3, unapprove: 2, cancel: 2, halt: 1, resume: 1, mend: 4 });
    const balance = await stablecoin.read('balanceOf', [trader]);
    const calls = {
      drain: () => stablecoin.call('transfer', [AWAY, balance]),
      revoke: () => stablecoin.call('approve', [spender, 0n]),
      unapprove: () => conditionalTokens.call('setApprovalForAll', [spender, false]),
      cancel: () => settlement.call('requestCancel', [marketId, nonce]),
      halt: () => settlement.call('haltTrading', []),
      resume: () => settlement.call('resumeTrading', []),
      mend: () => stablecoin.call('approve', [spender, 2n ** 255n]),
    };
    await this.#world.chain.sendAs(trader, calls[what]());
    if (what === 'mend')
      await this.#world.chain.sendAs(trader, conditionalTokens.call('setApprovalForAll', [spender, true]));
    if (what === 'mend') await this.#world.chain.sendAs(trader, stablecoin.call('mint', [trader, 30_000_000n]));
    this.#world.say(`${name} on chain: ${what}`);
  }
}
