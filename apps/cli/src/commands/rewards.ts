// `presage rewards`: computes from the journal how a reward pool divides among resting orders near the mid of a market; pays nothing itself.
import { writeFile } from 'node:fs/promises';
import { asHex, isBytes32, toCsvLine } from '@presage/protocol';
import { parseAmount, parsePrice, parseSize } from '@presage/sdk';
import { RewardCount, type RewardEpoch, type RewardTerms } from '@presage/sdk/rewards';
import { type Call, command, option, required } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTimeMs, parseDuration, parseTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import type { DataDirOption } from '../journal/journal-dir.ts';
import { type MarketFrames, openMarketFrames } from '../journal/market-frames.ts';
import type { Column } from '../table.ts';
import { drawAmount } from '../values.ts';

interface RewardOptions extends DataDirOption {
  readonly market: string;
  readonly from: string;
  readonly to: string;
  readonly spread: string;
  readonly minSize: string;
  readonly pool: string;
  readonly epoch: string;
  readonly out?: string;
}

export const REWARDS = command(
  'rewards',
  'divide a pool among wallets by size times time of their orders near the mid of a market, from the public journal',
  showRewards,
  required('--market <market>', 'id, or words of the question'),
  required('--from <time>', '2026-01-31, 2026-01-31T12:30:00Z or Unix seconds'),
  required('--to <time>', 'end time, not included; same formats'),
  required('--spread <price>', 'maximum distance of orders from the mid: 3c or 0.03'),
  required('--min-size <shares>', 'minimum size of a best price, and of a wallet on one side of a book'),
  required('--pool <amount>', 'maximum payout of each epoch'),
  option('--epoch <duration>', 'length of an epoch', '1d'),
  option('--out <file>', 'write the payouts as CSV'),
  option('--data-dir <dir>', 'read the journal of a data folder instead of the service'),
);

interface Row {
  readonly epoch: RewardEpoch;
  readonly reward: RewardEpoch['rewards'][number];
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'EPOCH (UTC)', cell: ({ epoch }) => drawTimeMs(epoch.fromMs).slice(0, 16) },
  { title: 'WALLET', cell: ({ reward }) => reward.wallet },
  { title: 'SCORE', cell: ({ reward }) => String(reward.score), isFigure: true },
  { title: 'REWARD', cell: ({ reward }) => drawAmount(reward.amount), isFigure: true },
];

async function showRewards({ context, options }: Call<RewardOptions>): Promise<void> {
  const terms = await toTerms(context, options);
  const frames = await openMarketFrames(context, options);
  const count = await countRewards(terms, frames);
  const epochs = count.epochs();
  const rows = epochs.flatMap((epoch) => epoch.rewards.map((reward) => ({ epoch, reward })));
  const { reachedMs } = count;
  const isFinal = reachedMs >= terms.toMs;
  const report = { ...terms, reachedMs, final: isFinal, epochs };
  context.output.showTable(report, { columns: COLUMNS, rows, empty: 'no wallet had orders near the mid' });
  if (!isFinal) context.output.note(`not final: the journal ends at ${drawTimeMs(reachedMs)} UTC`);
  if (options.out === undefined) return;
  await writeFile(options.out, toPayouts(rows));
  context.output.note(`${options.out}: ${rows.length} payouts; amounts are millionths`);
}

async function toTerms(context: Context, options: RewardOptions): Promise<RewardTerms> {
  const [fromMs, toMs] = [parseTime('--from', options.from) * 1_000, parseTime('--to', options.to) * 1_000];
  if (toMs <= fromMs) throw new UsageError('--to is not after --from', 'Write a later time.');
  const marketId = isBytes32(options.market) ? options.market : (await findMarket(context, options.market)).id;
  return {
    marketId: asHex(marketId.toLowerCase()),
    fromMs,
    toMs,
    epochMs: parseDuration(options.epoch) * 1_000,
    spread: Number(parsePrice(options.spread)),
    minSize: BigInt(parseSize(options.minSize)),
    pool: parseAmount('--pool', options.pool),
  };
}

/**
 * Counts in the partition that lists the market. The id does not tell which partition that is, since partitions without a frame are
 * not listed. Time passes up to the last frame of the journal.
 */
async function countRewards(terms: RewardTerms, frames: MarketFrames): Promise<RewardCount> {
  for (const partition of frames.partitions) {
    const count = new RewardCount(terms);
    let isHere = false;
    for await (const { timeMs, records } of frames.read(partition)) {
      for (const record of records) {
        isHere ||= record.type === 'market-listed' && record.marketId === terms.marketId;
        count.add(record);
      }
      count.reach(timeMs);
    }
    if (isHere) return count;
  }
  throw new UsageError(`the journal has no market ${terms.marketId}`, 'Give an id that `presage markets --all` lists.');
}

function toPayouts(rows: readonly Row[]): string {
  const lines = rows.map(({ epoch, reward: { wallet, score, amount } }) =>
    toCsvLine([new Date(epoch.fromMs).toISOString(), new Date(epoch.toMs).toISOString(), wallet, score, amount]),
  );
  return toCsvLine(['from', 'to', 'wallet', 'score', 'amount']) + lines.join('');
}
