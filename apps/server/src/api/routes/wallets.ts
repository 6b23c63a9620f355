// Endpoints for a wallet's balances, approvals, claims and nonces, read from the chain.
import {
  isBytes32,
  LIMITS,
  type MarketFacts,
  PresageError,
  parseAddress,
  parseBytes32,
  toChecksumAddress,
} from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { MarketReads } from '../../host/ports.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toApprovals, toBalances, toClaimableList, toClaimData } from '../mappers/wallet.ts';
import { CHAIN_ID, choiceOf, optional, required, textKind, WALLET } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const tag = { method: 'get', tag: 'Wallets' } as const;
const ofWallet = { ...tag, params: { address: WALLET }, query: { chain_id: required(CHAIN_ID) } } as const;

const NOTHING = { balance: 0n, allowance: 0n, deposited: 0n, reserved: 0n, available: 0n, unsettled: 0n };

/** Names of markets, as many as can be redeemed together. */
const MARKET_NAMES = textKind({
  schema: Type.String({
    pattern: '^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})(,0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64}))*$',
  }),
  description: 'Ids or addresses, separated by commas',
  expected: `ids or addresses of 1 to ${LIMITS.batchRedemptions} markets, separated by commas`,
  read: (text) => {
    const names = new Set(text.split(',').flatMap((name) => parseBytes32(name) ?? parseAddress(name) ?? []));
    return names.size > LIMITS.batchRedemptions ? undefined : [...names];
  },
});

type Services = Pick<ApiServices, 'reads' | 'chains'>;

export function walletEndpoints(services: Services): Endpoint[] {
  return [...holdings(services), ...signing(services)];
}

function holdings({ chains }: Services): Endpoint[] {
  const walletsOf = (chainId: number) => chains.find(chainId)?.wallets.service;
  return [
    endpoint({
      ...ofWallet,
      path: '/api/v1/users/:address/balances',
      id: 'getBalances',
      summary: 'Stablecoin of a wallet: held, approved, reserved, available',
      query: {
        ...ofWallet.query,
        spender: optional(WALLET, 'Settlement contract when absent'),
        include: optional(choiceOf(['unsettled'], 'unsettled: also what unsettled fills will change the balance by')),
      },
      answer: wire.WalletBalances,
      errors: ['chain_unavailable'],
      handle: async ({ params: { address }, query: { chain_id: chainId, spender, include } }) => {
        const balances = (await walletsOf(chainId)?.balances(address, spender)) ?? NOTHING;
        const { unsettled } = balances;
        return { ...toBalances(balances), ...(include === 'unsettled' && { unsettled: unsettled.toString() }) };
      },
    }),
    endpoint({
      ...ofWallet,
      path: '/api/v1/users/:address/approvals',
      id: 'getApprovals',
      summary: 'What a wallet lets the contracts of the exchange take',
      answer: wire.WalletApprovals,
      errors: ['not_found', 'chain_unavailable'],
      handle: async ({ params, query: { chain_id: chainId } }) => {
        const wallets = walletsOf(chainId);
        if (wallets === undefined) throw new PresageError('not_found', { chainId });
        return toApprovals(await wallets.approvals(params.address));
      },
    }),
    endpoint({
      ...ofWallet,
      path: '/api/v1/users/:address/claimable',
      id: 'listClaimable',
      summary: 'What a wallet can redeem',
      answer: wire.ClaimableList,
      errors: ['chain_unavailable'],
      handle: async ({ params, query }) =>
        toClaimableList((await walletsOf(query.chain_id)?.claimable(params.address)) ?? []),
    }),
  ];
}

/** Endpoints for signing. The next nonce counts calls in flight, which only the settler knows. */
function signing({ reads, chains }: Services): Endpoint[] {
  const walletsOf = (chainId: number) => chains.find(chainId)?.wallets.service;
  return [
    endpoint({
      ...ofWallet,
      path: '/api/v1/users/:address/claim-data',
      id: 'getClaimData',
      answeredBy: 'settler',
      summary: 'What it takes to sign redemptions',
      query: { ...ofWallet.query, markets: required(MARKET_NAMES) },
      answer: wire.ClaimDataList,
      errors: ['market_not_found', 'chain_unavailable'],
      handle: async ({ params, query: { chain_id: chainId, markets: names } }) => {
        const wallets = walletsOf(chainId);
        if (wallets === undefined) return { markets: [] };
        const markets = names.map((name) => findMarket(reads, name, chainId));
        const { claims, nonce } = await wallets.claims(params.address, markets);
        return { markets: claims.flatMap((claim) => toClaimData(claim, nonce)) };
      },
    }),
    endpoint({
      ...tag,
      path: '/api/v1/contracts/nonce/:contract/:owner',
      id: 'getContractNonce',
      answeredBy: 'settler',
      summary: 'The next nonce to sign with, calls in flight counted',
      params: {
        contract: { ...WALLET, description: 'Stablecoin, conditional tokens, settlement or a market' },
        owner: { ...WALLET, description: 'The signer' },
      },
      query: { chain_id: required(CHAIN_ID) },
      answer: wire.ContractNonce,
      errors: ['not_found', 'chain_unavailable'],
      handle: async ({ params: { contract, owner }, query: { chain_id: chainId } }) => {
        const nonce = await walletsOf(chainId)?.nonce(contract, owner);
        if (nonce === undefined)
          throw new PresageError('not_found', { contract: toChecksumAddress(contract), chainId });
        return { nonce };
      },
    }),
  ];
}

function findMarket(reads: Pick<MarketReads, 'market' | 'marketsNamed'>, name: string, chainId: number): MarketFacts {
  const named = isBytes32(name) ? [reads.market(name)] : reads.marketsNamed(name);
  const found = named.find((market) => market?.facts.chainId === chainId && market.closeReason !== 'vanished');
  if (found === undefined) throw new PresageError('market_not_found', { market: name });
  return found.facts;
}
