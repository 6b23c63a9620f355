// What the view must show, computed from the whole journal each time and with nothing kept: written to be believed.
import type {
  Address,
  Conversion,
  JournalRecord,
  MarketEvent,
  MarketId,
  OrderHash,
  TradeMatched,
} from '@presage/protocol';

interface NaiveOrder {
  readonly seq: number;
  readonly size: number;
  filled: number;
  status: string;
  cancelReason: string | null;
  updatedMs: number;
}

interface NaiveTrade {
  readonly seq: number;
  readonly event: TradeMatched;
  stage: string;
  txHash: string | null;
  attempts: number;
  block: number | null;
  minted: bigint | null;
  reason: string | null;
  faultParty: string | null;
  failedMs: number | null;
}

/** What the chain said of a wallet's shares. */
interface NaiveShareEvent {
  readonly seq: number;
  readonly block: number;
  /** Balances, or for a move what came and went. */
  readonly yes: bigint;
  readonly no: bigint;
  readonly cause: string;
  /** What the move paid to YES and to NO. */
  readonly proceeds: readonly [bigint, bigint];
  /** Names the log; empty for a reading of balances. */
  readonly log: string;
  readonly conversion?: Conversion;
  isVoid: boolean;
}

/** Shares, cost and revenue of YES, then of NO, then the profit. */
export type NaivePosition = [bigint, bigint, bigint, bigint, bigint, bigint, bigint];

const REVIVAL_GONE = 'the block that had settled the trade after all left the chain';

/** Amounts by the sequence of a record. */
type CarriedCosts = Map<number, bigint>;

export class NaiveView {
  readonly orders = new Map<OrderHash, NaiveOrder>();
  readonly trades = new Map<string, NaiveTrade>();
  readonly sent = new Map<string, Set<string>>();
  readonly life = new Map<OrderHash, string[]>();
  readonly closed = new Map<MarketId, string>();
  readonly #chainOf = new Map<MarketId, number>();
  readonly #eventOf = new Map<MarketId, MarketEvent | undefined>();
  readonly #shareEvents = new Map<string, NaiveShareEvent[]>();

  apply(seq: number, record: JournalRecord): void {
    switch (record.type) {
      case 'market-listed':
        this.#chainOf.set(record.marketId, record.market.chainId);
        this.#eventOf.set(record.marketId, record.market.event);
        return;
      case 'market-closed':
        this.closed.set(record.marketId, record.reason);
        return;
      case 'order-accepted': {
        const { timeMs, order } = record;
        const fresh = { seq, size: order.size, filled: 0, status: 'open', cancelReason: null, updatedMs: timeMs };
        this.orders.set(record.orderHash, fresh);
        this.#addEvent(record.orderHash, seq, 'accepted');
        return;
      }
      case 'trade-matched': {
        const fresh = { stage: 'matched', txHash: null, attempts: 0, block: null, minted: null };
        this.trades.set(record.tradeId, {
          seq,
          event: record,
          ...fresh,
          reason: null,
          faultParty: null,
          failedMs: null,
        });
        for (const hash of [record.makerHash, record.takerHash]) {
          const order = this.#touch(hash, record.timeMs);
          order.filled += record.size;
          if (order.filled === order.size) order.status = 'filled';
          this.#addEvent(hash, seq, `filled ${record.tradeId}`);
        }
        return;
      }
      case 'permit-changed':
        this.#addEvent(
          record.orderHash,
          seq,
          `permit ${record.status} ${record.txHash ?? '-'} ${record.reason ?? '-'}`,
        );
        return;
      case 'order-cancelled': {
        const order = this.#touch(record.orderHash, record.timeMs);
        order.status = record.reason === 'expired' ? 'expired' : 'cancelled';
        order.cancelReason = record.reason;
        this.#addEvent(record.orderHash, seq, `cancelled ${record.reason} ${record.remainingSize}`);
        return;
      }
      case 'order-restored':
        this.#touch(record.orderHash, record.timeMs).status = 'open';
        this.#addEvent(record.orderHash, seq, `restored ${record.tradeId} ${record.size}`);
        return;
      case 'trade-moved':
      case 'trade-failed':
      case 'trade-revived':
        this.#move(seq, record);
        return;
      case 'position-synced': {
        const read = { yes: BigInt(record.yesShares), no: BigInt(record.noShares), cause: 'sync', log: '' };
        this.#addShareEvent(record, { ...read, seq, block: record.blockNumber, proceeds: [0n, 0n], isVoid: false });
        return;
      }
      case 'shares-moved':
      case 'payout-redeemed':
        this.#shift(seq, record);
        return;
      case 'chain-rewound':
        for (const [key, events] of this.#shareEvents) {
          if (this.#chainOf.get(key.split('/')[1] as MarketId) !== record.chainId) continue;
          const goes = ({ cause }: NaiveShareEvent) => cause !== 'sync' || record.cause === 'reorg';
          for (const event of events) if (event.block > record.toBlock && goes(event)) event.isVoid = true;
        }
    }
  }

