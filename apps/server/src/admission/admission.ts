// Decides whether an order may become a command: the checks of docs/protocol.md, "Order checks", in order; the first failure answers.

import {
  type Address,
  batchNotFilled,
  checkOrder,
  type Fault,
  findOrderFaults,
  fromHex,
  type Hex,
  isObject,
  isPrice,
  isSize,
  LIMITS,
  markWalletSignature,
  normaliseSignature,
  type Order,
  type OrderCheckContext,
  OrderHasher,
  type OrderSubmission,
  PresageError,
  parseAnySignature,
  parseOrderSubmission,
  type SignedOrder,
  type SigningDomain,
  signatureFault,
  toChecksumAddress,
  toHex,
  toOrder,
} from '@presage/protocol';
import { isErc6492Signature, parseErc6492Signature } from 'viem';
import type { Clock } from '../clock.ts';
import type { OrderTurn } from '../host/ports.ts';
import type { OrderFunds } from '../wallets/order-funds.ts';
import type {
  AdmissionChain,
  AdmissionMarket,
  AdmissionReads,
  CommandPort,
  OrderGate,
  PermitCheck,
  PlacedOrder,
  SignerLookup,
  StopLookup,
  WalletSigners,
} from './ports.ts';
import { type FindMistake, openMistakes } from './signature-mistakes.ts';

export interface AdmissionOptions {
  readonly reads: AdmissionReads;
  readonly signers: SignerLookup;
  readonly commands: CommandPort;
  /** The service clock; orders and markets expire by it. */
  readonly clock: Pick<Clock, 'nowSeconds'>;
  /** Halts, pauses and blocks; if missing, nothing is halted. */
  readonly stops?: StopLookup;
  /** The operator's admission rules; if missing, every wallet is admitted without waiting. */
  readonly gate?: OrderGate | undefined;
}

interface HashingChain extends Omit<AdmissionChain, 'domain' | 'contracts'> {
  readonly hasher: OrderHasher;
  readonly findMistake: FindMistake;
}

interface ServedMarket {
  readonly market: AdmissionMarket;
  readonly chain: HashingChain;
}

/** An order that can be hashed: its values fit the signed type, its market is known, and its signature has a valid length. */
interface HashedOrder {
  readonly signed: SignedOrder;
  readonly digest: Uint8Array;
  readonly signatureBytes: Uint8Array;
}

/** An order that may become a command. */
interface AdmittedOrder {
  readonly signed: SignedOrder;
  readonly chain: HashingChain;
}

interface Identified {
  readonly signed: SignedOrder;
  /** Set if the signer may not sign for the trader. */
  readonly fault?: Fault;
}

/** A submission with everything known about it before the checks. */
interface Candidate {
  readonly submission: OrderSubmission;
  readonly served: ServedMarket | undefined;
  readonly hashed: HashedOrder | undefined;
}

export interface Examination {
  /** Undefined if the order cannot be hashed: unknown market, values out of range, or no signature. */
  readonly signed: SignedOrder | undefined;
  readonly signer?: Address | undefined;
  readonly domain?: SigningDomain;
  /** Undefined while the chain is unreachable. */
  readonly funds?: OrderFunds | undefined;
  readonly faults: readonly Fault[];
}

