// The host as other modules call it: each call as a command, each refusal as an error with its code.
import { toOrderAnswer } from '@presage/engine';
import {
  type Address,
  type CancelReason,
  type CommandRefused,
  type EngineOutput,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  type OrderAnswer,
  type OrderCancelled,
  type OrderHash,
  PresageError,
  type SignedOrder,
  type TradeSettlement,
  type TradeStage,
} from '@presage/protocol';
import type { Host, HostCommand } from './host.ts';

/** One trade to another stage, or to its end with the party at fault. */
export interface TradeChange {
  readonly trade: { readonly marketId: MarketId; readonly tradeId: string };
  readonly to: Exclude<TradeStage, 'matched' | 'failed'> | TradeFault;
  readonly settlement?: TradeSettlement;
}

interface TradeFault {
  readonly faultParty: 'buyer' | 'seller' | 'operator' | 'chain';
  readonly reason: string;
}

export class HostCommands {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async placeOrder(signed: SignedOrder): Promise<{ answer: OrderAnswer; replayed: boolean }> {
    const { outputs, firstSeq } = await this.#host.run(toCommand(signed));
    refuseIn(outputs);
    const answer = toOrderAnswer(outputs, firstSeq);
    if (answer === undefined) throw new Error(`placing ${signed.orderHash} was neither answered nor refused`);
    return { answer, replayed: outputs[0]?.type === 'order-replayed' };
  }

  /** With a trader given, the order must be theirs. */
  async cancelOrder(marketId: MarketId, orderHash: OrderHash, trader?: Address): Promise<OrderCancelled> {
    const command = { type: 'cancel-order', marketId, orderHash, reason: 'user', ...(trader && { trader }) } as const;
    const outputs = await this.#run(command);
    return outputs.find((output) => output.type === 'order-cancelled') as OrderCancelled;
  }

  async cancelOrders(trader: Address, reason: CancelReason, marketId?: MarketId): Promise<OrderHash[]> {
    const outputs = await this.#run({ type: 'cancel-orders', trader, reason, ...(marketId && { marketId }) });
    return outputs.filter((output) => output.type === 'order-cancelled').map(({ orderHash }) => orderHash);
  }

  cancelOnChain(marketId: MarketId, orderHash: OrderHash): Promise<void> {
    return this.#cancelIfOpen(marketId, orderHash, 'cancelled_on_chain');
  }

  cancelUncovered(marketId: MarketId, orderHash: OrderHash): Promise<void> {
    return this.#cancelIfOpen(marketId, orderHash, 'insufficient_cover');
  }

  /** Seen again after a restart or a reorg, it is listed already. */
  async listMarket(market: MarketFacts): Promise<void> {
    await this.#runUnless(['market_already_listed'], { type: 'list-market', market });
  }

  async closeVanished(marketId: MarketId): Promise<void> {
    await this.#runUnless(['market_closed'], { type: 'close-market', marketId, reason: 'vanished' });
  }

  /** Nothing happens when this is what the market knows already. */
  async changeResolution(marketId: MarketId, resolution: MarketResolution): Promise<void> {
    await this.#run({ type: 'change-resolution', marketId, resolution });
  }

  /** In one durable write. A change that is refused rejects the call, but does not stop the others. */
  async changeTrades(changes: readonly TradeChange[]): Promise<void> {
    if (changes.length === 0) return;
    const refusal = refusalIn(await this.#host.submitAll(changes.map(toTradeCommand)));
    if (refusal !== undefined) throw new PresageError(refusal.code, refusal.details);
  }

  /** One that became final meanwhile has nothing left to cancel. */
  async #cancelIfOpen(marketId: MarketId, orderHash: OrderHash, reason: CancelReason): Promise<void> {
    const command = { type: 'cancel-order', marketId, orderHash, reason } as const;
    await this.#runUnless(['order_not_open', 'order_not_found'], command);
  }

  async #run(command: HostCommand): Promise<readonly EngineOutput[]> {
    const outputs = await this.#host.submit(command);
    refuseIn(outputs);
    return outputs;
  }

  async #runUnless(harmless: readonly string[], command: HostCommand): Promise<void> {
    const refusal = refusalIn(await this.#host.submit(command));
    if (refusal === undefined || harmless.includes(refusal.code)) return;
    throw new PresageError(refusal.code, refusal.details);
  }
}

/** Written out and not spread: on the order path a spread costs this Node more than the matching. */
function toCommand({ orderHash, order, signature, terms, permit }: SignedOrder): HostCommand {
  const command = { type: 'place-order' as const, timeMs: 0, orderHash, order, signature, terms } satisfies HostCommand;
  return permit === undefined ? command : { ...command, permit };
}

function toTradeCommand({ trade: { marketId, tradeId }, to, settlement }: TradeChange): HostCommand {
  const carrier = settlement && { settlement };
  if (typeof to === 'string') return { type: 'move-trade', marketId, tradeId, stage: to, ...carrier };
  return { type: 'fail-trade', marketId, tradeId, faultParty: to.faultParty, reason: to.reason, ...carrier };
}

function refuseIn(outputs: readonly EngineOutput[]): void {
  const refusal = refusalIn(outputs);
  if (refusal !== undefined) throw new PresageError(refusal.code, refusal.details);
}

function refusalIn(outputs: readonly EngineOutput[]): CommandRefused | undefined {
  return outputs.find((output) => output.type === 'command-refused');
}
