// Reads the positions on every set of an event's outcomes from the chain: YES and NO of its markets, and those outside
// of markets.
import { type Contracts, createContracts } from '@presage/chain';
import { type Address, fullIndexSet, toLowerHex, toShareId } from '@presage/protocol';
import { toRpc } from '../world/sim-chain-template.ts';
import type { TemplateEvent } from '../world/template-events.ts';
import type { World } from '../world/world.ts';

export class EventPositions {
  readonly event: TemplateEvent;
  readonly all: bigint;
  readonly contracts: Contracts;
  /** Share ids by index set. */
  readonly #ids: ReadonlyMap<bigint, bigint>;

  constructor({ chain, template }: World, event: TemplateEvent) {
    this.event = event;
    this.contracts = createContracts({ rpc: toRpc(chain), deployment: template.contracts });
    this.all = fullIndexSet(event.marketIds.length);
    const collateral = toLowerHex(template.deployment.stablecoin);
    const sets = Array.from({ length: Number(this.all) - 1 }, (_, index) => BigInt(index + 1));
    this.#ids = new Map(sets.map((set) => [set, BigInt(toShareId(collateral, event.id, set))]));
  }

  /** Index sets whose shares the wallet holds, with the amounts. */
  async heldBy(wallet: Address): Promise<Map<bigint, bigint>> {
    const owners = [...this.#ids].map(() => wallet);
    const amounts = await this.contracts.conditionalTokens.read('balanceOfBatch', [owners, [...this.#ids.values()]]);
    const held = [...this.#ids.keys()].map((set, index) => [set, amounts[index] ?? 0n] as const);
    return new Map(held.filter(([, amount]) => amount > 0n));
  }

  /** Index sets of YES and of NO of all markets. */
  get setsOfMarkets(): readonly bigint[] {
    return this.event.marketIds.flatMap((_, index) => [1n << BigInt(index), this.all ^ (1n << BigInt(index))]);
  }
}