/** Lowest status at which the service failed; such an error says nothing about the order. */
const INTERNAL = 500;
/** Minimum size for an unknown market, so that the answer is `market_not_found` and not a fault of the size. */
const NO_MINIMUM = 1;
/** Turn of an order that is not queued: nothing to give back. */
const KEPT: OrderTurn = { whileOut: (answer) => answer, whileLate: (answer) => answer };

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #chains = new Map<number, HashingChain>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Adds a chain; orders for its markets are accepted from now on. */
  async addChain({ domain, contracts = [], ...judges }: AdmissionChain): Promise<void> {
    const findMistake = await openMistakes(domain, contracts, this.#options.signers);
    const hasher = await OrderHasher.open(domain);
    this.#chains.set(domain.chainId, { hasher, findMistake, ...judges });
  }

  /** `body` is parsed JSON that lost no digit (`parseJson`). Throws PresageError on refusal. */
  readonly submit = async (body: unknown, turn = KEPT): Promise<PlacedOrder> => {
    const admitted = await this.#admit(body, turn);
    return 'answer' in admitted ? admitted : await this.#place(admitted, turn);
  };

  /** Checks orders in parallel and places them in list order; each gets its own answer or refusal. */
  async submitAll(bodies: readonly unknown[], turn = KEPT): Promise<PromiseSettledResult<PlacedOrder>[]> {
    const admitted = await Promise.allSettled(this.#admitAll(bodies, turn));
    return Promise.allSettled(
      admitted.map(async (result) => {
        if (result.status === 'rejected') throw result.reason;
        return 'answer' in result.value ? result.value : this.#place(result.value, turn);
      }),
    );
  }

  /** Places all orders in one frame or none: one order's refusal refuses the batch. */
  async submitAtomic(bodies: readonly unknown[], turn = KEPT): Promise<PlacedOrder[]> {
    const results = await Promise.allSettled(this.#admitAll(bodies, turn));
    const admitted = results.flatMap((result) => (isAdmitted(result) ? [result.value] : []));
    try {
      const placed = results.map(answeredBefore);
      if (admitted.length === 0) return placed.filter((each) => each !== undefined);
      const known = placed.findIndex((each) => each !== undefined);
      if (known >= 0) throw batchNotFilled(known, { code: 'nonce_already_used' });
      for (const [index, each] of admitted.entries()) {
        refuse(termsFault(index, each.signed));
        const stop = this.#checkStops(each);
        if (stop !== undefined) throw batchNotFilled(index, stop);
      }
      return await this.#options.commands.placeAtomic(
        admitted.map(({ signed }) => signed),
        turn,
      );
    } finally {
      for (const each of admitted) this.#release(each);
    }
  }

  /** An order depends on the permits before it in the list, so it waits for them; orders before the first permit are checked in parallel. */
  #admitAll(bodies: readonly unknown[], turn: OrderTurn): Promise<AdmittedOrder | PlacedOrder>[] {
    let permitted: Promise<unknown> | undefined;
    return bodies.map((body) => {
      const admitting = permitted?.then(() => this.#admit(body, turn)) ?? this.#admit(body, turn);
      if (isObject(body) && 'permitSignature' in body) permitted = admitting.catch(() => undefined);
      return admitting;
    });
  }

  /** Examines an order without storing it and reports every fault, not only the first. */
  async examine(body: unknown): Promise<Examination> {
    const candidate = this.#prepare(body);
    const { hashed, served } = candidate;
    const nowSeconds = this.#options.clock.nowSeconds();
    const fieldFaults = findOrderFaults(candidate.submission, contextOf(candidate, nowSeconds));
    const { stops } = this.#options;
    const faults = [...fieldFaults, checkMarket(candidate, nowSeconds, stops)];
    if (hashed === undefined || served === undefined) return { signed: undefined, faults: faults.filter(isFault) };
    const { assessor, permits } = served.chain;
    const { domain } = served.chain.hasher;
    const recovered = isOfKey(hashed) ? await this.#recover(hashed) : undefined;
    const isTraders = recovered === hashed.signed.order.trader;
    const other = isTraders ? undefined : await this.#identifyOther(hashed, recovered, served);
    const { signer, fault } = other ?? { signer: recovered, fault: undefined };
    faults.push(fault, stops?.checkTrader(hashed.signed.order.trader), checkHalt(hashed.signed, served.chain));
    // Only the wallet itself may learn what the operator says about it.
    if (fault === undefined) faults.push(await askGate(hashed.signed, domain.chainId, this.#options.gate));
    const assessed = await assessor?.assess(hashed.signed, fault === undefined);
    const { signed } = hashed;
    faults.push(signed.permit && (await permits?.check(signed)), assessed?.fault);
    releasePermit(signed, permits);
    return { signed, signer, domain: toWire(domain), funds: assessed?.funds, faults: faults.filter(isFault) };
  }

  async #place(admitted: AdmittedOrder, turn: OrderTurn): Promise<PlacedOrder> {
    try {
      refuse(this.#checkStops(admitted));
      return await this.#options.commands.placeOrder(admitted.signed, turn);
    } finally {
      this.#release(admitted);
    }
  }

  /** Checks stops again in the same turn as the command, since a halt or block cancels only orders placed before it. */
  #checkStops({ signed, chain }: AdmittedOrder): Fault | undefined {
    const { stops } = this.#options;
    const { marketId, trader } = signed.order;
    return stops?.checkMarket(marketId) ?? stops?.checkTrader(trader) ?? checkHalt(signed, chain);
  }

  /** Releases the funds, permit and limits that the order has reserved. */
  #release({ signed, chain }: AdmittedOrder): void {
    fundsFor(signed, chain)?.release(signed);
    releasePermit(signed, chain.permits);
    this.#options.gate?.release(signed);
  }

  /** Returns the order that may become a command, or its earlier answer. Gives its turn back during questions to other parties. */
  async #admit(body: unknown, turn: OrderTurn): Promise<AdmittedOrder | PlacedOrder> {
    const candidate = this.#prepare(body);
    const { hashed, served } = candidate;
    // No await before signatures are recovered, so that those of a batch go to their thread together.
    const answer = hashed && this.#options.reads.firstAnswer(hashed.signed);
    if (answer !== undefined) return { answer, replayed: true };
    const nowSeconds = this.#options.clock.nowSeconds();
    const { stops } = this.#options;
    const fieldFault = checkOrder(candidate.submission, contextOf(candidate, nowSeconds));
    refuse(fieldFault ?? checkMarket(candidate, nowSeconds, stops));
    if (served === undefined || hashed === undefined) throw new Error('an order passed its checks and has no hash');
    // Inlined: a function of its own would cost every order a promise.
    const signer = isOfKey(hashed) ? await this.#recover(hashed) : undefined;
    const isTraders = signer === hashed.signed.order.trader;
    const identified: Identified = isTraders
      ? hashed
      : await turn.whileOut(this.#identifyOther(hashed, signer, served));
    // Checked after the signature: only the wallet itself may learn that it is blocked.
    const { trader } = identified.signed.order;
    refuse(identified.fault ?? stops?.checkTrader(trader) ?? checkHalt(identified.signed, served.chain));
    const { signed } = identified;
    const { chain } = served;
    const { gate } = this.#options;
    if (gate !== undefined) refuse(await checkGate(signed, gate, chain, turn));
    try {
      // The permit first, because the funds check counts on it; funds last, because a passed check reserves them.
      const funds = fundsFor(signed, chain);
      const permitFault = signed.permit && (await checkPermit(signed, chain.permits, turn));
      const fault = permitFault ?? (funds && (await checkFunds(signed, funds, turn)));
      refuse(fault);
      return { signed, chain };
    } catch (error) {
      releasePermit(signed, chain.permits);
      gate?.release(signed);
      throw error;
    }
  }

  #prepare(body: unknown): Candidate {
    const parsed = parseOrderSubmission(body);
    if (!parsed.ok) throw toError(parsed.fault);
    const submission = parsed.value;
    const served = this.#findMarket(submission);
    return { submission, served, hashed: served && hashOrder(submission, served.chain.hasher) };
  }

  /** Finds a market. One of a chain that is no longer served counts as unknown, since signatures for it cannot be checked. */
  #findMarket({ fields }: OrderSubmission): ServedMarket | undefined {
    const market = this.#options.reads.market(fields.marketId);
    const chain = market && this.#chains.get(market.facts.chainId);
    return chain && { market, chain };
  }

  #recover({ digest, signatureBytes }: HashedOrder): Promise<Address | undefined> {
    return this.#options.signers.recover(digest, signatureBytes);
  }

  /** Identifies a signature that is not by the trader's key: it may belong to a contract wallet, which takes a call to the chain. */
  async #identifyOther(
    hashed: HashedOrder,
    signer: Address | undefined,
    served: ServedMarket,
  ): Promise<Identified & { readonly signer: Address | undefined }> {
    const { signed } = hashed;
    const ofWallet = await signedByWallet(hashed, served.chain.wallets);
    if (ofWallet !== undefined) return { signed: ofWallet, signer: signed.order.trader };
    const fault = isOfKey(hashed)
      ? await this.#toSignerFault(hashed, signer, served)
      : await toWalletFault(hashed, served.chain.wallets);
    return { signed, signer, fault };
  }

  async #toSignerFault(hashed: HashedOrder, signer: Address | undefined, served: ServedMarket): Promise<Fault> {
    const { signed, digest, signatureBytes } = hashed;
    const { hasher, findMistake } = served.chain;
    const recoveredSigner = signer === undefined ? null : toChecksumAddress(signer);
    const marketAddress = served.market.facts.contractAddress;
    const usual = await findMistake({ order: signed.order, digest, signature: signatureBytes, marketAddress });
    const mistake = usual ?? (await this.#findOtherChain(hashed, served));
    const domain = toWire(hasher.domain);
    const details = { recoveredSigner, orderHash: signed.orderHash, domain, ...(mistake && { mistake }) };
    return { code: 'invalid_signature', details };
  }

  /** Finds another chain of this service for which the signature is valid. */
  async #findOtherChain(
    { signed, signatureBytes }: HashedOrder,
    { market }: ServedMarket,
  ): Promise<string | undefined> {
    for (const [chainId, { hasher }] of this.#chains) {
      if (chainId === market.facts.chainId) continue;
      const signer = await this.#options.signers.recover(hasher.digest(signed.order), signatureBytes);
      if (signer === signed.order.trader)
        return `it was signed for chain ${chainId}, its market is on ${market.facts.chainId}`;
    }
    return undefined;
  }
}

