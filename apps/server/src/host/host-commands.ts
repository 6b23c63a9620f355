// Commands of other modules to the hosts: each call becomes a command, each refusal an error with its code.
import { toOrderAnswer } from '@presage/engine';
import type { FrameSeal } from '@presage/journal';
import {
  type Address,
  batchNotFilled,
  type CancelReason,
  type CommandRefused,
  type EngineOutput,
  type FaultParty,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  type OrderAnswer,
  type OrderCancelled,
  type OrderHash,
  PresageError,
  partitionOfMarket,
  type Receipt,
  type SignedOrder,
  type TradeParty,
  type TradeSettlement,
  type TradeStage,
  toServiceAnswer,
} from '@presage/protocol';
import type { Decided, HostCommand, OrderTurn, PartitionHost, PlaceCommand } from './ports.ts';

/** Signs the frame that holds a record. */
export interface ReceiptPort {
  receiptOf(frame: FrameSeal, seq: number): Receipt;
}

/** Moves a trade to another stage, or fails it with the party at fault. */
export interface TradeChange {
  readonly trade: { readonly marketId: MarketId; readonly tradeId: string };
  readonly to: Exclude<TradeStage, 'matched' | 'failed'> | TradeFault;
  readonly settlement?: TradeSettlement;
}

export interface TradeFault {
  readonly faultParty: FaultParty;
  readonly reason: string;
  /** Party whose order has no room left on chain; nobody is to blame, and the other order is restored. */
  readonly overfilled?: TradeParty;
}

/** With `replayed`, the same signed order was answered before and `answer` repeats that answer, without a receipt. */
export interface PlacedOrder {
  readonly answer: OrderAnswer;
  readonly replayed: boolean;
  readonly receipt?: Receipt;
}

type MarketCommand = Extract<HostCommand, { readonly type: 'change-resolution' | 'move-trade' | 'fail-trade' }>;

export class HostCommands {
  readonly #hosts: readonly PartitionHost[];
  readonly #receipts: ReceiptPort | undefined;

  /** `hosts` has one host per partition of markets, m0 first. Without `receipts` nothing is signed. */
  constructor(hosts: readonly PartitionHost[], receipts?: ReceiptPort) {
    this.#hosts = hosts;
    this.#receipts = receipts;
  }

