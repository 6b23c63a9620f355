// Whatever holds the key, the same bytes are signed: local account, wallet client, browser wallet.
import { apiKeyMessage, MARKET_DOMAIN_NAME, OPERATION_TYPES, ORDER_TYPES, ZERO_ADDRESS } from '@presage/protocol';
import { person } from '@presage/testkit';
import { createWalletClient, custom, verifyMessage, verifyTypedData } from 'viem';
import { describe, expect, it } from 'vitest';
import { PresageInputError } from '../src/index.ts';
import { splitSignature, toSigner } from '../src/signer.ts';

const account = person('alice');
const { address } = account;

/** Like real browser wallets: typed data arrives as JSON text and is parsed with JSON.parse. */
const provider = {
  request: async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
    const [first, second] = params as [string, string];
    if (method === 'personal_sign') return account.signMessage({ message: { raw: first as `0x${string}` } });
    if (method === 'eth_signTypedData_v4') return account.signTypedData(JSON.parse(second));
    throw new Error(`unexpected ${method}`);
  },
};

const signers = [
  ['a local account', toSigner(account)],
  ['a wallet client with a key', toSigner(createWalletClient({ account, transport: custom(provider) }))],
  ['a wallet client over JSON-RPC', toSigner(createWalletClient({ account: address, transport: custom(provider) }))],
  ['a browser wallet', toSigner({ provider, address })],
] as const;

const domain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: `0x${'5e'.repeat(20)}`,
} as const;
const order = {
  marketId: `0x${'ab'.repeat(32)}`,
  trader: address,
  side: 0,
  outcome: 1,
  price: 550_000n,
  size: BigInt(Number.MAX_SAFE_INTEGER),
  nonce: 2n ** 64n - 1n,
  expiration: 1_900_000_000n,
  makerFeeRecipient: ZERO_ADDRESS,
} as const;

describe.each(signers)('%s', (_name, signer) => {
  it('signs an order whose nonce passes 2^53 to the last digit', async () => {
    const signature = await signer.signTypedData({ domain, types: ORDER_TYPES, primaryType: 'Order', message: order });
    const data = { domain, types: ORDER_TYPES, primaryType: 'Order', message: order } as const;
    expect(await verifyTypedData({ address, signature, ...data })).toBe(true);
  });

  it('signs lists and small numbers too', async () => {
    const { RedeemPositions, ProposeResolution } = OPERATION_TYPES;
    const redemption = {
      owner: address,
      collateralToken: address,
      parentCollectionId: order.marketId,
      conditionId: order.marketId,
      indexSets: [1n, 2n],
      nonce: 2n ** 255n,
      deadline: 5n,
    };
    const redeem = { domain, types: { RedeemPositions }, primaryType: 'RedeemPositions', message: redemption } as const;
    expect(await verifyTypedData({ address, signature: await signer.signTypedData(redeem), ...redeem })).toBe(true);
    const proposal = { market: address, proposer: address, outcome: 1, payer: address, bond: 9n, round: 1 } as const;
    const message = { ...proposal, nonce: 0n, deadline: 5n };
    const market = { ...domain, name: MARKET_DOMAIN_NAME };
    const propose = {
      domain: market,
      types: { ProposeResolution },
      primaryType: 'ProposeResolution',
      message,
    } as const;
    expect(await verifyTypedData({ address, signature: await signer.signTypedData(propose), ...propose })).toBe(true);
  });

  it('signs the registration of an API key', async () => {
    const message = apiKeyMessage('Présage', address);
    expect(await verifyMessage({ address, message, signature: await signer.signMessage(message) })).toBe(true);
  });
});

it('a wallet client without an account is refused with the remedy', () => {
  expect(() => toSigner(createWalletClient({ transport: custom(provider) }))).toThrow(PresageInputError);
});

it('a signature splits into v, r and s, whether v is 0/1 or 27/28', async () => {
  const signature = `0x${'11'.repeat(32)}${'22'.repeat(32)}01` as const;
  const parts = { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, v: 28 };
  expect(splitSignature(signature)).toEqual(parts);
  expect(splitSignature(`${signature.slice(0, 130)}1b` as `0x${string}`)).toEqual({ ...parts, v: 27 });
});
