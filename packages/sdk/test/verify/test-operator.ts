// An operator in memory: decides by the engine, keeps a journal, answers HTTP and JSON-RPC; honest unless a test makes it lie.
import { createHash } from 'node:crypto';
import { Engine } from '@presage/engine';
import { encodeFrame } from '@presage/journal';
import {
  type Address,
  DEFAULT_TERMS,
  type EngineCommand,
  encodeRecord,
  type FeeRates,
  type Hex,
  hashHeads,
  isJournalled,
  type JournalRecord,
  type MarketFacts,
  type Order,
  type OrderAccepted,
  OrderHasher,
  type OrderTerms,
  type PlaceOrder,
  type Receipt,
  receiptText,
  type Side,
  type SignedFrame,
  toFeeRates,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { openDigestSigner } from '@presage/protocol/digest-signer';
import { openSigningKey } from '@presage/protocol/ed25519';
import { marketFacts, type PersonName, person, TEST_MARKET } from '@presage/testkit';
import { keccak256, stringToHex } from 'viem';

/** What one command came to, in the frame of its own that the test operator gives it. */
export interface Push {
  readonly records: readonly JournalRecord[];
  readonly timeMs: number;
}

interface ChainFill {
  readonly transactionHash: Hex;
  readonly buyHash: Hex;
  readonly sellHash: Hex;
  readonly price: number;
  readonly size: number;
  readonly minted: number;
  readonly rates: FeeRates;
  readonly takerSide: Side;
}

/** Everything that readers are shown, to be lied about field by field. */
export interface Shown {
  readonly history: readonly Push[];
  readonly frames: Uint8Array[];
  readonly head?: SignedFrame;
  readonly bookHash?: string;
  readonly fills?: readonly ChainFill[];
  readonly collateralHeld?: bigint;
  /** What the settlement contract fixed for the market. */
  readonly rates?: FeeRates;
  /** Stablecoin that traders have deposited with the settlement contract. */
  readonly deposited?: bigint;
  readonly anchors?: readonly Anchor[];
  /** On chain, whatever the operator lists. */
  readonly anchored?: readonly Hex[];
  /** Frames of partitions besides the first. */
  readonly others?: Readonly<Record<string, Uint8Array[]>>;
}

interface Anchor {
  readonly hash: Hex;
  readonly timeMs: number;
  readonly heads: readonly SignedFrame[];
}

const ANCHORS = `0x${'a0'.repeat(20)}`;
const OPERATOR = `0x${'0b'.repeat(20)}`;

const DOMAIN = { name: 'PresageSettlement', version: '1' };
export const START_MS = 1_900_000_000_000;
const KEY = openSigningKey('07'.repeat(32));
export const OTHER_KEY = openSigningKey('08'.repeat(32));

export class TestOperator {
  readonly engine = new Engine();
  readonly history: Push[] = [];
  readonly fills: ChainFill[] = [];
  nowMs = START_MS;
  readonly #hasher: OrderHasher;
  readonly #sign: ReadonlyMap<PersonName, (digest: Hex) => Hex>;
  #nonce = 0n;
  #seq = 0;

  private constructor(hasher: OrderHasher, sign: ReadonlyMap<PersonName, (digest: Hex) => Hex>) {
    this.#hasher = hasher;
    this.#sign = sign;
  }

  static async open(): Promise<TestOperator> {
    const facts = marketFacts();
    const domain = { ...DOMAIN, chainId: facts.chainId, verifyingContract: facts.settlementAddress };
    const sign = new Map<PersonName, (digest: Hex) => Hex>();
    for (const name of ['alice', 'bob', 'carol', 'dave'] as const) {
      const key = person(name).getHdKey().privateKey!;
      sign.set(name, await openDigestSigner(toHex(key)));
    }
    return new TestOperator(await OrderHasher.open(domain), sign);
  }

  get lastSeq(): number {
    return this.#seq;
  }

  list(overrides: Partial<MarketFacts> = {}): void {
    this.run({ type: 'list-market', timeMs: this.nowMs, market: marketFacts(overrides) });
  }

  run(command: EngineCommand): readonly JournalRecord[] {
    this.nowMs = Math.max(this.nowMs, command.timeMs);
    const records = this.engine.apply(command, this.#seq + 1).filter(isJournalled);
    if (records.length === 0) throw new Error(`${command.type} came to nothing`);
    this.#seq += records.length;
    this.history.push({ records, timeMs: this.nowMs });
    return records;
  }

  /** Signed with the key of that person. */
  order(
    name: PersonName,
    side: 'buys' | 'sells',
    [price, size]: readonly [number, number],
    options: Partial<OrderTerms> & { readonly expiresInSeconds?: number } = {},
  ): PlaceOrder {
    const { expiresInSeconds = 86_400, ...terms } = options;
    const order: Order = {
      marketId: TEST_MARKET,
      trader: person(name).address.toLowerCase() as Address,
      side: side === 'buys' ? 0 : 1,
      outcome: 0,
      price: toPrice(price),
      size: toSize(size),
      nonce: ++this.#nonce,
      expiration: BigInt(Math.floor(this.nowMs / 1_000) + expiresInSeconds),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const orderHash = this.hashOf(order);
    const signature = this.#sign.get(name)!(orderHash);
    return {
      type: 'place-order',
      timeMs: this.nowMs,
      orderHash,
      order,
      signature,
      terms: { ...DEFAULT_TERMS, ...terms },
    };
  }

  hashOf(order: Order): Hex {
    return this.#hasher.orderHash(order);
  }

  place(...given: Parameters<TestOperator['order']>): PlaceOrder {
    this.nowMs += 10;
    const command = this.order(...given);
    this.run(command);
    return command;
  }

  cancel({ orderHash }: PlaceOrder): void {
    this.nowMs += 10;
    const reason = 'user';
    this.run({ type: 'cancel-order', timeMs: this.nowMs, marketId: TEST_MARKET, orderHash, reason });
  }

  /** Through all stages, as the chain has it. */
  settle(tradeId: string, minted = 0): void {
    const trade = this.engine.trade(TEST_MARKET, tradeId)!;
    const transactionHash = toHex(createHash('sha256').update(tradeId).digest());
    const base = { transactionHash, batchIndex: 0, isBatch: true, attempt: 1 };
    for (const stage of ['submitted', 'mined', 'confirmed'] as const) {
      this.nowMs += 10;
      const settlement = stage === 'submitted' ? base : { ...base, blockNumber: 9, blockHash: transactionHash, minted };
      this.run({ type: 'move-trade', timeMs: this.nowMs, marketId: TEST_MARKET, tradeId, stage, settlement });
    }
    const { price, size, makerHash, takerHash, takerSide } = trade;
    const [buyHash, sellHash] = takerSide === 0 ? [takerHash, makerHash] : [makerHash, takerHash];
    const rates = this.rates;
    this.fills.push({ transactionHash, buyHash, sellHash, price, size, minted, rates, takerSide });
  }

  get rates(): FeeRates {
    const { feeRateBps = 0, makerShareBps = 0 } = this.engine.market(TEST_MARKET)!.facts;
    return toFeeRates(feeRateBps, makerShareBps);
  }

  show(): Shown {
    return { history: this.history, frames: seal(this.history), fills: this.fills, rates: this.rates };
  }
}

/** Frames with correct hashes, whatever they hold. */
export function seal(history: readonly Push[], partition = 'm0'): Uint8Array[] {
  let [firstSeq, previousHash] = [1, new Uint8Array(32)];
  return history.map(({ records, timeMs }) => {
    const header = { partition, epoch: 1, firstSeq, timeMs, previousHash };
    const bytes = encodeFrame(header, records.map(encodeRecord)).slice();
    firstSeq += records.length;
    previousHash = new Uint8Array(createHash('sha256').update(bytes).digest());
    return bytes;
  });
}

export function signFrame(frames: readonly Uint8Array[], index: number, key = KEY, partition = 'm0'): SignedFrame {
  const bytes = frames.at(index)!;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const firstSeq = Number(view.getBigUint64(24, true));
  const lastSeq = firstSeq + view.getUint32(20, true) - 1;
  const frameHash = toHex(createHash('sha256').update(bytes).digest());
  const unsigned = { partition, firstSeq, lastSeq, frameHash, timeMs: Number(view.getBigUint64(32, true)) };
  return { ...unsigned, signature: toHex(key.sign(Buffer.from(receiptText(unsigned)))) };
}

export function receiptFor(shown: Shown, { orderHash }: { readonly orderHash: Hex }): Receipt {
  let seq = 0;
  for (const [index, { records }] of shown.history.entries()) {
    for (const record of records) {
      seq++;
      if (record.type === 'order-accepted' && record.orderHash === orderHash) {
        return { ...signFrame(shown.frames, index), seq };
      }
    }
  }
  throw new Error(`no order ${orderHash}`);
}

/** The service and the node behind one fetch. */
export function serve(shown: Shown, engine: Engine): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const answer =
      url.hostname === 'node' ? answerRpc(shown, JSON.parse(String(init?.body))) : answerHttp(shown, engine, url);
    return new Response(JSON.stringify(answer), { status: answer === undefined ? 404 : 200 });
  };
}

/** Undefined where there is nothing. */
function answerHttp(shown: Shown, engine: Engine, { pathname, searchParams }: URL): unknown {
  const heads = headsOf(shown);
  if (pathname === '/api/v1/config') {
    const receiptKey = `0x${KEY.publicKeyHex}`;
    return { receiptKey, chains: [{ settlement: DOMAIN, oracle: `0x${'0a'.repeat(20)}`, chainId: 31_337 }] };
  }
  if (pathname === '/api/v1/journal/head') {
    return { heads: Object.values(heads), hash: hashHeads(Object.values(heads)), delaySeconds: 0 };
  }
  if (pathname === '/api/v1/journal/anchors') {
    const { anchors = [] } = shown;
    return { contract: ANCHORS, operator: OPERATOR, anchors, count: anchors.length };
  }
  if (pathname.startsWith('/api/v1/orderbook/')) {
    const hash = shown.bookHash ?? engine.bookHash(TEST_MARKET);
    return { seq: engine.market(TEST_MARKET)?.step, hash };
  }
  const partition = pathname.slice('/api/v1/journal/'.length);
  const frames = partition === 'm0' ? shown.frames : shown.others?.[partition];
  const head = heads[partition];
  if (frames === undefined || head === undefined) return undefined;
  // Pages of ten frames; a frame's place is in its header.
  const fromSeq = Number(searchParams.get('fromSeq'));
  const from = frames.findIndex((bytes) => lastSeqOf(bytes) >= fromSeq);
  const page = from < 0 ? [] : frames.slice(from, from + 10);
  const publishedSeq = Math.max(...frames.map(lastSeqOf));
  const nextSeq = page.length === 0 ? fromSeq : lastSeqOf(page.at(-1)!) + 1;
  return {
    frames: page.map((bytes) => ({ bytes: Buffer.from(bytes).toString('base64') })),
    nextSeq,
    publishedSeq,
    head,
  };
}

function headsOf({ frames, head, others = {} }: Shown): Record<string, SignedFrame> {
  const more = Object.entries(others).map(([name, each]) => [name, signFrame(each, -1, KEY, name)] as const);
  return { m0: head ?? signFrame(frames, -1), ...Object.fromEntries(more) };
}

function lastSeqOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Number(view.getBigUint64(24, true)) + view.getUint32(20, true) - 1;
}

