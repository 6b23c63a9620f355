// Checks events when the world is quiet: the condition's collateral equals the payout of every result, and the view has the chain's shares.
import { type Address, type Bytes32, hasIndex, isDecided } from '@presage/protocol';
import { EventPositions } from '../actors/event-positions.ts';
import type { TemplateEvent } from '../world/template-events.ts';
import type { World } from '../world/world.ts';

interface EventParts {
  readonly world: World;
  readonly traders: readonly Address[];
  /** All events ever listed. */
  readonly events: readonly TemplateEvent[];
}

/** `collateral` is the sum of the chain's logs for each condition. */
export async function* checkEventBacking(
  { world, traders, events }: EventParts,
  collateral: ReadonlyMap<Bytes32, bigint>,
): AsyncGenerator<string> {
  for (const event of events) {
    const positions = new EventPositions(world, event);
    const total = new Map<bigint, bigint>();
    for (const trader of traders) {
      for (const [set, amount] of await positions.heldBy(trader)) total.set(set, (total.get(set) ?? 0n) + amount);
    }
    const held = collateral.get(event.id) ?? 0n;
    const decided = event.marketIds.map((marketId) => world.service?.host.reads.market(marketId)?.resolution);
    if (decided.some(isDecided)) continue;
    for (const winner of event.marketIds.keys()) {
      const owed = [...total].reduce((sum, [set, amount]) => (hasIndex(set, winner) ? sum + amount : sum), 0n);
      if (owed !== held) yield `event ${event.id.slice(0, 10)} holds ${held}, and would pay ${owed} if ${winner} won`;
    }
  }
}

/** Compares the shares of every trader in every market of an event with the chain. */
export async function* checkEventViews({ world, traders, events }: EventParts): AsyncGenerator<string> {
  for (const event of events) {
    const positions = new EventPositions(world, event);
    for (const { machine, views } of world.openExchanges) {
      const shown = new Map(views.flatMap(({ rows }) => [...rows.positions()]));
      for (const trader of traders) {
        const held = await positions.heldBy(trader);
        for (const [index, marketId] of event.marketIds.entries()) {
          const position = shown.get(`${trader}/${marketId}`);
          const bit = 1n << BigInt(index);
          const onChain = [held.get(bit) ?? 0n, held.get(positions.all ^ bit) ?? 0n];
          const inView = [position?.[0] ?? 0n, position?.[3] ?? 0n];
          if (inView[0] === onChain[0] && inView[1] === onChain[1]) continue;
          yield `the view of ${machine.name} gives ${trader} ${inView} of ${marketId.slice(0, 18)}, the chain ${onChain}`;
        }
      }
    }
  }
}
