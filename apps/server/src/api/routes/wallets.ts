// What a wallet may spend, claim and sign, asked of the chain.
import type { MarketView } from '@presage/engine';
import { type Address, LIMITS, type MarketFacts, PresageError, parseAddress, parseBytes32 } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import type { MarketClaim, WalletApprovals, WalletClaims } from '../../wallets/wallet-reads.ts';
import { addressOf, chainIdOf, invalidField, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toApprovals, toBalances, toClaimableList, toClaimData } from '../wire-wallets.ts';

/** Stablecoin, 6 decimals. */
export interface WalletBalances {
  readonly balance: bigint;
  readonly allowance: bigint;
  /** What unsettled fills and open orders could take. */
  readonly reserved: bigint;
  /** What is left of the balance beside it. */
  readonly available: bigint;
}

/** Each method rejects with chain_unavailable while the chain is away. */
export interface WalletPort {
  /** Whether this service works on that chain; the methods below speak of it alone. */
  isServed(chainId: number): boolean;
  balances(wallet: Address, spender?: Address): Promise<WalletBalances>;
  approvals(wallet: Address): Promise<WalletApprovals>;
  /** Of resolved markets only. */
  claimable(wallet: Address): Promise<readonly MarketClaim[]>;
  claims(wallet: Address, markets: readonly MarketFacts[]): Promise<WalletClaims>;
  /** Undefined for a contract that takes no signed permits of ours. */
  nonce(contract: Address, owner: Address): Promise<bigint | undefined>;
}

export interface WalletServices extends Pick<ApiServices, 'reads'> {
  readonly wallets: WalletPort;
}

interface Wallet {
  Params: { address: string };
}

const NOTHING: WalletBalances = { balance: 0n, allowance: 0n, reserved: 0n, available: 0n };

export function walletRoutes({ reads, wallets }: WalletServices) {
  return (server: FastifyInstance): void => {
    server.get<Wallet>('/api/v1/users/:address/balances', async (request) => {
      const query = request.query as Query;
      const wallet = addressOf('address', request.params.address);
      const chainId = chainIdOf(query);
      const spender = textOf(query, 'spender');
      const approved = spender === undefined ? undefined : addressOf('spender', spender);
      return toBalances(wallets.isServed(chainId) ? await wallets.balances(wallet, approved) : NOTHING);
    });

    server.get<Wallet>('/api/v1/users/:address/approvals', async (request) => {
      const wallet = addressOf('address', request.params.address);
      const chainId = chainIdOf(request.query as Query);
      if (!wallets.isServed(chainId)) throw new PresageError('not_found', { chainId });
      return toApprovals(await wallets.approvals(wallet));
    });

    server.get<Wallet>('/api/v1/users/:address/claimable', async (request) => {
      const wallet = addressOf('address', request.params.address);
      const chainId = chainIdOf(request.query as Query);
      return toClaimableList(wallets.isServed(chainId) ? await wallets.claimable(wallet) : []);
    });

    server.get<Wallet>('/api/v1/users/:address/claim-data', async (request) => {
      const query = request.query as Query;
      const wallet = addressOf('address', request.params.address);
      const chainId = chainIdOf(query);
      const names = namesOf(query);
      if (!wallets.isServed(chainId)) return { markets: [] };
      const markets = names.map((name) => findMarket(reads.markets(), name, chainId));
      const { claims, nonce } = await wallets.claims(wallet, markets);
      return { markets: claims.map((claim) => toClaimData(claim, nonce)) };
    });

    server.get<{ Params: { contract: string; owner: string } }>(
      '/api/v1/contracts/nonce/:contract/:owner',
      async (request) => {
        const contract = addressOf('contract', request.params.contract);
        const owner = addressOf('owner', request.params.owner);
        const chainId = chainIdOf(request.query as Query);
        const nonce = wallets.isServed(chainId) ? await wallets.nonce(contract, owner) : undefined;
        if (nonce === undefined) throw new PresageError('not_found', { contract, chainId });
        return { nonce };
      },
    );
  };
}

const EXPECTED_NAMES = `ids or addresses of 1 to ${LIMITS.batchRedemptions} markets, separated by commas`;

/** As many as can be redeemed together. */
function namesOf(query: Query): (Address | MarketFacts['marketId'])[] {
  const texts = (textOf(query, 'markets') ?? '').split(',');
  const names = [...new Set(texts.map((text) => parseBytes32(text) ?? parseAddress(text)))];
  if (names.length > LIMITS.batchRedemptions || names.includes(undefined))
    throw invalidField('markets', EXPECTED_NAMES);
  return names as (Address | MarketFacts['marketId'])[];
}

function findMarket(markets: readonly MarketView[], name: string, chainId: number): MarketFacts {
  const found = markets.find(({ facts, closeReason }) => {
    const isNamed = facts.marketId === name || facts.contractAddress === name;
    return isNamed && facts.chainId === chainId && closeReason !== 'vanished';
  });
  if (found === undefined) throw new PresageError('market_not_found', { market: name });
  return found.facts;
}