const FILL_TOPIC = keccak256(stringToHex('FillSettled(bytes32,bytes32,uint256)'));
const FILLS_TOPIC = keccak256(stringToHex('FillsSettled(bytes32[])'));
const DEPOSIT_TOPIC = keccak256(stringToHex('Deposited(address,address,uint256)'));
const SPLIT_TOPIC = keccak256(stringToHex('PositionSplit(address,address,bytes32,bytes32,uint256[],uint256)'));
const RATES_TOPIC = keccak256(stringToHex('MarketFeesFixed(bytes32,uint16,uint16)'));
const ANCHOR_TOPIC = keccak256(stringToHex('Anchored(address,bytes32)'));

function answerRpc(shown: Shown, { method, params }: { method: string; params: unknown[] }): unknown {
  const fills = shown.fills ?? [];
  const minted = fills.reduce((sum, fill) => sum + BigInt(fill.minted), 0n);
  if (method === 'eth_blockNumber') return { result: '0x10' };
  if (method === 'eth_getCode') return { result: '0x' };
  if (method === 'eth_chainId') return { result: '0x7a69' };
  if (method === 'eth_call') return { result: `0x${(shown.collateralHeld ?? minted).toString(16)}` };
  const [{ address, topics }] = params as [{ address: string[]; topics: string[][] }];
  const isAsked = (log: ToldLog) => address.includes(log.address) && topics[0]?.includes(log.topics[0] ?? '');
  return { result: logsOf(shown).filter(isAsked) };
}

