// Where the money is: cash, positions, winnings, and what orders reserve.
import { money, plural } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Portfolio } from './use-portfolio.ts';

const GIFT = '1000';

export function WhereItIs({ portfolio: { equity, open, claimableMarkets } }: { readonly portfolio: Portfolio }) {
  const orders = usePart(usePage().account.state, (state) => state.orders?.length ?? 0);
  const { sandbox } = useConfig();
  const markets = new Set(open.map(({ marketId }) => marketId)).size;
  const note = `${plural(markets, 'market')}, at current sale prices`;
  const toRedeem = plural(claimableMarkets, 'market');
  const parts = [
    { key: 'k-a', name: 'Cash', note: 'free to trade', amount: equity.cash, testId: 'available' },
    { key: 'k-b', name: 'In positions', note, amount: equity.positions, testId: 'in-positions' },
    { key: 'k-c', name: 'To redeem', note: toRedeem, amount: equity.toRedeem, testId: 'to-redeem' },
    { key: 'k-d', name: 'Reserved', note: plural(orders, 'open order'), amount: equity.reserved, testId: 'reserved' },
  ];
  return (
    <section className="panel where" aria-labelledby="h-where">
      <h2 id="h-where">Where it is</h2>
      <div className="stack-bar" aria-hidden="true">
        {parts
          .filter(({ amount }) => amount > 0n)
          .map(({ key, amount }) => (
            <span key={key} className={key} style={{ flex: Number(amount) }} />
          ))}
      </div>
      <dl>
        {parts.map(({ key, name, note, amount, testId }) => (
          <div key={key}>
            <dt>
              <span className={`key ${key}`} aria-hidden="true" />
              <span>
                {name}
                <small>{note}</small>
              </span>
            </dt>
            <dd data-testid={testId}>{money(amount)}</dd>
          </div>
        ))}
      </dl>
      {sandbox && <DemoMoney />}
    </section>
  );
}

function DemoMoney() {
  const { account } = usePage();
  const { isBusy, run } = useAct('fund');
  const told = { done: '$1,000 of demo money added', failed: 'No money was added' };
  return (
    <Button look="line wide" aria-busy={isBusy} onClick={() => void run(told, () => account.fund(GIFT))}>
      <Icon name="gift" />
      Add $1,000 of demo money
    </Button>
  );
}