function isAdmitted(
  result: PromiseSettledResult<AdmittedOrder | PlacedOrder>,
): result is PromiseFulfilledResult<AdmittedOrder> {
  return result.status === 'fulfilled' && 'signed' in result.value;
}

/** Returns the first answer of an order that was placed before. Throws if the order was refused. */
function answeredBefore(
  result: PromiseSettledResult<AdmittedOrder | PlacedOrder>,
  index: number,
): PlacedOrder | undefined {
  if (result.status === 'fulfilled') return 'answer' in result.value ? result.value : undefined;
  const { reason } = result;
  const isRefusal = reason instanceof PresageError && reason.status < INTERNAL;
  throw isRefusal ? batchNotFilled(index, reason) : reason;
}

/** Refuses terms that could leave an atomic batch half done: an order filled in part, later or not at all. */
function termsFault(index: number, { terms }: SignedOrder): Fault | undefined {
  if (terms.postOnly || terms.timeInForce === 'FOK') return undefined;
  const expected = 'FOK in an atomic batch, unless the order is postOnly';
  return { code: 'invalid_field', details: { field: `orders.${index}.timeInForce`, expected } };
}

function isOfKey({ signatureBytes }: HashedOrder): boolean {
  return signatureBytes.length === LIMITS.orderSignatureBytes;
}