  async placeOrder(signed: SignedOrder, turn?: OrderTurn): Promise<PlacedOrder> {
    const partition = partitionOfMarket(signed.order.marketId, this.#hosts.length);
    const host = this.#hosts[partition]!;
    const decided = await lendIfLate(host.run(toCommand(signed)), host, turn);
    refuseIn(decided.outputs);
    return this.#toPlaced(signed, decided, partition);
  }

  /** Places all orders in one frame, or none: the refusal names the first that cannot be placed. */
  async placeAtomic(orders: readonly SignedOrder[], turn?: OrderTurn): Promise<PlacedOrder[]> {
    const partitions = orders.map(({ order }) => partitionOfMarket(order.marketId, this.#hosts.length));
    const partition = partitions[0]!;
    const elsewhere = partitions.findIndex((each) => each !== partition);
    if (elsewhere >= 0) throw new PresageError('batch_across_partitions', { index: elsewhere });
    const host = this.#hosts[partition]!;
    const outcome = await lendIfLate(host.runAtomic(orders.map(toCommand)), host, turn);
    if (outcome.outcome === 'refused') throw batchNotFilled(outcome.index, outcome.refusal);
    return outcome.decided.map((decided, index) => this.#toPlaced(orders[index]!, decided, partition));
  }

  #toPlaced({ orderHash }: SignedOrder, { outputs, firstSeq, frame }: Decided, partition: number): PlacedOrder {
    const decided = toOrderAnswer(outputs, firstSeq);
    if (decided === undefined) throw new Error(`placing ${orderHash} was neither answered nor refused`);
    const answer = toServiceAnswer(decided, { partition, count: this.#hosts.length });
    if (frame === undefined || this.#receipts === undefined) return { answer, replayed: frame === undefined };
    const at = outputs.findIndex(({ type }) => type === 'order-accepted');
    return { answer, replayed: false, receipt: this.#receipts.receiptOf(frame, firstSeq + at) };
  }

  /** If `trader` is given, the order must be theirs. */
  async cancelOrder(
    marketId: MarketId,
    orderHash: OrderHash,
    trader?: Address,
  ): Promise<{ cancelled: OrderCancelled; receipt?: Receipt }> {
    const command = { type: 'cancel-order', marketId, orderHash, reason: 'user', ...(trader && { trader }) } as const;
    const { outputs, ...receipt } = this.#sign(await this.#hostOf(marketId).run(command));
    return { cancelled: outputs.find((output) => output.type === 'order-cancelled')!, ...receipt };
  }

  /** Returns the receipt of the first frame only: cancellations in several partitions, or very many in one, take several frames. */
  async cancelOrders(
    trader: Address,
    reason: CancelReason,
    marketId?: MarketId,
  ): Promise<{ cancelled: OrderHash[]; receipt?: Receipt }> {
    const command = { type: 'cancel-orders', trader, reason, ...(marketId && { marketId }) } as const;
    const decided = await Promise.all(this.#meantBy(marketId).map((host) => host.runWhole({ ...command })));
    const parts = decided.map((each) => this.#sign(each));
    const outputs = parts.flatMap((part) => part.outputs);
    const cancelled = outputs.filter((output) => output.type === 'order-cancelled').map(({ orderHash }) => orderHash);
    const receipt = parts.find((part) => part.receipt !== undefined)?.receipt;
    return { cancelled, ...(receipt && { receipt }) };
  }

  /** Ends the orders and markets whose time is over, as the next tick would. */
  async endExpired(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.runWhole({ type: 'tick' })));
  }

  /** Cancels all open orders of the trader in markets of one chain. */
  async cancelHalted(trader: Address, chainId: number): Promise<void> {
    const command = { type: 'cancel-orders', trader, chainId, reason: 'cancelled_on_chain' } as const;
    await Promise.all(this.#hosts.map(async (host) => refuseIn((await host.runWhole({ ...command })).outputs)));
  }

  cancelOnChain(marketId: MarketId, orderHash: OrderHash): Promise<void> {
    return this.#cancelIfOpen(marketId, orderHash, 'cancelled_on_chain');
  }

  cancelUncovered(marketId: MarketId, orderHash: OrderHash): Promise<void> {
    return this.#cancelIfOpen(marketId, orderHash, 'insufficient_cover');
  }

  /** Does nothing if the market is listed already, as when it is seen again after a restart or a reorg. */
  async listMarket(market: MarketFacts): Promise<void> {
    await this.#runUnless(['market_already_listed'], market.marketId, { type: 'list-market', market });
  }

  async closeVanished(marketId: MarketId): Promise<void> {
    await this.#runUnless(['market_closed'], marketId, { type: 'close-market', marketId, reason: 'vanished' });
  }

  async closeEarly(marketId: MarketId): Promise<void> {
    await this.#runUnless(['market_closed'], marketId, { type: 'close-market', marketId, reason: 'closed_early' });
  }

  /** Writes one frame per partition, so that the markets of an event change together. A market that already has the resolution does not change. */
  async changeResolutions(changes: ReadonlyMap<MarketId, MarketResolution>): Promise<void> {
    const commands = [...changes].map(([marketId, resolution]) => {
      return { type: 'change-resolution', marketId, resolution } as const;
    });
    await this.#runAll(commands);
  }

  /** Writes one frame per partition. A refused change rejects the call, but does not stop the others. */
  async changeTrades(changes: readonly TradeChange[]): Promise<void> {
    await this.#runAll(changes.map(toTradeCommand));
  }

  async #runAll(commands: readonly MarketCommand[]): Promise<void> {
    const outputs = await Promise.all(
      this.#hosts.map((host) => {
        const own = commands.filter(({ marketId }) => this.#hostOf(marketId) === host);
        return own.length === 0 ? [] : host.submitAll(own);
      }),
    );
    refuseIn(outputs.flat());
  }

  /** Hosts that an action concerns: without a market all of them, since a wallet trades in every partition. */
  #meantBy(marketId: MarketId | undefined): readonly PartitionHost[] {
    return marketId === undefined ? this.#hosts : [this.#hostOf(marketId)];
  }

  /** An order that became final in the meantime has nothing left to cancel. */
  async #cancelIfOpen(marketId: MarketId, orderHash: OrderHash, reason: CancelReason): Promise<void> {
    const command = { type: 'cancel-order', marketId, orderHash, reason } as const;
    await this.#runUnless(['order_not_open', 'order_not_found'], marketId, command);
  }

  #hostOf(marketId: MarketId): PartitionHost {
    return this.#hosts[partitionOfMarket(marketId, this.#hosts.length)]!;
  }

  #sign({ outputs, firstSeq, frame }: Decided): { outputs: readonly EngineOutput[]; receipt?: Receipt } {
    refuseIn(outputs);
    if (frame === undefined || this.#receipts === undefined) return { outputs };
    return { outputs, receipt: this.#receipts.receiptOf(frame, firstSeq) };
  }

  async #runUnless(harmless: readonly string[], marketId: MarketId, command: HostCommand): Promise<void> {
    const refusal = refusalIn(await this.#hostOf(marketId).submit(command));
    if (refusal === undefined || harmless.includes(refusal.code)) return;
    throw new PresageError(refusal.code, refusal.details);
  }
}

function lendIfLate<T>(decided: Promise<T>, { isElsewhere }: PartitionHost, turn: OrderTurn | undefined): Promise<T> {
  return isElsewhere && turn !== undefined ? turn.whileLate(decided) : decided;
}

/** Fields are written out: on the order path a spread costs this Node more than the matching. */
function toCommand({ orderHash, order, signature, terms, permit }: SignedOrder): PlaceCommand {
  const command = {
    type: 'place-order' as const,
    timeMs: 0,
    orderHash,
    order,
    signature,
    terms,
  } satisfies PlaceCommand;
  return permit === undefined ? command : { ...command, permit };
}

function toTradeCommand({ trade: { marketId, tradeId }, to, settlement }: TradeChange): MarketCommand {
  const carrier = settlement && { settlement };
  if (typeof to === 'string') return { type: 'move-trade', marketId, tradeId, stage: to, ...carrier };
  const { faultParty, reason, overfilled } = to;
  return { type: 'fail-trade', marketId, tradeId, faultParty, reason, ...carrier, ...(overfilled && { overfilled }) };
}

function refuseIn(outputs: readonly EngineOutput[]): void {
  const refusal = refusalIn(outputs);
  if (refusal !== undefined) throw new PresageError(refusal.code, refusal.details);
}

function refusalIn(outputs: readonly EngineOutput[]): CommandRefused | undefined {
  return outputs.find((output) => output.type === 'command-refused');
}
