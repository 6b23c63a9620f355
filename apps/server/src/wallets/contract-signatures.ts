// Whether a wallet that is a contract stands by a signature: asked by eth_call within the gas that the chain itself allows (EIP-1271).
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
/** As the contracts ask: with more it would be good here and worthless there. */
const WALLET_GAS = 150_000n;
const CALL_GAS = 21_000n;
const GAS_PER_BYTE = 16n;
/** Deploying the wallet in the call, which only happens off the chain. */
const COUNTERFACTUAL_GAS = 10_000_000n;
/** Anybody may ask for them, and each may take a node a tenth of a second: they are asked one after another, and so many wait at most. */
const COUNTERFACTUAL_QUESTIONS = 16;
/** A wallet is deployed or delegates once in its life; whoever signs wrongly all the time costs one question in a while. */
const NO_CODE_MS = 10_000;
/** An owner may be removed from a wallet at any time: what it said holds for one request and its repetition. */
const VALID_MS = 5_000;
const REMEMBERED = 10_000;

export class ContractSignatures {
  readonly #place: Place;
  readonly #wallMs: () => number;
  /** Until when they hold. */
  readonly #withoutCode = new Map<Address, number>();
  readonly #valid = new Map<string, number>();
  readonly #deployments = new SerialQueue();
  #deploying = 0;

  constructor(place: Place, wallMs: () => number) {
    this.#place = place;
    this.#wallMs = wallMs;
  }

  /** False also of an account without code; rejects when the chain cannot be asked, or the node is behind. */
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

  /** Names the block by its hash: a node that is behind would take a wallet that was just deployed for one without code. */
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

  /** ERC-6492: the call deploys the wallet first and takes everything back. */
  async #isCounterfactuallySigned(wallet: Address, digest: Hex, signature: Hex): Promise<boolean> {
    const question = encodeAbiParameters(VALIDATOR_PARAMETERS, [wallet, digest, signature]);
    const data = concatHex([universalSignatureValidatorByteCode, question]);
    if (this.#deploying >= COUNTERFACTUAL_QUESTIONS) throw new PresageError('overloaded');
    this.#deploying++;
    const asked = this.#deployments.run(() => this.#call({ data, gas: COUNTERFACTUAL_GAS }, 'latest'));
    return (await asked.finally(() => this.#deploying--)) === '0x01';
  }

  /** What reverts, runs out of gas or answers nonsense has not said yes. */
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
