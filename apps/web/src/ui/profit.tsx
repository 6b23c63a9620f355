// A gain or loss with sign, arrow and colour, all of which follow the sign of the amount.
import { money, signedMoney } from '../lib/format.ts';
import { Icon } from './icon.tsx';

export function Gain({ amount, percentage }: { readonly amount: bigint; readonly percentage?: number | undefined }) {
  const share = percentage === undefined ? '' : ` (${percentage < 0 ? '−' : '+'}${Math.abs(percentage).toFixed(1)}%)`;
  if (amount === 0n) return <span className="change">{money(0)}</span>;
  return (
    <span className={amount > 0n ? 'change yes' : 'change no'}>
      <Icon name={amount > 0n ? 'up' : 'down'} size={12} />
      {signedMoney(amount)}
      {share}
    </span>
  );
}
