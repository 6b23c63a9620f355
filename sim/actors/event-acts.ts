// Acts of wallets on an event beside trading: they split, merge and convert its positions, on the chain and through the relayer.
import { type ContractCall, createContracts } from '@presage/chain';
import { keyOf } from '@presage/devchain';
import { type Address, type Bytes32, OPERATION_TYPES, PresageError, toLowerHex } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { toRpc } from '../world/sim-chain-template.ts';
import { CREATION_GAS, eventsOf, toCreationCall } from '../world/template-events.ts';
import type { World } from '../world/world.ts';
import type { ClientLog, RelayedByClient } from './client-log.ts';
import { EventPositions } from './event-positions.ts';

interface EventActsOptions {
  readonly world: World;
  readonly log: ClientLog;
  readonly random: SeededRandom;
  /**
   * Wallets that may act. Moving shares beside orders can leave those uncovered, so the most innocent wallets do not.
   */
  readonly wallets: readonly PrivateKeyAccount[];
}

type Held = ReadonlyMap<bigint, bigint>;

const ZERO_WORD = `0x${'0'.repeat(64)}` as const;
/** Chance of a conversion that exceeds the holdings. */
const TOO_MUCH_CHANCE = 0.1;

export class EventActs {
  readonly #options: EventActsOptions;
  readonly #events = new Map<Bytes32, EventPositions>();
  /** Wallets that moved shares on which their orders may depend. */
  readonly guilty = new Set<Address>();

  constructor(options: EventActsOptions) {
    this.#options = options;
  }

  /** Creates another event on the chain, which the service has to find there. */
  async create(): Promise<void> {
    const { world } = this.#options;
    const { chain, template } = world;
    const contracts = createContracts({ rpc: toRpc(chain), deployment: template.contracts });
    const owner = keyOf('owner').address;
    await chain.sendAs(owner, toCreationCall(contracts, template.startMs), CREATION_GAS);
    world.say('an event is created on chain');
  }

  /** Draws one act by weight among those that are possible for the wallet. */
  async act(): Promise<void> {
    const { random } = this.#options;
    const event = random.pick(this.#known());
    const wallet = random.pick(this.#options.wallets);
    const owner = toLowerHex(wallet.address);
    const held = await event.heldBy(owner);
    this.guilty.add(owner);
    const drawn = random.weighted({ relay: 5, convert: 3, pair: 2, pay: 2, split: 3, merge: 3 });
    // A wallet without shares mostly starts with a pair of some market.
    const what = held.size === 0 && random.chance(0.8) ? 'pair' : drawn;
    if (what === 'relay') return this.#relay(event, wallet, this.#drawConversion(event, held));
    const call = this.#toCall(what, event, held);
    if (call === undefined) return;
    await this.#options.world.chain.sendAs(owner, call);
    this.#options.world.say(`${owner.slice(0, 10)} on chain: ${what} in event ${event.event.id.slice(0, 10)}`);
  }

  /** Events of the template, and those that the service has listed since. */
  #known(): readonly EventPositions[] {
    const { world } = this.#options;
    const markets = world.service?.host.reads.markets() ?? [];
    const listed = eventsOf(markets.map(({ facts }) => facts));
    const ids = new Set(world.template.events.map(({ id }) => id));
    const events = [...world.template.events, ...listed.filter(({ id }) => !ids.has(id))];
    return events.map((event) => {
      const known = this.#events.get(event.id) ?? new EventPositions(world, event);
      this.#events.set(event.id, known);
      return known;
    });
  }

  #toCall(what: 'convert' | 'pair' | 'pay' | 'split' | 'merge', event: EventPositions, held: Held) {
    const { random } = this.#options;
    if (what === 'convert') {
      const { indexes, amount } = this.#drawConversion(event, held);
      const { conditionalTokens } = event.contracts;
      return conditionalTokens.call('convertPositions', [event.event.id, indexes, amount]);
    }
    if (what === 'pair' || what === 'pay') {
      const single = 1n << BigInt(random.below(event.event.marketIds.length));
      const parts = what === 'pair' ? [single, event.all ^ single] : this.#drawPartition(event.all);
      return this.#divide('splitPosition', event, parts, BigInt(random.int(1, 6)) * 1_000_000n);
    }
    return what === 'split' ? this.#splitHeld(event, held) : this.#mergeHeld(event, held);
  }

