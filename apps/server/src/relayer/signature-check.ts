// Checks that a request is signed by its owner before it takes the owner's turn, so that nobody can occupy another's.
import { fromHex, PresageError } from '@presage/protocol';
import type { SignerLookup, WalletSigners } from '../admission/ports.ts';
import type { WalletReads } from '../wallets/wallet-reads.ts';
import { askingChain } from './call-simulation.ts';
import type { NonceUse, SignedPart } from './ports.ts';
import type { RelayBook } from './relay-book.ts';

export interface SignatureCheckOptions {
  readonly wallets: Pick<WalletReads, 'nonces'>;
  readonly book: Pick<RelayBook, 'nextNonce'>;
  readonly signers: SignerLookup;
  /** Checks signatures of owners that are contracts. */
  readonly contracts: Pick<WalletSigners, 'isSigned'>;
}

/** Range of nonces to try. Requests of one owner may queue up, and one that somebody else has carried out is recognised by its nonce. */
const AHEAD = 8n;
const BEHIND = 8n;
/** Nonces to try for a contract wallet; each is a call to the chain. */
const CONTRACT_TRIES = 3;
const KEY_BYTES = 65;

export class SignatureCheck {
  readonly #options: SignatureCheckOptions;

  constructor(options: SignatureCheckOptions) {
    this.#options = options;
  }

  /** Nonces that the parts were signed with; throws a PresageError if a part was not signed for any nonce in range. */
  async findNonces(parts: readonly SignedPart[]): Promise<bigint[]> {
    const [first] = parts;
    if (first === undefined) return [];
    const expected = await this.#expected(first);
    const found: bigint[] = [];
    for (const [index, part] of parts.entries()) found.push(await this.#findNonce(part, expected + BigInt(index)));
    return found;
  }

  async #expected({ owner, contract }: Pick<NonceUse, 'owner' | 'contract'>): Promise<bigint> {
    const { wallets, book } = this.#options;
    const [mined = 0n] = await askingChain(() => wallets.nonces([{ owner, contract }], 'pending'));
    const pending = book.nextNonce(contract, owner) ?? 0n;
    return pending > mined ? pending : mined;
  }

  async #findNonce(part: SignedPart, expected: bigint): Promise<bigint> {
    const candidates = part.nonce === undefined ? candidatesAround(expected) : [part.nonce];
    for (const nonce of candidates) if (await this.#isSignedByKey(part, nonce)) return nonce;
    for (const nonce of candidates.slice(0, CONTRACT_TRIES)) {
      if (await this.#isSignedByContract(part, nonce)) return nonce;
    }
    throw new PresageError('simulation_failed', { reason: part.fault });
  }

  async #isSignedByKey({ owner, digestsAt, signature }: SignedPart, nonce: bigint): Promise<boolean> {
    const bytes = fromHex(signature);
    if (bytes.length !== KEY_BYTES) return false;
    for (const digest of await askingChain(async () => digestsAt(nonce))) {
      if ((await this.#options.signers.recover(fromHex(digest), bytes)) === owner) return true;
    }
    return false;
  }

  async #isSignedByContract({ owner, digestsAt, signature }: SignedPart, nonce: bigint): Promise<boolean> {
    return askingChain(async () => {
      for (const digest of await digestsAt(nonce)) {
        if (await this.#options.contracts.isSigned(owner, digest, signature)) return true;
      }
      return false;
    });
  }
}

/** Nonces around the expected one, the likeliest first. */
function candidatesAround(expected: bigint): bigint[] {
  const ahead = Array.from({ length: Number(AHEAD) + 1 }, (_, step) => expected + BigInt(step));
  const behind = Array.from({ length: Number(BEHIND) }, (_, step) => expected - BigInt(step) - 1n);
  return [...ahead, ...behind.filter((nonce) => nonce >= 0n)];
}
