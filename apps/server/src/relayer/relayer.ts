// Sends signed calls for wallets without gas money: each signed request once, and one at a time per wallet and contract.
import type { HoldableSenderPort, OperationView } from '@presage/chain';
import { type Address, type Hex, LIMITS, PresageError } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';
import { askingChain, simulateCall } from './call-simulation.ts';
import { findDataGas } from './data-gas.ts';
import type { Reputation } from './gas-budget.ts';
import { isDecided, isMined, isOut, OperationWatch } from './operation-watch.ts';
import { type Leave, OwnerLanes, settlesBy } from './owner-lanes.ts';
import type { CompletedCall, ExpectedClaim, RelayedCall, RelayRecord } from './ports.ts';
import type { RelayState } from './relay-state.ts';
import type { SignatureCheck } from './signature-check.ts';
import { findReputation } from './wallet-reputation.ts';

export interface RelayerOptions {
  readonly state: RelayState;
  readonly wallets: Pick<WalletReads, 'nonces' | 'funds'>;
  /** Address of the relayer's account, which sends. */
  readonly relayer: Hex;
  readonly sender: HoldableSenderPort;
  readonly journal: ChainLog['relays'];
  /** Called before a turn is taken. */
  readonly signatures: Pick<SignatureCheck, 'findNonces'>;
}

/** Checks of one call beyond its deadline and its simulation. */
export interface RelayTerms {
  /** Throws a PresageError if the operator does not pay for the call. */
  readonly judge?: () => void;
  /** Called after the simulation: returns the claims that the call is expected to pay; throws if there are none. */
  readonly expect?: () => Promise<readonly ExpectedClaim[]>;
  /** Longest wait for the turn; an order's permit waits without limit. */
  readonly timeoutMs?: number;
  /** Key of the address that asked. */
  readonly client?: string | undefined;
}

const TIMEOUT_MS = LIMITS.relayerTimeoutSeconds * 1_000;
/** Longest wait for the wallet's turn plus the same for the chain. */
const ADMISSION_TIMEOUT_MS = 2 * TIMEOUT_MS;

export class Relayer {
  readonly #context: ChainContext;
  readonly #options: RelayerOptions;
  readonly #state: RelayState;
  readonly #lanes = new OwnerLanes();
  readonly #watch: OperationWatch;
  /** Requests that are being judged; a repeated one shares the result. */
  readonly #arriving = new Map<string, Promise<RelayRecord>>();

