// Checks fees when the world is quiet: the journal's charges, the chain's rates, the view and the treasury's balance must agree.
import { createContracts } from '@presage/chain';
import { type MarketId, type TradeMatched, toFeeRates } from '@presage/protocol';
import { naiveFees } from '@presage/testkit';
import { joinLedgers } from '../../packages/sdk/src/verify/joined-ledgers.ts';
import { toRpc } from '../world/sim-chain-template.ts';
import type { World } from '../world/world.ts';
import type { KeptPartition } from './kept-journal.ts';

export interface FeeFindings {
  readonly violations: readonly string[];
  /** Number of settled trades with a fee. */
  readonly charged: number;
}

/** Markets that are gone are skipped: the chain has no rates of them any more. */
export async function checkFees(
  world: World,
  kept: readonly KeptPartition[],
  gone: ReadonlySet<MarketId>,
): Promise<FeeFindings> {
  const { contracts: deployment, deployment: deployed } = world.template;
  const contracts = createContracts({ rpc: toRpc(world.chain), deployment });
  const violations: string[] = [];
  const rates = new Map<MarketId, ReturnType<typeof toFeeRates>>();
  const ledger = joinLedgers(kept.map(({ history }) => history.ledger));
  for (const { marketId } of ledger.markets) {
    rates.set(marketId, toFeeRates(...(await contracts.settlement.read('feesOf', [marketId]))));
  }
  const settled = new Set([...ledger.trades()].map(({ marketId, tradeId }) => `${marketId} ${tradeId}`));
  let [charged, owed] = [0, 0n];
  for (const { seq, record } of kept.flatMap(({ records }) => records)) {
    if (record.type !== 'trade-matched' || gone.has(record.marketId)) continue;
    const { fee = 0, makerRebate = 0 } = naiveFees(rates.get(record.marketId) ?? {}, record.size, record.price);
    if (fee !== (record.fee ?? 0) || makerRebate !== (record.makerRebate ?? 0)) {
      violations.push(
        `record ${seq}: a fee of ${record.fee} with ${record.makerRebate} for the maker, not ${fee} with ${makerRebate}`,
      );
    }
    if (fee === 0 || !settled.has(`${record.marketId} ${record.tradeId}`)) continue;
    charged++;
    owed += BigInt(fee - makerRebate);
  }
  for (const { views } of world.openExchanges) {
    const shown = views
      .flatMap(({ rows }) => [...rows.trades.values()])
      .filter(({ stage }) => stage === 'confirmed')
      .reduce((sum, { event }) => sum + revenueOf(event), 0n);
    if (shown !== owed) violations.push(`the view has a revenue of ${shown}, the journal one of ${owed}`);
  }
  const held = await contracts.stablecoin.read('balanceOf', [deployed.treasury!]);
  if (held !== owed) violations.push(`the treasury holds ${held}, settled trades owe it ${owed}`);
  return { violations, charged };
}

function revenueOf({ fee = 0, makerRebate = 0 }: Pick<TradeMatched, 'fee' | 'makerRebate'>): bigint {
  return BigInt(fee - makerRebate);
}
