// `presage positions` and `redeem`: the wallet's shares, and its winnings in resolved markets.
import type { UserPosition } from '@presage/sdk';
import { type Call, command } from '../command-spec.ts';
import { shortId } from '../find-market.ts';
import { plain } from '../output.ts';
import { type Column, drawFacts } from '../table.ts';
import { confirm, drawAmount } from '../values.ts';

const COLUMNS: readonly Column<UserPosition>[] = [
  { title: 'MARKET', cell: ({ marketId }) => shortId(marketId) },
  { title: 'YES', cell: ({ yesShares }) => drawAmount(yesShares), isFigure: true },
  { title: 'NO', cell: ({ noShares }) => drawAmount(noShares), isFigure: true },
  { title: 'INVESTED', cell: ({ totalInvested }) => drawAmount(totalInvested), isFigure: true },
  { title: 'RESOLVED', cell: ({ resolved }) => (resolved ? 'yes' : 'no') },
  { title: 'QUESTION', cell: ({ marketQuestion }) => plain(marketQuestion) },
];

export const PORTFOLIO = [
  command('positions', 'list the shares of the wallet', listPositions),
  command('redeem', "redeem the wallet's winnings in all resolved markets", redeem),
];

async function listPositions({ context }: Call): Promise<void> {
  const { account } = await context.wallet();
  const { chains } = await context.config();
  const lists = chains.map(({ chainId }) =>
    context.reader.listPositions(account.address, { chain_id: chainId }, { signal: context.signal }),
  );
  const positions = (await Promise.all(lists)).flatMap((each) => each.positions);
  const list = { positions, count: positions.length };
  context.output.showTable(list, { columns: COLUMNS, rows: positions, empty: 'no shares' });
}

async function redeem({ context }: Call): Promise<void> {
  const trader = await context.trader();
  const { transactions, marketIds, totalPayout } = await trader.redeemAll({ signal: context.signal });
  for (const transaction of transactions) await confirm(context, 'redemption', transaction);
  const txHashes = transactions.map(({ txHash }) => txHash);
  const report = { totalPayout, marketIds, txHashes };
  context.output.show(report, () => {
    if (txHashes.length === 0) return 'nothing to redeem';
    const facts = { redeemed: drawAmount(totalPayout), markets: String(marketIds.length) };
    return drawFacts({ ...facts, transaction: txHashes.join(', ') }, context.output.colors);
  });
}
