// Crossing orders of known wallets for the settlement benchmark, with the funds and approvals that they need.
import { createHash } from 'node:crypto';
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '@presage/contracts';
import { asHex, type Hex, type MarketId, OrderHasher, type SigningDomain, toLowerHex } from '@presage/protocol';
import { readJson } from '@presage/testkit';
import { encodeFunctionData } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { toOrderBody } from './http-load.ts';

export interface Venue {
  readonly url: string;
  readonly rpcUrl: string;
  readonly marketId: MarketId;
  readonly domain: SigningDomain;
  readonly settlement: Hex;
  readonly conditionalTokens: Hex;
  readonly stablecoin: Hex;
}

/** How wallets are paired as buyer and seller. */
export type Pairing = 'spread' | 'maker';

export interface SettlementWallet {
  readonly account: PrivateKeyAccount;
  readonly key: Uint8Array;
}

const PRICE = 500_000;
const SIZE = 1_000_000;
const PURSE = 10n ** 12n;
const UNLIMITED = (1n << 256n) - 1n;
const SMALL_CALL_GAS = '0x249f0';
const CALLS_A_REQUEST = 100;

export function makeWallets(count: number, name: string): SettlementWallet[] {
  return Array.from({ length: count }, (_, index) => {
    const key = createHash('sha256').update(`presage settlement bench ${name} ${index}`).digest();
    return { key, account: privateKeyToAccount(`0x${key.toString('hex')}`) };
  });
}

/** Creates a market and reads the addresses of its contracts. */
export async function openVenue(sandbox: { readonly url: string; readonly rpcUrl: string }): Promise<Venue> {
  type Contracts = Record<'settlement' | 'conditionalTokens' | 'stablecoin', { address: Hex }>;
  const { chains } = await readJson<{ chains: [Contracts] }>(`${sandbox.url}/api/v1/config`);
  const [chain] = chains;
  const body = JSON.stringify({ question: 'Does settlement keep pace?', expiresIn: 30 * 86_400 });
  const headers = { 'content-type': 'application/json' };
  const market = await readJson<Record<string, unknown>>(`${sandbox.url}/sandbox/markets`, {
    method: 'POST',
    headers,
    body,
  });
  const domain = {
    name: 'PresageSettlement',
    version: '1',
    chainId: 31337,
    verifyingContract: chain.settlement.address,
  } as const;
  return {
    url: sandbox.url,
    rpcUrl: sandbox.rpcUrl,
    marketId: asHex(market.id),
    domain,
    settlement: chain.settlement.address,
    conditionalTokens: chain.conditionalTokens.address,
    stablecoin: chain.stablecoin.address,
  };
}

/** Funds and approves every wallet, with the sandbox chain's own method. */
export async function equip(venue: Venue, wallets: readonly SettlementWallet[], owner: Hex): Promise<void> {
  const { stablecoin, conditionalTokens, settlement } = venue;
  const calls = wallets.flatMap(({ account: { address } }) => {
    const mint = encodeFunctionData({ abi: testStablecoinAbi, functionName: 'mint', args: [address, PURSE] });
    const approve = encodeFunctionData({
      abi: testStablecoinAbi,
      functionName: 'approve',
      args: [settlement, UNLIMITED],
    });
    const allow = encodeFunctionData({
      abi: conditionalTokensWithPermitAbi,
      functionName: 'setApprovalForAll',
      args: [settlement, true],
    });
    return [
      { from: owner, to: stablecoin, data: mint },
      { from: address, to: stablecoin, data: approve },
      { from: address, to: conditionalTokens, data: allow },
    ];
  });
  const hashes: Hex[] = [];
  for (let start = 0; start < calls.length; start += CALLS_A_REQUEST) {
    const requests = calls.slice(start, start + CALLS_A_REQUEST);
    hashes.push(...(await rpcBatch(venue.rpcUrl, requests.map(toSendAs))).map(asHex));
  }
  await rpcBatch(venue.rpcUrl, [{ method: 'eth_getTransactionReceipt', params: [hashes.at(-1)] }]);
}

function toSendAs(call: object) {
  return { method: 'presage_sendAs', params: [{ ...call, gas: SMALL_CALL_GAS }] };
}

/** All results in order; throws the first failure. */
export async function rpcBatch<T = unknown>(
  url: string,
  calls: readonly { readonly method: string; readonly params: readonly unknown[] }[],
): Promise<T[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answers = await readJson<{ id: number; result: T; error?: { message: string } }[]>(url, init);
  const failed = answers.find(({ error }) => error !== undefined);
  if (failed !== undefined) throw new Error(`the chain refused a call: ${failed.error?.message}`);
  return answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result);
}

/** Two orders per trade, the seller's first; nonces continue from `firstNonce`. */
export async function signPairs(
  venue: Venue,
  wallets: readonly SettlementWallet[],
  load: { readonly trades: number; readonly pairing: Pairing; readonly firstNonce: number },
): Promise<string[]> {
  const hasher = await OrderHasher.open(venue.domain);
  const half = Math.floor(wallets.length / 2);
  const sign = (wallet: SettlementWallet, side: 0 | 1, nonce: number) =>
    toOrderBody(hasher, wallet.key, {
      marketId: venue.marketId,
      trader: toLowerHex(wallet.account.address),
      side,
      price: PRICE,
      size: SIZE,
      nonce,
    });
  return Array.from({ length: load.trades }, (_, index) => {
    const seller = load.pairing === 'maker' ? wallets[0]! : wallets[index % half]!;
    const buyer = wallets[half + (index % half)]!;
    const nonce = load.firstNonce + index;
    return [sign(seller, 1, nonce), sign(buyer, 0, nonce)];
  }).flat();
}