/** The stored order if its trader is a contract that confirms the signature. */
async function signedByWallet(
  { signed, digest, signatureBytes }: HashedOrder,
  wallets: WalletSigners | undefined,
): Promise<SignedOrder | undefined> {
  const isLong = signatureBytes.length > LIMITS.orderSignatureBytes;
  try {
    const isSigned = await wallets?.isSigned(signed.order.trader, toHex(digest), toHex(signatureBytes));
    return isSigned ? { ...signed, signature: toKeptSignature(signatureBytes) } : undefined;
  } catch (error) {
    // A wrong signature by a key is wrong without the chain; other signatures cannot be judged without it.
    if (!isLong) return undefined;
    throw error instanceof PresageError ? error : new PresageError('chain_unavailable', { reason: String(error) });
  }
}

async function toWalletFault(
  { signed, signatureBytes }: HashedOrder,
  wallets: WalletSigners | undefined,
): Promise<Fault> {
  const hasCode = await wallets?.hasCode(signed.order.trader).catch(() => false);
  if (hasCode !== true) return signatureFault(toHex(signatureBytes));
  return { code: 'invalid_signature', details: { recoveredSigner: null, orderHash: signed.orderHash } };
}

/** Refuses orders of a halted trader, which cannot settle; needs no call to the chain. */
function checkHalt({ order }: SignedOrder, { halts, hasher }: HashingChain): Fault | undefined {
  const effectiveAfter = halts?.effectiveAfter(order.trader);
  if (effectiveAfter === undefined) return undefined;
  const { chainId } = hasher.domain;
  return { code: 'trading_halted', details: { trader: toChecksumAddress(order.trader), chainId, effectiveAfter } };
}

/** Asks the gate without counting the order towards limits. */
async function askGate(signed: SignedOrder, chainId: number, gate: OrderGate | undefined): Promise<Fault | undefined> {
  const fault = await gate?.check(signed, chainId);
  gate?.release(signed);
  return fault;
}