interface ToldLog {
  readonly address: string;
  readonly topics: readonly string[];
}

function logsOf({ fills = [], deposited, rates, anchored = [] }: Shown): ToldLog[] {
  const { settlementAddress, conditionalTokens } = marketFacts();
  // Half of them as contracts of version 2 tell them, half as those of version 3 do.
  const ofSettlement: Omit<ToldLog, 'address'>[] = fills.map((fill, index) =>
    index % 2 === 1 ? toFillLog(fill) : toFillsLog(fill),
  );
  if (deposited !== undefined) ofSettlement.push(toDepositLog(deposited));
  if (rates?.feeRateBps !== undefined) ofSettlement.push(toRatesLog(rates));
  return [
    ...ofSettlement.map((log) => ({ address: settlementAddress, ...log })),
    ...fills.filter(({ minted }) => minted > 0).map((fill) => ({ address: conditionalTokens, ...toSplitLog(fill) })),
    ...anchored.map((hash) => ({ address: ANCHORS, ...toAnchorLog(hash) })),
  ];
}

function toRatesLog({ feeRateBps = 0, makerShareBps = 0 }: FeeRates) {
  const data = wordsOf(BigInt(feeRateBps), BigInt(makerShareBps));
  return { transactionHash: `0x${'fe'.repeat(32)}`, topics: [RATES_TOPIC, TEST_MARKET], data, blockNumber: '0x1' };
}

