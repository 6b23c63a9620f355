// Checks signatures of contract wallets (EIP-1271) by eth_call, within the gas that the chain itself allows.
import { ContractReverted, callContract, isRpcFailure, type ReadBlock } from '@presage/chain';
import { type Address, type Hex, LIMITS, PresageError } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
  size,
  universalSignatureValidatorByteCode,
} from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';

type Place = Pick<ChainContext, 'rpc' | 'node'>;

const WALLET_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const VALIDATOR_PARAMETERS = [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }] as const;
const MAGIC = `0x1626ba7e${'00'.repeat(28)}`;
/** Gas limit of the contracts: with more, a signature could be valid here and invalid on chain. */
const WALLET_GAS = 150_000n;
const CALL_GAS = 21_000n;
const GAS_PER_BYTE = 16n;
/** Gas to deploy the wallet within the call, which happens only off chain. */
const COUNTERFACTUAL_GAS = 10_000_000n;
/** Limit of queued checks of undeployed wallets. Anybody can request them and each may take a node a tenth of a second, so they run one after another. */
const COUNTERFACTUAL_QUESTIONS = 16;
/**
 * How long an account counts as one without code. A wallet is deployed or delegates once in its life; constant wrong signatures then cost
 * one call in this time.
 */
const NO_CODE_MS = 10_000;
/** How long a valid signature is cached: long enough for a request and its repetition, since an owner may be removed from a wallet at any time. */
const VALID_MS = 5_000;
const REMEMBERED = 10_000;

export class ContractSignatures {
  readonly #place: Place;
  readonly #wallMs: () => number;
  /** Accounts without code, with the end of their cache entry. */
  readonly #withoutCode = new Map<Address, number>();
  readonly #valid = new Map<string, number>();
  readonly #deployments = new SerialQueue();
  #deploying = 0;

  constructor(place: Place, wallMs: () => number) {
    this.#place = place;
    this.#wallMs = wallMs;
  }

  /** Whether the wallet accepts the signature; false for an account without code. Rejects if the chain does not answer or the node is behind. */
  async isSigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean> {
    if (size(signature) > LIMITS.walletSignatureBytes) return false;
    if (isErc6492Signature(signature)) {
      const isLong = size(parseErc6492Signature(signature).signature) >= LIMITS.orderSignatureBytes;
      return isLong && this.#isCounterfactuallySigned(wallet, digest, signature);
    }
    const key = `${wallet}${digest}${signature}`;
    if (this.#holds(this.#valid, key)) return true;
    if (this.#holds(this.#withoutCode, wallet)) return false;
    const newest = await this.#newest();
    if (!(await this.#hasCodeAt(wallet, newest))) return false;
    const isValid = await this.#ask(wallet, { digest, signature }, newest);
    if (isValid) this.#remember(this.#valid, key, VALID_MS);
    return isValid;
  }

  async hasCode(wallet: Address): Promise<boolean> {
    if (this.#holds(this.#withoutCode, wallet)) return false;
    return this.#hasCodeAt(wallet, await this.#newest());
  }

  /** Reads the newest block by its hash: a node that is behind would report a wallet that was just deployed as one without code. */
  async #newest(): Promise<{ readonly hash: Hex }> {
    return { hash: (await this.#place.node.head()).hash };
  }

  async #hasCodeAt(wallet: Address, { hash }: { readonly hash: Hex }): Promise<boolean> {
    const code = await this.#place.rpc.request('eth_getCode', [wallet, { blockHash: hash }]);
    if (code === '0x') this.#remember(this.#withoutCode, wallet, NO_CODE_MS);
    return code !== '0x';
  }

  async #ask(wallet: Address, signed: { digest: Hex; signature: Hex }, block: ReadBlock): Promise<boolean> {
    const args = [signed.digest, signed.signature] as const;
    const data = encodeFunctionData({ abi: WALLET_ABI, functionName: 'isValidSignature', args });
    const gas = CALL_GAS + WALLET_GAS + GAS_PER_BYTE * BigInt(size(data));
    const answer = await this.#call({ to: wallet, data, gas }, block);
    return answer.slice(0, MAGIC.length) === MAGIC;
  }

  /** ERC-6492: the call first deploys the wallet; nothing of it persists. */
  async #isCounterfactuallySigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean> {
    const question = encodeAbiParameters(VALIDATOR_PARAMETERS, [wallet, digest, signature]);
    const data = concatHex([universalSignatureValidatorByteCode, question]);
    if (this.#deploying >= COUNTERFACTUAL_QUESTIONS) throw new PresageError('overloaded');
    this.#deploying++;
    const asked = this.#deployments.run(() => this.#call({ data, gas: COUNTERFACTUAL_GAS }, 'latest'));
    return (await asked.finally(() => this.#deploying--)) === '0x01';
  }

  /** Calls the contract. Reverts and exhausted gas return '0x', which is not a yes. */
  async #call(call: { to?: Hex; data: Hex; gas: bigint }, block: ReadBlock): Promise<Hex> {
    try {
      return await callContract(this.#place.rpc, call, block);
    } catch (error) {
      if (error instanceof ContractReverted || isOutOfGas(error)) return '0x';
      throw error;
    }
  }

  #holds<K>(known: ReadonlyMap<K, number>, key: K): boolean {
    return (known.get(key) ?? 0) > this.#wallMs();
  }

  #remember<K>(known: Map<K, number>, key: K, forMs: number): void {
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, this.#wallMs() + forMs);
  }
}

function isOutOfGas(error: unknown): boolean {
  return isRpcFailure(error) && /out of gas|gas required exceeds|invalid opcode|stack|jump/i.test(error.message);
}
