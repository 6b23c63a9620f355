// Sends the transactions of one account and executes each operation exactly once, through failures of nodes and power.
import { type Hex, toLowerHex } from '@presage/protocol';
import type { RecordedRequest } from '@presage/protocol/sender-records';
import { type PollResult, PollTimer, SerialQueue } from '@presage/runtime';
import type { Address } from 'viem';
import { NodeReader } from '../node-reader.ts';
import { isRpcFailure, RpcError, RpcUnavailable } from '../rpc.ts';
import { toContractError } from '../typed-contract.ts';
import { NonceAllocator } from './nonce-allocator.ts';
import { GAP_PREFIX, NonceWorker, toReservation } from './nonce-worker.ts';
import { type OperationView, OperationWaiters } from './operation-view.ts';
import { Alarms } from './sender-alarms.ts';
import { SenderHalted, SenderLedger, toRecord } from './sender-ledger.ts';
import {
  type SenderPort,
  type SenderSettings,
  type TransactionRequest,
  type TransactionSenderOptions,
  toSenderSettings,
} from './sender-options.ts';
import { digestOf } from './sender-state.ts';
import { TransactionSigner } from './transaction-signer.ts';

export class OperationConflict extends Error {
  override readonly name = 'OperationConflict';
}

export class SenderClosed extends Error {
  override readonly name = 'SenderClosed';
}

/** Largest backoff, as a multiple of the poll interval, while a node stays unreachable. */
const MAX_BACKOFF = 16;
/** Gas of a transfer on most chains; used if a node does not estimate it. */
const TRANSFER_GAS = 21_000n;

export class TransactionSender implements SenderPort {
  readonly #settings: SenderSettings;
  readonly #account: Address;
  readonly #node: NodeReader;
  readonly #ledger: SenderLedger;
  readonly #nonces: NonceAllocator;
  readonly #worker: NonceWorker;
  readonly #alarms: Alarms;
  readonly #queue = new SerialQueue();
  readonly #rounds = new SerialQueue();
  readonly #entrance = new SerialQueue();
  readonly #waiters = new OperationWaiters();
  readonly #listeners: ((operation: OperationView) => void)[] = [];
  readonly #arriving = new Map<string, { digest: string; view: Promise<OperationView> }>();
  #dispatching = false;
  readonly #timer: PollTimer;
  /** The newest block seen by a round; null while there is nothing to watch. */
  #head: Hex | null = null;
  #closed = false;

