// Signs a nonce's payload as a record, with fees that beat every earlier attempt.
import { type Hex, openKeccak } from '@presage/protocol';
import type { RecordedRequest, SenderRecord } from '@presage/protocol/sender-records';
import type { Address } from 'viem';
import { type FeeStrategy, type Fees, toCappedFees, toDemandedFees, toReplacementFees } from './fees.ts';
import type { Slot } from './nonce-slot.ts';
import { toRecord } from './sender-ledger.ts';

/** The sending account: a viem local account or a remote signer. */
export interface TransactionAccount {
  readonly address: Address;
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>;
}

interface UnsignedTransaction extends Fees {
  readonly type: 'eip1559';
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

export interface TransactionSignerOptions {
  readonly chainId: number;
  readonly account: TransactionAccount;
  readonly fees: FeeStrategy;
  readonly maxFeePerGasCap: bigint;
  /** Gas of an empty transfer to ourselves: on some chains it includes a part for another chain and changes with its price. */
  readonly transferGas: () => Promise<bigint>;
}

/** Current demands of the chain and its pool. */
export interface FeeMarket {
  readonly baseFeePerGas: bigint;
  /** The minimum tip that the pool last named; zero if it never did. */
  readonly demandedTip: bigint;
}

export class FeeCapReached extends Error {
  override readonly name = 'FeeCapReached';
}

export class TransactionSigner {
  readonly #options: TransactionSignerOptions;

  constructor(options: TransactionSignerOptions) {
    this.#options = options;
  }

  /** An empty transfer to ourselves: it only uses up a nonce. */
  async selfTransfer(): Promise<RecordedRequest> {
    const gasLimit = await this.#options.transferGas();
    return { to: this.#options.account.address, data: '0x', value: '0', gasLimit: gasLimit.toString() };
  }

  async sign(slot: Slot, kind: 'payload' | 'free', market: FeeMarket): Promise<SenderRecord> {
    const fees = await this.#fees(slot, market);
    const request = kind === 'payload' ? slot.request : await this.selfTransfer();
    const keccak = await openKeccak();
    const raw = await this.#options.account.signTransaction({
      type: 'eip1559',
      chainId: this.#options.chainId,
      nonce: slot.nonce,
      to: request.to,
      data: request.data,
      value: BigInt(request.value),
      gas: BigInt(request.gasLimit),
      ...fees,
    });
    return toRecord(slot, {
      type: 'transaction-signed',
      attempt: slot.attempts.length,
      kind,
      hash: keccak(raw),
      raw,
      maxFeePerGas: fees.maxFeePerGas.toString(),
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    });
  }

  async #fees(slot: Slot, { baseFeePerGas, demandedTip }: FeeMarket): Promise<Fees> {
    const previous = slot.attempts.at(-1)?.fees ?? null;
    const chosen = await this.#options.fees({ attempt: slot.attempts.length, baseFeePerGas, previous });
    const { maxFeePerGasCap: cap } = this.#options;
    const proposed = toCappedFees(toDemandedFees(chosen, demandedTip), { baseFeePerGas, cap });
    const fees = previous === null ? proposed : toReplacementFees(previous, proposed);
    if (fees.maxFeePerGas > cap) {
      throw new FeeCapReached(`nonce ${slot.nonce} would need ${fees.maxFeePerGas} wei per gas`);
    }
    return fees;
  }
}
