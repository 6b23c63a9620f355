// Stablecoin into shares and back: split, merge, and redemption in resolved markets.
import { BATCH_REDEMPTIONS, toIndexSet } from '@presage/protocol/browser';
import type { CallOptions } from '../http.ts';
import { type AmountInput, parseAmount, toAddress, toBytes32 } from '../inputs.ts';
import type { PublicActions } from '../public-client.ts';
import type { BatchRedemptionResponse, ChainConfig, ClaimData } from '../types.ts';
import type { approvalActions } from './approval-actions.ts';
import type { PermitSeries, Relay, RelayedTransaction } from './relay.ts';

export interface RedeemAllResult {
  /** One for every 20 markets; empty if there was nothing to redeem. */
  readonly transactions: readonly RelayedTransaction[];
  /** Ids of the redeemed markets. */
  readonly marketIds: readonly string[];
  /** Stablecoin units. */
  readonly totalPayout: bigint;
}

const TOP_LEVEL = `0x${'00'.repeat(32)}`;

export interface ConversionParams {
  /** Indexes of the outcomes whose NO is converted. */
  readonly indexes: readonly number[];
  /** NO shares of each outcome. */
  readonly amount: AmountInput;
}

export function shareActions(relay: Relay, reads: PublicActions, approvals: ReturnType<typeof approvalActions>) {
  const { owner, session } = relay;

  const exchange = async (kind: 'split' | 'merge', marketId: string, given: AmountInput, options: CallOptions) => {
    const chain = await session.chainOf(marketId, options);
    const amount = parseAmount('amount', given);
    const fields = {
      owner,
      collateralToken: toAddress('stablecoin', chain.stablecoin.address),
      conditionId: toBytes32('marketId', marketId),
      amount,
    };
    const type = kind === 'split' ? 'SplitPosition' : 'MergePositions';
    const terms = { chain, contract: 'conditionalTokens', type, fields } as const;
    return relay.send(terms, `/api/v1/relayer/${kind}`, { ...fields, amount: amount.toString() }, options);
  };

  return {
    /** Turns stablecoin into the same amount of YES and NO shares; first approves the conditional tokens if needed. */
    split: async (marketId: string, amount: AmountInput, { signal }: CallOptions = {}): Promise<RelayedTransaction> => {
      const units = parseAmount('amount', amount);
      const { chainId } = await session.chainOf(marketId, { signal });
      const query = { chain_id: chainId };
      const { conditionalTokens } = await reads.getApprovals(session.signer.address, query, { signal });
      if (BigInt(conditionalTokens.allowance) < units) {
        const approval = await approvals.approveStablecoin({ spender: 'conditionalTokens', chainId, signal });
        await approval.wait({ signal });
      }
      return exchange('split', marketId, amount, { signal });
    },

    /** Turns equal amounts of YES and NO shares back into stablecoin. */
    merge: (marketId: string, amount: AmountInput, { signal }: CallOptions = {}): Promise<RelayedTransaction> =>
      exchange('merge', marketId, amount, { signal }),

    /**
     * Converts NO of several outcomes of an event into YES of every other outcome and stablecoin: the amount times the
     * number of converted outcomes less one. Converting NO of one outcome gives YES of all the others, and no
     * stablecoin.
     */
    convertPositions: async (
      eventId: string,
      { indexes, amount: given }: ConversionParams,
      { signal }: CallOptions = {},
    ): Promise<RelayedTransaction> => {
      const amount = parseAmount('amount', given);
      const id = toBytes32('eventId', eventId);
      const chain = await session.chain((await reads.getEvent(id, { signal })).chainId);
      const signed = { owner, eventId: id, indexes: toIndexSet(indexes), amount };
      const terms = { chain, contract: 'conditionalTokens', type: 'ConvertPositions', fields: signed } as const;
      const body = { owner, eventId: id, indexes, amount: amount.toString() };
      return relay.send(terms, '/api/v1/relayer/ctf-conversion', body, { signal });
    },

    /** Redeems this wallet's winnings in all resolved markets, or in those named, up to 20 markets of a chain per transaction. */
    redeemAll: async ({
      markets: named,
      signal,
    }: CallOptions & { readonly markets?: readonly string[] } = {}): Promise<RedeemAllResult> => {
      const results: RedeemAllResult[] = [];
      const ids: readonly string[] | undefined = named?.map((id) => toBytes32('markets', id));
      for (const chain of await session.chains())
        results.push(await redeemOn({ relay, reads, chain, named: ids }, { signal }));
      return {
        transactions: results.flatMap(({ transactions }) => transactions),
        marketIds: results.flatMap(({ marketIds }) => marketIds),
        totalPayout: results.reduce((total, { totalPayout }) => total + totalPayout, 0n),
      };
    },
  };
}

interface Redemption {
  readonly relay: Relay;
  readonly reads: PublicActions;
  readonly chain: ChainConfig;
  readonly named: readonly string[] | undefined;
}

async function redeemOn({ relay, reads, chain, named }: Redemption, options: CallOptions): Promise<RedeemAllResult> {
  const query = { chain_id: chain.chainId };
  const found = await reads.listClaimable(relay.owner, query, options);
  const claimable = found.claimable.filter(({ market_id }) => named === undefined || named.includes(market_id));
  const totalPayout = claimable.reduce((total, { payout }) => total + BigInt(payout), 0n);
  const marketIds = [...new Set(claimable.map(({ market_id }) => market_id))];
  const transactions: RelayedTransaction[] = [];
  for (let from = 0; from < marketIds.length; from += BATCH_REDEMPTIONS) {
    const chunk = marketIds.slice(from, from + BATCH_REDEMPTIONS);
    const { markets } = await reads.getClaimData(relay.owner, { ...query, markets: chunk }, options);
    transactions.push(await redeem(relay, chain, onceEach(markets), options));
  }
  return { transactions, marketIds, totalPayout };
}

/** A void market has an entry for each outcome held; one redemption covers both. */
function onceEach(markets: readonly ClaimData[]): ClaimData[] {
  return [...new Map(markets.map((market) => [market.market_id, market])).values()];
}

async function redeem(relay: Relay, chain: ChainConfig, markets: readonly ClaimData[], options: CallOptions) {
  const { owner, session } = relay;
  const series = await relay.open(chain, 'conditionalTokens', options);
  const redemptions: object[] = [];
  // In sequence: the user may have to confirm each, and the nonces are consecutive.
  for (const market of markets) redemptions.push(await signRedemption(series, owner, market));
  const { txHash } = await session.post<BatchRedemptionResponse>('/api/v1/relayer/batch-ctf-redemption', {
    body: { chainId: chain.chainId, owner, redemptions },
    ...options,
    repeatable: 'always',
  });
  return relay.follow(txHash);
}

async function signRedemption(series: PermitSeries, owner: string, market: ClaimData): Promise<object> {
  const fields = {
    collateralToken: toAddress('collateralToken', market.collateral_token),
    parentCollectionId: TOP_LEVEL,
    conditionId: toBytes32('conditionId', market.condition_id),
    indexSets: market.index_sets.map(BigInt),
  };
  const permit = await series.sign('RedeemPositions', { owner, ...fields });
  return { ...fields, indexSets: market.index_sets, marketAddress: market.market_address, ...permit };
}