  /** Computes all positions again and again, until what conversions carry from market to market is what it was computed with. */
  positions(): Map<string, NaivePosition> {
    let carried: CarriedCosts = new Map();
    for (;;) {
      const given: CarriedCosts = new Map();
      const positions = this.#positionsWith(carried, given);
      const next = this.#carry(given);
      if ([...next].every(([seq, cost]) => carried.get(seq) === cost)) return positions;
      carried = next;
    }
  }

  /** What each part of a conversion brought or cost, by the sequence of its record, from what the parts that were given had cost. */
  #carry(given: CarriedCosts): CarriedCosts {
    const parts = [...this.#shareEvents].flatMap(([key, events]) =>
      events.flatMap((event) => {
        const [wallet, marketId] = key.split('/') as [Address, MarketId];
        const index = BigInt(this.#eventOf.get(marketId)?.index ?? 0);
        return event.conversion && !event.isVoid
          ? [{ group: `${wallet}/${event.log}`, event, index, of: event.conversion }]
          : [];
      }),
    );
    const carried: CarriedCosts = new Map();
    for (const { group, event, index, of } of parts) {
      const ofGroup = parts.filter((part) => part.group === group);
      const all = ofGroup.reduce((sum, part) => sum + (given.get(part.event.seq) ?? 0n), 0n);
      const [gave, got, freed] = [BigInt(of.gave), BigInt(of.got), BigInt(of.freed)];
      const isTaken = (got >> index) % 2n === 1n;
      const share = (total: bigint, set: bigint) => shareOut(total, set).get(index) ?? 0n;
      const own = given.get(event.seq) ?? 0n;
      if (isTaken) carried.set(event.seq, share(all > freed ? all - freed : 0n, got));
      else if (got === 0n) carried.set(event.seq, share(freed, gave));
      else carried.set(event.seq, own + share(freed > all ? freed - all : 0n, gave));
    }
    return carried;
  }

  /** By `wallet/market`; without those of which nothing is left. */
  #positionsWith(carried: CarriedCosts, given: CarriedCosts): Map<string, NaivePosition> {
    const keys = new Set(this.#shareEvents.keys());
    const standing = [...this.trades.values()].filter((trade) => trade.stage !== 'failed');
    for (const { event } of standing)
      for (const who of [event.maker, event.taker]) keys.add(`${who}/${event.marketId}`);
    const positions = new Map<string, NaivePosition>();
    for (const key of keys) {
      const [wallet, marketId] = key.split('/') as [Address, MarketId];
      const mine = standing.filter(
        ({ event }) => event.marketId === marketId && (event.maker === wallet || event.taker === wallet),
      );
      const moves = (this.#shareEvents.get(key) ?? []).filter((move) => !move.isVoid);
      const position = computePosition(wallet, mine, moves, carried, given);
      const hasPast = mine.length > 0 || moves.some(({ cause }) => cause !== 'sync');
      if (hasPast || position[0] > 0n || position[3] > 0n) positions.set(key, position);
    }
    return positions;
  }

  #addShareEvent(
    { userAddress, marketId }: { userAddress: Address; marketId: MarketId },
    event: NaiveShareEvent,
  ): void {
    const key = `${userAddress}/${marketId}`;
    this.#shareEvents.set(key, [...(this.#shareEvents.get(key) ?? []), event]);
  }