  constructor(context: ChainContext, options: RelayerOptions) {
    this.#context = context;
    this.#options = options;
    this.#state = options.state;
    this.#watch = new OperationWatch((operationId) => options.sender.status(operationId));
    // Calls that an earlier run left pending still occupy their wallets' lanes.
    for (const record of this.#state.book.unmined()) void this.#occupy(record);
  }

  /** Called by the sender when an operation changes its stage. */
  onOperation(view: OperationView): void {
    this.#state.book.follow(view);
    this.#watch.notify(view);
  }

  /** Resolves when the node holds the transaction of this signed request; throws a PresageError otherwise. */
  async relay(call: RelayedCall, terms: RelayTerms = {}): Promise<OperationView> {
    const admitted = this.admit(call, terms);
    // A sender that is full because its chain accepts nothing blocks new calls for as long as that lasts.
    if (!(await settlesBy(admitted, Date.now() + ADMISSION_TIMEOUT_MS))) {
      throw new PresageError('chain_unavailable', { reason: 'the relayer is full; post the same request again' });
    }
    return this.#broadcast(await admitted);
  }

  /** Resolves when the call is certain to be sent, which may be before the node has it. */
  admit(call: RelayedCall, terms: RelayTerms): Promise<RelayRecord> {
    const { digest } = call;
    const current = this.#state.book.current(digest);
    if (current !== undefined) return Promise.resolve(current);
    const arriving = this.#arriving.get(digest);
    if (arriving !== undefined) return arriving;
    const judged = this.#judge(call, terms).finally(() => this.#arriving.delete(digest));
    this.#arriving.set(digest, judged);
    return judged;
  }

  /** Resolves when a node holds the operation, or it has failed for good. */
  out({ operationId }: RelayRecord): Promise<OperationView> {
    return this.#watch.when(operationId, isOut);
  }

  /** Resolves when the chain has decided it for good. */
  decided({ operationId }: RelayRecord): Promise<OperationView> {
    return this.#watch.when(operationId, isDecided);
  }

  /** Resolves when a block holds the operation, or none ever will. */
  mined({ operationId }: RelayRecord): Promise<OperationView> {
    return this.#watch.when(operationId, isMined);
  }

  async #judge(call: RelayedCall, terms: RelayTerms): Promise<RelayRecord> {
    this.#checkDeadlines(call);
    terms.judge?.();
    this.#state.gas.check({ owner: call.owner }, call.gasLimit);
    const nonces = await this.#options.signatures.findNonces(call.signed);
    const leave = await this.#lanes.enter(lanesOf(call), terms.timeoutMs ?? TIMEOUT_MS);
    try {
      const completed = await askingChain(async () => call.complete?.(nonces) ?? { data: call.data });
      return await this.#send({ ...call, ...completed }, terms, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #checkDeadlines({ deadlines }: RelayedCall): void {
    const now = this.#context.clock.nowSeconds();
    const passed = deadlines.find((deadline) => deadline < BigInt(now));
    if (passed !== undefined) throw new PresageError('deadline_passed', { deadline: passed.toString(), now });
  }

  async #send(completed: RelayedCall & CompletedCall, terms: RelayTerms, leave: Leave): Promise<RelayRecord> {
    const { relayer, journal, sender } = this.#options;
    const { rpc, node } = this.#context;
    await askingChain(() => sender.ready());
    await simulateCall({ rpc, node, relayer }, completed);
    const dataGas = await askingChain(() => findDataGas(rpc, relayer, completed.data));
    const call = { ...completed, gasLimit: completed.gasLimit + dataGas };
    const claims = await terms.expect?.();
    const reputation = await askingChain(() => this.#reputationOf(call));
    const nonces = await askingChain(() => this.#nextNonces(call));
    // Other calls may have spent the rest while this one waited for its turn.
    const payee = { owner: call.owner, reputation, client: terms.client };
    this.#state.gas.check(payee, call.gasLimit);
    const bond = call.bond?.toString();
    const record = this.#toRecord(call, { nonces, ...(claims && { claims }), ...(bond && { bond }) });
    // Added before it is written: calls checked in the meantime must find the budget spent.
    this.#state.add(record, payee);
    await journal.append(record);
    const { to, data, gasLimit } = call;
    await askingChain(() => sender.enqueue({ operationId: record.operationId, to, data, gasLimit }));
    const view = sender.status(record.operationId);
    if (view !== undefined) this.#state.book.follow(view);
    void this.mined(record).then(leave);
    return record;
  }

  #toRecord(call: RelayedCall, known: Pick<RelayRecord, 'nonces' | 'claims' | 'bond'>): RelayRecord {
    const { operation, owner, gasLimit, digest } = call;
    return {
      kind: 'relayed',
      operationId: this.#state.book.nextOperationId(digest),
      digest,
      operation,
      owner,
      gasLimit: gasLimit.toString(),
      wallMs: Date.now(),
      submittedAt: this.#context.clock.nowSeconds(),
      ...known,
    };
  }

  async #nextNonces({ uses }: RelayedCall): Promise<RelayRecord['nonces']> {
    const nonces = await this.#options.wallets.nonces(uses, 'pending');
    return uses.map(({ owner, contract, count }, index) => ({
      owner,
      contract,
      next: ((nonces[index] ?? 0n) + BigInt(count)).toString(),
    }));
  }

  /** Called once the signature is known to be the owner's. Without a budget the class does not matter, and the chain is not asked. */
  async #reputationOf(call: RelayedCall): Promise<Reputation> {
    if (!this.#state.isBudgeted) return 'trading';
    return findReputation(call, {
      hasOrders: (trader) => this.#context.reads.openOrders({ trader, limit: 1 }).length > 0,
      balanceOf: async (wallet) => (await this.#options.wallets.funds(wallet)).balance,
    });
  }

  async #occupy(record: RelayRecord): Promise<void> {
    const keys = record.nonces.map(({ owner, contract }) => laneOf(owner, contract));
    const leave = await this.#lanes.enter(keys, Number.POSITIVE_INFINITY);
    await this.mined(record);
    leave();
  }

  /** Waits until the node has the transaction. It is journalled and will be sent; an unreachable node only delays the answer. */
  async #broadcast(record: RelayRecord): Promise<OperationView> {
    const out = askingChain(() => this.out(record));
    if (!(await settlesBy(out, Date.now() + TIMEOUT_MS))) {
      throw new PresageError('chain_unavailable', {
        reason: 'the transaction is journalled and will be sent; post the same request again for its hash',
      });
    }
    const view = await out;
    // A call that was given up is out too, as a transfer to the relayer itself that frees its nonce.
    if (view.hash !== null && view.hashes.includes(view.hash)) return view;
    throw new PresageError('chain_unavailable', { reason: view.reason ?? 'the node refused the transaction' });
  }
}

function lanesOf({ uses }: RelayedCall): string[] {
  return uses.map(({ owner, contract }) => laneOf(owner, contract));
}

function laneOf(owner: Address, contract: Address): string {
  return `${owner}/${contract}`;
}
