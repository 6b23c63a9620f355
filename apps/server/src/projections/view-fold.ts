// One transaction of the view: records of the journal in, rows of every read model out.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainRewound, JournalRecord, TradeFailed, TradeMatched, TradeMoved } from '@presage/protocol';
import type { DurableBatch } from '../host/partition-log.ts';
import type { TransactionSql } from '../store/column-types.ts';
import { ClaimModel } from './claim-model.ts';
import { FiguresModel } from './figures-model.ts';
import { MarketModel, type MarketSeqs } from './market-model.ts';
import { OrderModel } from './order-model.ts';
import { minedStateOf, PositionModel } from './position-model.ts';
import { TradeModel } from './trade-model.ts';

export class ViewFold {
  readonly #markets: MarketModel;
  readonly #orders = new OrderModel();
  readonly #trades = new TradeModel();
  readonly #positions = new PositionModel();
  readonly #figures = new FiguresModel();
  readonly #claims = new ClaimModel();
  readonly #failing = new Set<string>();
  /** Trades whose place on chain may become another. */
  readonly #moved = new Set<string>();

  constructor(marketSeqs: MarketSeqs) {
    this.#markets = new MarketModel(marketSeqs);
  }

  /** Loads what the records touch, applies them in order, writes what came of it. */
  async run(sql: TransactionSql, batches: readonly DurableBatch[]): Promise<void> {
    for (const [seq, record] of numbered(batches)) this.#collectKeys(seq, record);
    await this.#load(sql);
    for (const [seq, record] of numbered(batches)) this.#apply(seq, record);
    await this.#write(sql);
  }

  #collectKeys(seq: number, record: JournalRecord): void {
    switch (record.type) {
      case 'market-listed':
        this.#markets.list(seq, record);
        break;
      case 'order-accepted':
        this.#orders.expect(record.orderHash);
        break;
      case 'trade-matched':
        this.#collectMatchKeys(record);
        break;
      case 'order-cancelled':
      case 'permit-changed':
        this.#orders.want(record.orderHash);
        break;
      case 'order-restored':
        this.#orders.want(record.orderHash);
        this.#trades.want(record.tradeId);
        break;
      case 'trade-moved':
        this.#trades.want(record.tradeId);
        if (record.stage !== 'submitted') this.#moved.add(record.tradeId);
        break;
      case 'trade-failed':
        this.#trades.want(record.tradeId);
        this.#moved.add(record.tradeId);
        this.#failing.add(record.tradeId);
        break;
      case 'shares-moved':
      case 'payout-redeemed':
        this.#positions.wantMove(record, this.#markets.seqOf(record.marketId));
        break;
      case 'chain-rewound':
        this.#positions.wantRewind(record);
        break;
    }
  }

  #collectMatchKeys(event: TradeMatched): void {
    this.#trades.expect(event.tradeId);
    this.#orders.want(event.makerHash);
    this.#orders.want(event.takerHash);
    const marketSeq = this.#markets.seqOf(event.marketId);
    this.#positions.want(event.maker, marketSeq);
    this.#positions.want(event.taker, marketSeq);
  }

  async #load(sql: TransactionSql): Promise<void> {
    for (const trade of await this.#trades.load(sql)) {
      if (this.#moved.has(trade.tradeId)) this.#positions.collectShareEvents(trade);
      if (!this.#failing.has(trade.tradeId)) continue;
      this.#orders.wantSeq(trade.makerSeq);
      this.#orders.wantSeq(trade.takerSeq);
    }
    await Promise.all([this.#orders.load(sql), this.#positions.load(sql)]);
  }

  #apply(seq: number, record: JournalRecord): void {
    switch (record.type) {
      case 'market-closed':
        this.#markets.close(record);
        break;
      case 'order-accepted':
        this.#orders.accept(seq, record, this.#markets.seqOf(record.marketId));
        break;
      case 'trade-matched':
        this.#matchTrade(seq, record);
        break;
      case 'order-cancelled':
        this.#orders.cancel(seq, record);
        break;
      case 'permit-changed':
        this.#orders.notePermit(seq, record);
        break;
      case 'order-restored':
        this.#orders.restore(seq, record, this.#trades.find(record.tradeId).seq);
        break;
      case 'trade-moved':
        this.#moveTrade(seq, record);
        break;
      case 'trade-failed':
        this.#failTrade(seq, record);
        break;
      case 'position-synced':
        this.#positions.sync(seq, record, this.#markets.seqOf(record.marketId));
        break;
      case 'shares-moved':
      case 'payout-redeemed':
        this.#positions.move(seq, record, this.#markets.seqOf(record.marketId));
        break;
      case 'chain-rewound':
        this.#rewind(record);
        break;
      case 'resolution-changed':
        this.#markets.resolve(record);
        break;
      case 'claim-changed':
        this.#claims.change(seq, record, this.#markets.seqOf(record.marketId));
        break;
    }
  }

  #matchTrade(seq: number, event: TradeMatched): void {
    const makerSeq = this.#orders.fill(event.makerHash, event.size, event.timeMs);
    const takerSeq = this.#orders.fill(event.takerHash, event.size, event.timeMs);
    const marketSeq = this.#markets.seqOf(event.marketId);
    const trade = this.#trades.match(seq, event, { marketSeq, makerSeq, takerSeq });
    this.#positions.fill(trade);
    this.#figures.count(trade);
  }

  #moveTrade(seq: number, event: TradeMoved): void {
    const trade = this.#trades.find(event.tradeId);
    const before = minedStateOf(trade);
    this.#trades.move(seq, event);
    this.#positions.onTradeMoved(trade, before);
  }

  #failTrade(seq: number, event: TradeFailed): void {
    const trade = this.#trades.find(event.tradeId);
    const before = minedStateOf(trade);
    this.#trades.fail(seq, event);
    this.#orders.unfill(trade.makerSeq, trade.size, event.timeMs);
    this.#orders.unfill(trade.takerSeq, trade.size, event.timeMs);
    this.#positions.fail(trade, before, event.timeMs);
    this.#figures.uncount(trade);
  }

  #rewind(record: ChainRewound): void {
    const markets = this.#markets.seqsOf(record.chainId);
    this.#positions.rewind(record, (marketSeq) => markets.has(marketSeq));
  }

  /** Each model's statements go to the database before the next one's are put together: both work at once. */
  async #write(sql: TransactionSql): Promise<void> {
    const models = [this.#orders, this.#trades, this.#markets, this.#figures, this.#claims, this.#positions];
    const writing: Promise<unknown>[] = [];
    for (const model of models) {
      writing.push(model.write(sql));
      writing.at(-1)!.catch(() => undefined);
      await nextTurn();
    }
    await Promise.all(writing);
  }
}

function* numbered(batches: readonly DurableBatch[]): Generator<[seq: number, record: JournalRecord]> {
  for (const { firstSeq, records } of batches) {
    let seq = firstSeq;
    for (const record of records) yield [seq++, record];
  }
}