  constructor(options: TransactionSenderOptions) {
    const settings = toSenderSettings(options);
    this.#settings = settings;
    this.#account = toLowerHex(options.account.address);
    this.#node = options.node ?? new NodeReader(options.rpc);
    this.#alarms = new Alarms(settings.onAlarm);
    this.#ledger = new SenderLedger({
      ...settings,
      onChange: (operation) => {
        this.#waiters.notify(operation);
        for (const listener of this.#listeners) listener(operation);
      },
    });
    const { pollMs, idleMs } = settings;
    this.#timer = new PollTimer({ pollMs, idleMs, longestMs: pollMs * MAX_BACKOFF, step: () => this.#poll() });
    this.#nonces = new NonceAllocator(this.#ledger.state.nextNonce);
    this.#worker = new NonceWorker({
      ...settings,
      node: this.#node,
      account: this.#account,
      ledger: this.#ledger,
      signer: new TransactionSigner({ ...settings, transferGas: () => this.#estimateTransfer() }),
      alarms: this.#alarms,
      nonces: this.#nonces,
    });
  }

  /** Resolves when the operation is durable: from then on it is executed even if this process dies. */
  async enqueue(request: TransactionRequest): Promise<OperationView> {
    this.#assertOpen();
    const { operationId } = request;
    const digest = digestOf(toRecorded(request, 0n));
    const arriving = this.#arriving.get(operationId);
    const known = arriving?.digest ?? this.#ledger.state.digest(operationId);
    if (known !== undefined && known !== digest) throw new OperationConflict(`${operationId} was another request`);
    // No await between the check and noting the arrival: two concurrent callers must share one nonce.
    if (arriving !== undefined) return arriving.view;
    const present = this.#ledger.state.operation(operationId);
    if (present !== undefined) return present;
    const view = this.#reserve(request).finally(() => this.#arriving.delete(operationId));
    this.#arriving.set(operationId, { digest, view });
    return view;
  }

  /** Resolves when the node holds the transaction; rejects if the operation is given up before. */
  async send(request: TransactionRequest): Promise<OperationView> {
    return this.#waiters.submitted(await this.enqueue(request), () => this.status(request.operationId));
  }

  async ready(): Promise<void> {
    await this.#worker.ready();
    if (this.#worker.isFollowingPrevious)
      throw new RpcUnavailable('held', 'the key was replaced, and transactions of the one before are not final');
    await this.#worker.adopt();
  }

  status(operationId: string): OperationView | undefined {
    return this.#ledger.state.operation(operationId);
  }

  /** Called whenever an operation moves to another stage, transaction or block. */
  onChange(listener: (operation: OperationView) => void): void {
    this.#listeners.push(listener);
  }

  /** Number of operations that are not mined. */
  get inFlight(): number {
    return this.#ledger.state.openCount + this.#nonces.reserving;
  }

  /**
   * The nonce of the next transaction; null before it is known. If the chain has already used it, another sender shares
   * the account.
   */
  get nextNonce(): number | null {
    return this.#nonces.next;
  }

  /** The lowest open nonce if it blocks the others for too long; null while the account makes progress. */
  get stuckNonce(): number | null {
    return this.#worker.stuckNonce;
  }

  /** True when nothing is left to watch. */
  get isSettled(): boolean {
    return this.#nonces.reserving === 0 && this.#ledger.state.slots().every((slot) => slot.confirmed);
  }

  /** Requests that the nonce be freed. If the payload is mined all the same, the operation ends as mined. */
  async abandon(operationId: string, reason: string): Promise<void> {
    this.#assertOpen();
    await this.#queue.run(async () => {
      const operation = this.#ledger.state.operation(operationId);
      const slot = operation && this.#ledger.state.slot(operation.nonce);
      if (slot === undefined || slot.mined !== null || slot.freeing) return;
      await this.#ledger.commit([toRecord(slot, { type: 'operation-abandoned', reason })]);
    });
  }

  /**
   * One round of work; call it on every new head, or let `start` poll. Returns false if the node could not be asked.
   */
  async advance(): Promise<boolean> {
    this.#assertOpen();
    return (await this.#round()) !== undefined;
  }

  start(): void {
    this.#assertOpen();
    this.#timer.start();
  }

  /** Announces a new head. */
  wake(): void {
    this.#timer.wake();
  }

  /** Stops after the current step; everything else resumes from the journal at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.close();
    this.#waiters.end(new SenderClosed('the sender was closed'));
    await Promise.all([this.#rounds.idle(), this.#queue.idle()]);
  }

  /** Unmined transactions are checked at every poll, mined ones when a block arrives. */
  async #poll(): Promise<PollResult> {
    const headBefore = this.#head;
    const head = await this.#round();
    if (head === undefined) return 'failed';
    this.#head = head;
    return this.inFlight > 0 || this.#head !== headBefore ? 'busy' : 'idle';
  }

  /** Returns the observed head, null with nothing to watch, undefined if the node could not be asked. */
  #round(): Promise<Hex | null | undefined> {
    return this.#rounds.run(async () => {
      // Outside the queue, so that sending never waits for answers about earlier transactions.
      const observed = await this.#attempt(() => this.#worker.observe());
      if (observed === undefined || observed === null) return observed;
      return (await this.#guard(() => this.#worker.act(observed)))?.hash;
    });
  }

  async #reserve(request: TransactionRequest): Promise<OperationView> {
    const { operationId } = request;
    if (operationId.startsWith(GAP_PREFIX)) throw new OperationConflict(`${GAP_PREFIX} ids are the sender's own`);
    const recorded = toRecorded(request, request.gasLimit ?? (await this.#estimateGas(request)));
    const { durable } = await this.#entrance.run(() => this.#takeNonce(operationId, recorded));
    await durable;
    this.#dispatch();
    this.#timer.wake();
    return this.#ledger.state.operation(operationId)!;
  }

  /** Nonces follow the order of arrival. The write is returned without awaiting it, so that many share one sync. */
  async #takeNonce(operationId: string, request: RecordedRequest): Promise<{ durable: Promise<void> }> {
    await this.ready();
    await this.#waiters.capacity(() => this.inFlight < this.#settings.maxInFlight);
    await this.#learnNonce();
    this.#assertOpen();
    const reserve = (nonce: number) => this.#ledger.commit([toReservation(operationId, nonce, 'operation', request)]);
    return { durable: this.#nonces.use(reserve) };
  }

  /** The estimate is the simulation: a call that would revert takes no nonce. */
  async #estimateGas(request: TransactionRequest): Promise<bigint> {
    try {
      return await this.#estimate(request);
    } catch (error) {
      throw toContractError(error);
    }
  }

  async #estimateTransfer(): Promise<bigint> {
    try {
      return await this.#estimate({ to: this.#account });
    } catch (error) {
      if (error instanceof RpcError) return TRANSFER_GAS;
      throw error;
    }
  }

  async #estimate({ to, data = '0x', value = 0n }: Omit<TransactionRequest, 'operationId'>): Promise<bigint> {
    const estimate = await this.#node.estimateGas({ from: this.#account, to, data, value });
    return (estimate * BigInt(100 + this.#settings.gasMarginPercent)) / 100n;
  }

  /**
   * While nothing of ours is in flight, another sender may have used the account; the journal is the lower bound.
   * Pending transactions count as used: if one vanishes, its hole is filled like any other.
   */
  async #learnNonce(): Promise<void> {
    if (this.#nonces.isReady && this.inFlight > 0) return;
    try {
      const used = await this.#node.transactionCount(this.#account, 'pending');
      const { next } = this.#nonces;
      if (next !== null && used > next) {
        const detail = `${used - next} transactions were sent by somebody else while nothing of ours was on its way`;
        this.#alarms.raise({ type: 'foreign-transaction', nonce: next, operationId: null, detail });
      }
      if (next !== null && used < next && (await this.#isOtherAccount(next))) this.#nonces.beginAt(used);
      else this.#nonces.raiseTo(used);
    } catch (error) {
      if (!isRpcFailure(error) || !this.#nonces.isReady) throw error;
    }
  }

  /** Everything sent is final, but this account has not sent it: the key was replaced. The count of a lagging node is not trusted. */
  async #isOtherAccount(next: number): Promise<boolean> {
    if (this.#ledger.state.slots().length > 0) return false;
    return (await this.#node.standing(this.#account)).transactionCount < next;
  }

  /** Signs and sends reserved nonces; calls that arrive while one is waiting share it. */
  #dispatch(): void {
    if (this.#dispatching || this.#closed) return;
    this.#dispatching = true;
    this.#guard(() => {
      this.#dispatching = false;
      return this.#worker.dispatch();
    }).catch(() => undefined);
  }

  #guard<T>(task: () => Promise<T>): Promise<T | undefined> {
    return this.#queue.run(() => this.#attempt(task));
  }

  /** Returns undefined if the node could not be asked, or the sender is closed. */
  async #attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#closed) return undefined;
    try {
      return await task();
    } catch (error) {
      if (!isRpcFailure(error)) throw this.#halt(error);
      return undefined;
    } finally {
      this.#waiters.notifyCapacity();
    }
  }

  /** Any failure here is not the node's: reports it and halts. */
  #halt(error: unknown): SenderHalted {
    const halted = error instanceof SenderHalted ? error : new SenderHalted('unexpected failure', { cause: error });
    this.#alarms.raise({ type: 'halted', nonce: null, operationId: null, detail: String(halted.cause ?? halted) });
    this.#closed = true;
    this.#waiters.end(halted);
    return halted;
  }

  #assertOpen(): void {
    if (this.#ledger.halted !== null) throw this.#ledger.halted;
    if (this.#closed) throw new SenderClosed('the sender is closed');
  }
}

function toRecorded(request: TransactionRequest, gasLimit: bigint): RecordedRequest {
  const { to, data = '0x', value = 0n } = request;
  return { to: toLowerHex(to), data, value: value.toString(), gasLimit: gasLimit.toString() };
}
