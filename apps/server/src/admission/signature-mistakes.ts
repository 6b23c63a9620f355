// Diagnoses a signature that does not recover to its trader: tries the usual mistakes and names the one that fits.
import {
  type Address,
  fromHex,
  ORDER_TYPES,
  type Order,
  OrderHasher,
  type SigningDomain,
  toChecksumAddress,
  toHex,
} from '@presage/protocol';
import { hashMessage } from 'viem';
import type { SignerLookup } from './ports.ts';

interface MistakenOrder {
  readonly order: Order;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
  /** The market's contract, easily mistaken for the verifying contract. */
  readonly marketAddress: Address;
}

interface Variant {
  readonly mistake: string;
  readonly hasher: OrderHasher;
}

/** Chain ids likely used by mistake: the large chains, their test networks, and local nodes. */
const OTHER_CHAINS = [1, 10, 56, 100, 137, 1_337, 8_453, 31_337, 31_338, 42_161, 80_002, 84_532, 421_614, 11_155_111];
const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
/** The order of secp256k1. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const WIDE_TYPE = `Order(${ORDER_TYPES.Order.map(({ name, type }) => `${type === 'uint64' ? 'uint256' : type} ${name}`).join(',')})`;

export type FindMistake = Awaited<ReturnType<typeof openMistakes>>;

/** Prepares the variants to try. `contracts` are the other contracts of the chain. */
export async function openMistakes(domain: SigningDomain, contracts: readonly Address[], signers: SignerLookup) {
  const chainIds = OTHER_CHAINS.filter((chainId) => chainId !== domain.chainId);
  const strangers = [...contracts, ZERO_ADDRESS].filter((contract) => contract !== domain.verifyingContract);
  const variants: readonly Variant[] = await Promise.all([
    OrderHasher.open(domain, WIDE_TYPE).then((hasher) => {
      return { hasher, mistake: 'price, size, nonce and expiration were hashed as uint256, they are uint64' };
    }),
    ...chainIds.map(async (chainId) => {
      const mistake = `the domain's chainId was ${chainId}, it is ${domain.chainId}`;
      return { mistake, hasher: await OrderHasher.open({ ...domain, chainId }) };
    }),
    ...strangers.map((verifyingContract) => toContractVariant(domain, verifyingContract)),
  ]);
  /** Names the mistake; undefined if no known one fits. */
  return async ({ order, digest, signature, marketAddress }: MistakenOrder): Promise<string | undefined> => {
    const isTheirs = async (hash: Uint8Array, bytes = signature) =>
      (await signers.recover(hash, bytes)) === order.trader;
    const lowered = toLowS(signature);
    if (lowered !== undefined) {
      return (await isTheirs(digest, lowered))
        ? 's is too high: sign with s in the lower half of the curve'
        : undefined;
    }
    for (const { hasher, mistake } of variants) if (await isTheirs(hasher.digest(order))) return mistake;
    const { hasher, mistake } = await toContractVariant(domain, marketAddress);
    if (await isTheirs(hasher.digest(order))) return mistake;
    for (const message of [{ raw: toHex(digest) }, toHex(digest)]) {
      if (await isTheirs(fromHex(hashMessage(message)))) {
        return 'the hash was signed with the prefix of personal_sign, it must be signed as typed data';
      }
    }
    return undefined;
  };
}

async function toContractVariant(domain: SigningDomain, verifyingContract: Address): Promise<Variant> {
  const [was, is] = [verifyingContract, domain.verifyingContract].map(toChecksumAddress);
  const mistake = `the domain's verifyingContract was ${was}, it is ${is}`;
  return { mistake, hasher: await OrderHasher.open({ ...domain, verifyingContract }) };
}

/** The low-s twin of a signature; undefined if s is not in the upper half. */
function toLowS(signature: Uint8Array): Uint8Array | undefined {
  const s = BigInt(toHex(signature.subarray(32, 64)));
  if (s <= CURVE_ORDER / 2n || s >= CURVE_ORDER) return undefined;
  const twin = Uint8Array.from(signature);
  twin.set(fromHex(`0x${(CURVE_ORDER - s).toString(16).padStart(64, '0')}`), 32);
  const v = signature[64]!;
  twin[64] = v >= 27 ? 55 - v : 1 - v;
  return twin;
}
