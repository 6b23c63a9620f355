// What vectors/ holds: golden data made with viem and plain bigints, independent of our own encoder, read by TypeScript and Solidity tests.
import {
  concat,
  encodePacked,
  type Hex,
  hashStruct,
  hashTypedData,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  toHex,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { MAX_UINT64 } from '../src/core/limits.ts';
import { ORDER_TYPES } from '../src/core/order-types.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
/** CREATE address of the first test account at nonce 0: a settlement deployed first of all has this domain. */
const DOMAIN = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31_337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
} as const;
interface PackedFields {
  readonly trader: Hex;
  readonly side: number;
  readonly outcome: number;
  readonly price: bigint;
  readonly size: bigint;
  readonly nonce: bigint;
  readonly expiration: bigint;
}

const MAX_SIZE = (1n << 53n) - 1n;
const ZERO = '0x0000000000000000000000000000000000000000';

let state = 0x9e3779b97f4a7c15n;
/** splitmix64: the vectors must come out the same on every machine. */
function random64(): bigint {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let z = state;
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}
const below = (limit: bigint): bigint => random64() % limit;

const PRICES = [1n, 2n, 333_333n, 499_999n, 500_000n, 500_001n, 999_998n, 999_999n];
const SIZES = [1n, 2n, 3n, 999_999n, 1_000_000n, 1_000_001n, 9_007_199_254n, 9_007_199_255n, MAX_SIZE - 1n, MAX_SIZE];

function costVectors(): object[] {
  const edges = PRICES.flatMap((price) => SIZES.map((size) => [price, size] as const));
  const random = Array.from({ length: 200 }, () => [below(999_999n) + 1n, below(MAX_SIZE) + 1n] as const);
  return [...edges, ...random].map(([price, size]) => ({
    price: Number(price),
    size: size.toString(),
    cost: ((price * size + 999_999n) / 1_000_000n).toString(),
  }));
}

const RATES = [0n, 1n, 100n, 699n, 700n];
const SHARES = [0n, 1n, 2_500n, 9_999n, 10_000n];

/** Every edge of rate, price and size with one share each, then any of all. */
function feeVectors(): object[] {
  const edges = RATES.flatMap((rate) => PRICES.flatMap((price) => SIZES.map((size) => ({ rate, price, size }))));
  const shared = edges.map((edge, index) => ({ ...edge, share: SHARES[index % SHARES.length]! }));
  const random = Array.from({ length: 500 }, () => ({
    rate: below(701n),
    price: below(999_999n) + 1n,
    size: below(1n << (below(53n) + 1n)) + 1n,
    share: below(10_001n),
  }));
  return [...shared, ...random].map(({ rate, price, size: drawn, share }) => {
    const size = drawn > MAX_SIZE ? MAX_SIZE : drawn;
    const fee = (rate * size * price * (1_000_000n - price) + 10n ** 16n - 1n) / 10n ** 16n;
    return {
      feeRateBps: Number(rate),
      makerShareBps: Number(share),
      price: Number(price),
      size: size.toString(),
      fee: fee.toString(),
      makerRebate: ((fee * share) / 10_000n).toString(),
    };
  });
}

/** As IPresageSettlement describes it, with the order's number as its market's place. */
function packedOrder(order: PackedFields, marketIndex: number, signature: Hex): Hex {
  const terms = order.side * 2 ** 23 + order.outcome * 2 ** 22 + Number(order.price);
  return concat([
    encodePacked(
      ['address', 'uint64', 'uint8', 'uint24', 'uint64', 'uint64'],
      [order.trader, order.nonce, marketIndex, terms, order.size, order.expiration],
    ),
    serializeCompactSignature(signatureToCompactSignature(parseSignature(signature))),
  ]);
}

const ACCOUNTS = Array.from({ length: 10 }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }));

async function orderVector(index: number): Promise<object> {
  const account = ACCOUNTS[index % ACCOUNTS.length]!;
  const edge = index < 4;
  const message = {
    marketId: toHex((random64() << 192n) | (random64() << 128n) | (random64() << 64n) | random64(), { size: 32 }),
    trader: account.address,
    side: index % 2,
    outcome: (index >> 1) % 2,
    price: edge ? PRICES[index]! : below(999_999n) + 1n,
    size: edge ? SIZES[SIZES.length - 1 - index]! : below(MAX_SIZE) + 1n,
    nonce: edge ? MAX_UINT64 - BigInt(index) : random64(),
    expiration: edge ? MAX_UINT64 : 1_800_000_000n + below(100_000_000n),
    makerFeeRecipient: ZERO,
  } as const;
  const typed = { domain: DOMAIN, types: ORDER_TYPES, primaryType: 'Order', message } as const;
  const signature = await account.signTypedData(typed);
  return {
    order: {
      ...message,
      trader: message.trader.toLowerCase(),
      price: message.price.toString(),
      size: message.size.toString(),
      nonce: message.nonce.toString(),
      expiration: message.expiration.toString(),
    },
    structHash: hashStruct({ data: message, primaryType: 'Order', types: ORDER_TYPES }),
    digest: hashTypedData(typed),
    signature,
    packed: packedOrder(message, index, signature),
    signer: account.address.toLowerCase(),
  };
}

export async function makeVectors(): Promise<Record<string, unknown>> {
  state = 0x9e3779b97f4a7c15n;
  const orders = [];
  for (let index = 0; index < 64; index++) orders.push(await orderVector(index));
  return { 'orders.json': { domain: DOMAIN, orders }, 'cost.json': costVectors(), 'fees.json': feeVectors() };
}