  /** A log that is received twice counts once. */
  #shift(seq: number, record: Extract<JournalRecord, { type: 'shares-moved' | 'payout-redeemed' }>): void {
    const log = `${record.txHash}/${record.logIndex}`;
    const known = this.#shareEvents.get(`${record.userAddress}/${record.marketId}`) ?? [];
    if (known.some((event) => event.log === log && !event.isVoid)) return;
    const [yes, no] = [BigInt(record.yesShares), BigInt(record.noShares)];
    const head = { seq, block: record.blockNumber, log, isVoid: false };
    if (record.type === 'shares-moved') {
      const half = -yes / 2n;
      const proceeds = record.cause === 'merge' ? ([half, -yes - half] as const) : ([0n, 0n] as const);
      const { conversion } = record;
      this.#addShareEvent(record, {
        ...head,
        yes,
        no,
        cause: record.cause,
        proceeds,
        ...(conversion && { conversion }),
      });
      return;
    }
    const payout = BigInt(record.payout);
    const toYes = { '0': payout, '1': 0n, '-1': yes / BigInt(this.#eventOf.get(record.marketId)?.count ?? 2) }[
      `${record.winningOutcome}`
    ];
    this.#addShareEvent(record, {
      ...head,
      yes: -yes,
      no: -no,
      cause: 'redemption',
      proceeds: [toYes, payout - toYes],
    });
  }

  figures(marketId: MarketId, nowMs: number) {
    const standing = [...this.trades.values()].filter((t) => t.event.marketId === marketId && t.stage !== 'failed');
    const last = standing.at(-1)?.event;
    const before = standing.filter(({ event }) => event.timeMs <= nowMs - 86_400_000);
    const dayAgo = (before.at(-1) ?? standing[0])?.event;
    const sum = (trades: NaiveTrade[]) => trades.reduce((total, { event }) => total + costOf(event), 0n);
    return {
      volume: sum(standing),
      volume24h: sum(standing.filter(({ event }) => event.timeMs > nowMs - 86_400_000)),
      tradeCount: standing.length,
      lastPrice: last?.price ?? 0,
      lastYesPrice: last === undefined ? 0 : yesPriceOf(last),
      dayAgoYesPrice: dayAgo === undefined ? null : yesPriceOf(dayAgo),
    };
  }

  #move(seq: number, record: Extract<JournalRecord, { type: 'trade-moved' | 'trade-failed' | 'trade-revived' }>): void {
    const trade = this.trades.get(record.tradeId)!;
    const stage = record.type === 'trade-failed' ? 'failed' : record.stage;
    // Written twice by a settler that was killed in between.
    const { settlement } = record;
    const isHere = trade.txHash === settlement?.transactionHash && trade.block === (settlement?.blockNumber ?? null);
    if (record.type === 'trade-revived' && trade.stage === stage && (stage === 'failed' || isHere)) return;
    const wasOnChain = onChain(trade);
    if (settlement !== undefined) {
      trade.txHash = settlement.transactionHash;
      trade.attempts = settlement.attempt;
      this.sent.set(trade.txHash, (this.sent.get(trade.txHash) ?? new Set()).add(record.tradeId));
    }
    const isOnChain = stage === 'mined' || stage === 'confirmed';
    if (!isOnChain && wasOnChain) this.#voidSyncs(trade);
    trade.block = isOnChain
      ? (settlement?.blockNumber ?? trade.block)
      : (stage === 'failed' && settlement?.blockNumber) || null;
    if (!isOnChain) trade.minted = null;
    else if (settlement?.minted !== undefined) trade.minted = BigInt(settlement.minted);
    trade.stage = stage;
    const isGone = record.type === 'trade-revived' && stage === 'failed';
    const gone = isGone ? ` chain ${REVIVAL_GONE}` : '';
    for (const hash of [trade.event.makerHash, trade.event.takerHash]) {
      const failure = record.type === 'trade-failed' ? ` ${record.faultParty} ${record.reason}` : gone;
      this.#addEvent(hash, seq, `${stage} ${record.tradeId} ${settlement?.transactionHash ?? '-'}${failure}`);
      if (record.type === 'trade-failed') this.#touch(hash, record.timeMs).filled -= trade.event.size;
    }
    if (record.type === 'trade-revived') {
      trade.reason = isGone ? REVIVAL_GONE : null;
      trade.faultParty = isGone ? 'chain' : null;
      trade.failedMs = isGone ? record.timeMs : null;
    }
    if (record.type !== 'trade-failed') return;
    trade.reason = record.reason;
    trade.faultParty = record.faultParty;
    trade.failedMs = record.timeMs;
  }

  /** A reading of the chain that contained the trade means nothing once its block has left the chain. */
  #voidSyncs(trade: NaiveTrade): void {
    for (const wallet of [trade.event.maker, trade.event.taker]) {
      for (const sync of this.#shareEvents.get(`${wallet}/${trade.event.marketId}`) ?? []) {
        if (sync.cause !== 'sync') continue;
        if (sync.seq > trade.seq && trade.block !== null && trade.block <= sync.block) sync.isVoid = true;
      }
    }
  }

  #touch(hash: OrderHash, timeMs: number): NaiveOrder {
    const order = this.orders.get(hash)!;
    order.updatedMs = timeMs;
    return order;
  }

  #addEvent(hash: OrderHash, seq: number, text: string): void {
    this.life.set(hash, [...(this.life.get(hash) ?? []), `${seq} ${text}`]);
  }
}