function releasePermit(signed: SignedOrder, permits: PermitCheck | undefined): void {
  if (signed.permit !== undefined) permits?.release(signed);
}

type FundsCheck = NonNullable<AdmissionChain['funds'] | AdmissionChain['assessor']>;

/** Selects the funds check. A reduce-only order is checked on every chain, even without collateral checks: its trader asked for it. */
function fundsFor({ terms }: SignedOrder, { funds, assessor }: HashingChain): FundsCheck | undefined {
  return terms.reduceOnly ? assessor : funds;
}

async function checkGate(
  signed: SignedOrder,
  gate: OrderGate,
  { hasher }: HashingChain,
  turn: OrderTurn,
): Promise<Fault | undefined> {
  const judged = gate.check(signed, hasher.domain.chainId);
  return judged instanceof Promise ? turn.whileOut(judged, () => gate.release(signed)) : judged;
}

async function checkPermit(
  signed: SignedOrder,
  permits: PermitCheck | undefined,
  turn: OrderTurn,
): Promise<Fault | undefined> {
  return permits && turn.whileOut(permits.check(signed), () => permits.release(signed));
}

/** Checks funds. An order with a used nonce passes even without funds: the host then answers the replay or the nonce error. */
async function checkFunds(signed: SignedOrder, funds: FundsCheck, turn: OrderTurn): Promise<Fault | undefined> {
  const judged = funds.check(signed);
  const fault = judged instanceof Promise ? await turn.whileOut(judged, () => funds.release(signed)) : judged;
  return fault !== undefined && funds.isNonceUsed(signed) ? undefined : fault;
}

/** Hashes an order, the only place that does: the digest serves replay detection, the signature and the order's id. */
function hashOrder(submission: OrderSubmission, hasher: OrderHasher): HashedOrder | undefined {
  const order = toHashable(submission);
  const { signature: given, terms, permit } = submission;
  const signatureBytes = parseAnySignature(given);
  if (order === undefined || signatureBytes === undefined) return undefined;
  const digest = hasher.digest(order);
  const isKeys = signatureBytes.length === LIMITS.orderSignatureBytes;
  const signature = isKeys ? normaliseSignature(given, signatureBytes) : toKeptSignature(signatureBytes);
  const signed = { orderHash: toHex(digest), order, signature, terms };
  return { signed: permit === undefined ? signed : { ...signed, permit }, digest, signatureBytes };
}

/** Signature to keep. Unwraps ERC-6492: by settlement the wallet is deployed and verifies the inner signature alone. */
function toKeptSignature(bytes: Uint8Array): Hex {
  const hex = toHex(bytes);
  return markWalletSignature(isErc6492Signature(hex) ? fromHex(parseErc6492Signature(hex).signature) : bytes);
}

/** Undefined for a price or size out of range, which the hasher cannot encode. Such an order was never accepted: no replay is missed. */
function toHashable({ fields }: OrderSubmission): Order | undefined {
  const order = toOrder(fields);
  return isPrice(order.price) && isSize(order.size) ? order : undefined;
}

function contextOf({ served }: Candidate, nowSeconds: number): OrderCheckContext {
  return { nowSeconds, minOrderSize: served?.chain.minOrderSize ?? NO_MINIMUM };
}

function checkMarket(
  { submission, served }: Candidate,
  nowSeconds: number,
  stops: StopLookup | undefined,
): Fault | undefined {
  const { marketId } = submission.fields;
  if (served === undefined) return { code: 'market_not_found', details: { marketId } };
  const { expiration, kind } = served.market.facts;
  if (served.market.status !== 'open' || expiration <= nowSeconds) {
    return { code: 'market_closed', details: { marketId, expiration, now: nowSeconds } };
  }
  const stop = stops?.checkMarket(marketId);
  if (stop !== undefined || kind !== 'quick' || served.chain.quick?.isPriced(marketId)) return stop;
  return { code: 'price_unavailable', details: { marketId } };
}

function isFault(fault: Fault | undefined): fault is Fault {
  return fault !== undefined;
}

function toWire(domain: SigningDomain): SigningDomain {
  const { name, version, chainId, verifyingContract } = domain;
  return { name, version, chainId, verifyingContract: toChecksumAddress(verifyingContract) };
}

function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw toError(fault);
}

function toError({ code, details }: Fault): PresageError {
  return new PresageError(code, details);
}