function toDepositLog(amount: bigint) {
  const data = `0x${amount.toString(16).padStart(64, '0')}`;
  return { transactionHash: `0x${'dd'.repeat(32)}`, topics: [DEPOSIT_TOPIC], data, blockNumber: '0x9' };
}

function toAnchorLog(hash: Hex) {
  const topics = [ANCHOR_TOPIC, `0x${OPERATOR.slice(2).padStart(64, '0')}`];
  return { transactionHash: hash, topics, data: hash, blockNumber: '0x9' };
}

/** The anchor of the history until that frame. */
export function anchorOf(frames: readonly Uint8Array[], index: number): Anchor {
  const heads = [signFrame(frames, index)];
  return { hash: hashHeads(heads), timeMs: heads[0]!.timeMs, heads };
}

function toFillLog(fill: ChainFill) {
  const { transactionHash, buyHash, sellHash } = fill;
  const topics = [FILL_TOPIC, buyHash, sellHash];
  return { transactionHash, topics, data: wordsOf(amountsOf(fill)), blockNumber: '0x9' };
}

function toFillsLog(fill: ChainFill) {
  const { transactionHash, buyHash, sellHash } = fill;
  const data = wordsOf(32n, 3n, BigInt(buyHash), BigInt(sellHash), amountsOf(fill));
  return { transactionHash, topics: [FILLS_TOPIC], data, blockNumber: '0x9' };
}

function amountsOf({
  price,
  size,
  minted,
  rates: { feeRateBps = 0, makerShareBps = 0 },
  takerSide,
}: ChainFill): bigint {
  const taker = feeRateBps === 0 ? 0n : BigInt(takerSide) << 253n;
  const fees = taker | (BigInt(makerShareBps) << 228n) | (BigInt(feeRateBps) << 212n);
  return fees | (BigInt(price) << 192n) | (BigInt(size) << 128n) | BigInt(minted);
}

function toSplitLog({ transactionHash, minted }: ChainFill) {
  const data = wordsOf(BigInt(marketFacts().stablecoin), 96n, BigInt(minted), 2n, 1n, 2n);
  const topics = [SPLIT_TOPIC, wordsOf(1n), wordsOf(0n), TEST_MARKET];
  return { transactionHash, topics, data, blockNumber: '0x9' };
}

function wordsOf(...words: bigint[]): string {
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
}

/** The record of the order, found by its hash. */
export function isAcceptanceOf({ orderHash }: { readonly orderHash: Hex }) {
  return (record: JournalRecord): record is OrderAccepted =>
    record.type === 'order-accepted' && record.orderHash === orderHash;
}