function onChain({ stage, block }: NaiveTrade): boolean {
  return (stage === 'mined' || stage === 'confirmed') && block !== null;
}

function costOf({ price, size }: { price: number; size: number }): bigint {
  return (BigInt(price) * BigInt(size) + 999_999n) / 1_000_000n;
}

/** The rules of docs/protocol.md, "Positions", once more and written for clarity. */
function computePosition(
  wallet: Address,
  trades: readonly NaiveTrade[],
  moves: readonly NaiveShareEvent[],
  carried: ReadonlyMap<number, bigint>,
  given: Map<number, bigint>,
): NaivePosition {
  const p: NaivePosition = [0n, 0n, 0n, 0n, 0n, 0n, 0n];
  const done = new Set<NaiveTrade>();
  for (const move of asOnChain(moves)) {
    for (const trade of trades) {
      const isInside = trade.seq < move.seq && onChain(trade) && trade.block! <= move.block;
      if (isInside && !done.has(trade)) settle(p, wallet, trade);
      if (isInside) done.add(trade);
    }
    if (move.cause === 'sync') {
      setShares(p, 0, move.yes);
      setShares(p, 3, move.no);
    } else if (move.cause === 'conversion') given.set(move.seq, convert(p, move, carried.get(move.seq)));
    else shift(p, move);
  }
  for (const trade of trades) if (!done.has(trade)) settle(p, wallet, trade);
  return p;
}

/** A reading of balances has in it whatever happened up to its block, so what is received later goes before it. */
function asOnChain(moves: readonly NaiveShareEvent[]): NaiveShareEvent[] {
  let ordered: NaiveShareEvent[] = [];
  for (const move of moves) {
    const isRead = (former: NaiveShareEvent) => former.cause === 'sync' && former.block >= move.block;
    const at = move.cause === 'sync' ? -1 : ordered.findIndex(isRead);
    ordered = at === -1 ? [...ordered, move] : [...ordered.slice(0, at), move, ...ordered.slice(at)];
  }
  return ordered;
}

