// The settlement as the service meets it: calldata made in TypeScript, answers read from logs.
import { concat, encodeAbiParameters, type Hex, hashTypedData, keccak256, pad, toHex } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillCodeParties, fillCodes } from '../generated/index.ts';
import { failuresOf, settledOf } from './answers.ts';
import { orderTypes } from './typed-data.ts';
import { encodeBatch, type SignedOrder, toCompact, World } from './world.ts';

const wordLength = 64;
const price = 550_000n;
const size = 10_000_000n;

describe('a batch', () => {
  let world: World;
  let buyer: ReturnType<typeof privateKeyToAccount>;
  let seller: ReturnType<typeof privateKeyToAccount>;

  beforeAll(async () => {
    world = await World.open();
    buyer = await world.openTrader({ key: 1, stablecoin: 1_000_000_000n, yesShares: 0n });
    seller = await world.openTrader({ key: 2, stablecoin: 1_000_000_000n, yesShares: 4_000_000n });
  });

  const signPair = async (nonce: bigint): Promise<SignedOrder[]> => [
    await world.sign(buyer, { side: 0, price, size, nonce }),
    await world.sign(seller, { side: 1, price, size, nonce }),
  ];

  it('tells hashes, price, size, cost and what was minted', async () => {
    const orders = await signPair(0n);
    const receipt = await world.settle(orders, [{ buy: 0, sell: 1, price, size }]);
    const [buyHash, sellHash] = orders.map(({ order }) => hashOf(order)) as [Hex, Hex];
    expect(settledOf(receipt)).toEqual([{ buyHash, sellHash, price, size, cost: 5_500_000n, minted: 6_000_000n }]);
  });

  it('answers an order whose words overflow their types with a bad signature and settles the rest', async () => {
    const [buy, sell] = (await signPair(1n)) as [SignedOrder, SignedOrder];
    const other = await world.sign(buyer, { side: 0, price, size, nonce: 2n });
    const fills = [
      { buy: 0, sell: 1, price, size: 1n },
      { buy: 2, sell: 1, price, size: 1n },
    ];
    const overflowing = toHex((1n << 64n) + 1n, { size: 32 });
    const signature = await buyer.sign({ hash: hashWithNonceWord(buy, overflowing) });
    const data = encodeBatch([{ ...buy, signature: toCompact(signature) }, sell, other], fills);
    const receipt = await world.chain.mustSend(world.operator, {
      to: world.settlement,
      data: replaceFirstNonce(data, overflowing),
    });
    expect(failuresOf(receipt)).toEqual([{ fillIndex: 0, code: fillCodes.BUYER_SIGNATURE }]);
    expect(settledOf(receipt)).toHaveLength(1);
  });

  it('names the party to blame in the high digit of every code', () => {
    const { SETTLED: _settled, NOT_ATTEMPTED: _notAttempted, ...failures } = fillCodes;
    for (const [name, code] of Object.entries(failures)) {
      const party = fillCodeParties[(code >> 4) as keyof typeof fillCodeParties];
      const side = /^(BUYER|SELLER)_/.exec(name)?.[1]?.toLowerCase();
      expect(party, name).toMatch(side ?? /operator|chain/);
    }
  });

  function hashOf(order: SignedOrder['order']): Hex {
    return hashTypedData({ domain: domain(), types: orderTypes, primaryType: 'Order', message: order });
  }

  function domain() {
    return { name: 'PresageSettlement', version: '1', chainId: 31337, verifyingContract: world.settlement };
  }

  /** What a wallet would sign if it could be made to sign a nonce of more than 64 bits. */
  function hashWithNonceWord({ order }: SignedOrder, nonceWord: Hex): Hex {
    const types = orderTypes.Order.map(({ type, name }) => `${type} ${name}`).join(',');
    const words = [order.marketId, order.trader, order.side, order.outcome, order.price, order.size].map(toWord);
    const tail = [nonceWord, toWord(order.expiration), toWord(order.makerFeeRecipient)];
    const structHash = keccak256(concat([keccak256(toHex(`Order(${types})`)), ...words, ...tail]));
    return keccak256(concat(['0x1901', domainSeparator(), structHash]));
  }

  function domainSeparator(): Hex {
    const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
    const hashes = [type, 'PresageSettlement', '1'].map((text) => keccak256(toHex(text))) as [Hex, Hex, Hex];
    const fields = [
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'uint256' },
      { type: 'address' },
    ] as const;
    return keccak256(encodeAbiParameters(fields, [...hashes, 31337n, world.settlement]));
  }
});

function toWord(value: Hex | number | bigint): Hex {
  return typeof value === 'string' ? pad(value, { size: 32 }) : toHex(value, { size: 32 });
}

/** Selector, three offsets and the number of orders stand before the first order; its nonce is the seventh word. */
function replaceFirstNonce(data: Hex, nonceWord: Hex): Hex {
  const start = 2 + 8 + (3 + 1 + 6) * wordLength;
  return `${data.slice(0, start)}${nonceWord.slice(2)}${data.slice(start + wordLength)}` as Hex;
}