  #splitHeld(event: EventPositions, held: Held): ContractCall | undefined {
    const wide = [...held].filter(([set]) => (set & (set - 1n)) !== 0n);
    if (wide.length === 0) return undefined;
    const [set, most] = this.#options.random.pick(wide);
    return this.#divide('splitPosition', event, this.#drawPartition(set), this.#drawAmount(most));
  }

  /** Merges two disjoint positions: into a third one, or into collateral if together they cover all outcomes. */
  #mergeHeld(event: EventPositions, held: Held): ContractCall | undefined {
    const pairs = [...held.keys()].flatMap((a) =>
      [...held.keys()].filter((b) => a < b && (a & b) === 0n).map((b) => [a, b]),
    );
    if (pairs.length === 0) return undefined;
    const parts = this.#options.random.pick(pairs);
    const most = parts.map((set) => held.get(set) ?? 0n).reduce((a, b) => (a < b ? a : b));
    return this.#divide('mergePositions', event, parts, this.#drawAmount(most));
  }

  #divide(
    how: 'splitPosition' | 'mergePositions',
    { event, contracts }: EventPositions,
    parts: readonly bigint[],
    amount: bigint,
  ): ContractCall {
    const { stablecoin } = this.#options.world.template.deployment;
    return contracts.conditionalTokens.call(how, [stablecoin, ZERO_WORD, event.id, parts, amount]);
  }

  /** NO of some held outcomes, or of any if none is held. */
  #drawConversion({ event, all }: EventPositions, held: Held): { readonly indexes: bigint; readonly amount: bigint } {
    const { random } = this.#options;
    const bits = event.marketIds.map((_, index) => 1n << BigInt(index));
    const owned = bits.filter((bit) => held.has(all ^ bit));
    const chosen = random.shuffle(owned.length > 0 ? owned : bits).slice(0, random.int(1, Math.max(1, owned.length)));
    const most = chosen.map((bit) => held.get(all ^ bit) ?? 0n).reduce((a, b) => (a < b ? a : b));
    const amount = random.chance(TOO_MUCH_CHANCE) ? most + 1n : this.#drawAmount(most);
    return { indexes: chosen.reduce((set, bit) => set | bit, 0n), amount };
  }

  /** Draws the whole amount, or a part that leaves odd units. */
  #drawAmount(most: bigint): bigint {
    const { random } = this.#options;
    return random.chance(0.5) || most < 2n ? most : BigInt(random.int(1, Number(most)));
  }

  #drawPartition(set: bigint): bigint[] {
    const { random } = this.#options;
    const parts = new Map<number, bigint>();
    for (let rest = set; rest > 0n; rest &= rest - 1n) {
      const [bit, part] = [rest & -rest, random.below(3)];
      parts.set(part, (parts.get(part) ?? 0n) | bit);
    }
    if (parts.size > 1) return [...parts.values()];
    const lowest = set & -set;
    return [lowest, set ^ lowest];
  }

  async #relay(
    { event }: EventPositions,
    wallet: PrivateKeyAccount,
    { indexes, amount }: { readonly indexes: bigint; readonly amount: bigint },
  ): Promise<void> {
    const { world, log, random } = this.#options;
    const { chainId, conditionalTokens: verifyingContract } = world.template.deployment;
    const owner = toLowerHex(wallet.address);
    const nonceCall = { to: verifyingContract, data: `0x7ecebe00${owner.slice(2).padStart(64, '0')}` };
    const nonce = BigInt(String(await world.chain.call('eth_call', [nonceCall, 'latest'])));
    const deadline = BigInt(Math.floor((world.template.startMs + world.time.nowMs) / 1_000) + 3_600);
    const fields = { owner, eventId: event.id, indexes, amount };
    const signature = await wallet.signTypedData({
      domain: { name: 'ConditionalTokensWithPermit', version: '1', chainId, verifyingContract },
      types: OPERATION_TYPES,
      primaryType: 'ConvertPositions',
      message: { ...fields, nonce, deadline },
    });
    const { r, s, yParity } = parseSignature(signature);
    const request = { chainId: BigInt(chainId), ...fields, deadline, v: 27 + yParity, r, s };
    const operation = 'ctf-conversion';
    const call = log.add<RelayedByClient>({
      kind: 'relay',
      owner,
      operation,
      amount,
      marketId: event.id,
      nonce,
      outcome: 'open',
    });
    const send = () =>
      world.askActor(1 + 20 * random.fraction(), (actor) => actor.relayer.service.relay({ operation, request }));
    const outcome = await send();
    call.outcome = outcome.kind;
    if (outcome.kind === 'answered') call.hash = outcome.value.hash;
    const refusal =
      outcome.kind === 'refused' && outcome.error instanceof PresageError ? `, ${outcome.error.code}` : '';
    world.say(
      `${owner.slice(0, 10)} converts ${amount} of ${indexes} in event ${event.id.slice(0, 10)}: ${outcome.kind}${refusal}`,
    );
    // Repeats the same bytes: nothing may be converted twice.
    if (outcome.kind === 'answered' && random.chance(0.3)) await send();
  }
}