/** Answers what the shares that went had cost. */
function convert(p: NaivePosition, { yes, no }: NaiveShareEvent, carried: bigint | undefined): bigint {
  if (yes > 0n) receive(p, 0, yes, carried ?? 0n);
  if (no > 0n) receive(p, 3, no, carried ?? 0n);
  if (yes > 0n || no > 0n) return 0n;
  const at = yes < 0n ? 0 : 3;
  const before = p[at + 1]!;
  setShares(p, at, p[at] + (yes < 0n ? yes : no));
  const cost = before - p[at + 1]!;
  p[at + 2]! += carried ?? cost;
  p[6] += (carried ?? cost) - cost;
  return cost;
}

/** One unit after another, to the members of the set in turn; below 0 the other way round. */
function shareOut(total: bigint, set: bigint): Map<bigint, bigint> {
  const members = Array.from({ length: 128 }, (_, index) => BigInt(index)).filter(
    (index) => (set >> index) % 2n === 1n,
  );
  const [size, count] = [total < 0n ? -total : total, BigInt(members.length)];
  return new Map(
    members.map((member, rank) => {
      const units = size / count + (BigInt(rank) < size % count ? 1n : 0n);
      return [member, total < 0n ? -units : units];
    }),
  );
}

function shift(p: NaivePosition, { yes, no, cause, proceeds }: NaiveShareEvent): void {
  const costBefore = p[1] + p[4];
  if (cause === 'split') {
    receive(p, 0, yes, yes / 2n);
    receive(p, 3, no, yes - yes / 2n);
    return;
  }
  setShares(p, 0, p[0] + yes);
  setShares(p, 3, p[3] + no);
  const soldCost = costBefore - p[1] - p[4];
  if (cause !== 'merge' && cause !== 'redemption') return;
  p[2] += proceeds[0];
  p[5] += proceeds[1];
  p[6] += proceeds[0] + proceeds[1] - soldCost;
}

function settle(p: NaivePosition, wallet: Address, trade: NaiveTrade): void {
  const { event } = trade;
  const [buyer, seller] = event.takerSide === 0 ? [event.taker, event.maker] : [event.maker, event.taker];
  const [mine, other] = event.outcome === 0 ? ([0, 3] as const) : ([3, 0] as const);
  const size = BigInt(event.size);
  if (seller === wallet) {
    const isKnown = onChain(trade) && trade.minted !== null;
    const available = p[mine] < 0n ? 0n : p[mine] < size ? p[mine] : size;
    const held = isKnown ? size - trade.minted! : available;
    const minted = size - held;
    const forMinted = costOf({ price: event.price, size: Number(minted) });
    const fee = event.takerSide === 1 ? BigInt(event.fee ?? 0) : 0n;
    const feeOfMinted = (fee * minted + size - 1n) / size;
    const forHeld = costOf(event) - forMinted - (fee - feeOfMinted);
    const costBefore = p[mine + 1]!;
    setShares(p, mine, p[mine] - held);
    p[mine + 2]! += forHeld;
    p[6] += forHeld - (costBefore - p[mine + 1]!);
    receive(p, other, minted, minted - forMinted + feeOfMinted);
  }
  if (buyer === wallet) receive(p, mine, size, costOf(event) + (event.takerSide === 0 ? BigInt(event.fee ?? 0) : 0n));
  if (event.maker !== wallet) return;
  p[mine + 2]! += BigInt(event.makerRebate ?? 0);
  p[6] += BigInt(event.makerRebate ?? 0);
}

/** What was sold before it came is not held when it comes: what it cost is lost from the profit. */
function receive(p: NaivePosition, at: 0 | 3, shares: bigint, cost: bigint): void {
  const due = p[at] >= 0n ? 0n : -p[at] < shares ? -p[at] : shares;
  const gone = due === 0n ? 0n : (cost * due) / shares;
  p[at] += shares;
  p[at + 1]! += cost - gone;
  p[6] -= gone;
}

function setShares(p: NaivePosition, at: 0 | 3, shares: bigint): void {
  const before = p[at];
  const cost = p[at + 1]!;
  if (shares < before) p[at + 1] = shares <= 0n ? 0n : cost - (cost * (before - shares)) / before;
  p[at] = shares;
}

function yesPriceOf({ outcome, price }: TradeMatched): number {
  return outcome === 0 ? price : 1_000_000 - price;
}
