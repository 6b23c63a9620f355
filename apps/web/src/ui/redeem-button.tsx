// Wallet buttons that several screens share: open a wallet, and redeem winnings.
import type { ReactNode } from 'react';
import { money, moneyDown } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { actOnWallet, useAct } from '../state/use-act.ts';
import { claimWinnings } from '../wallet/claim.ts';
import { Button } from './controls.tsx';

interface OpenWalletButtonProps {
  readonly look: string;
  readonly testId?: string;
  /** Text in a sandbox. */
  readonly demoText?: string;
}

export function OpenWalletButton({ demoText = 'Start with $1,000 of demo money', ...rest }: OpenWalletButtonProps) {
  const page = usePage();
  const config = useConfig();
  const open = () => page.account.open(config.sandbox ? 'demo' : 'injected', config);
  return (
    <Button {...rest} onClick={() => void actOnWallet(page, 'Not connected', open)}>
      {config.sandbox ? demoText : 'Connect a wallet'}
    </Button>
  );
}

interface RedeemButtonProps {
  readonly testId: string;
  readonly value: bigint;
  /** Markets to redeem; all markets by default. */
  readonly markets?: readonly string[];
  readonly onPaid?: (payout: bigint) => void;
  readonly look?: string;
  readonly children: ReactNode;
}

export function RedeemButton({ testId, value, markets, onPaid, look = 'yes wide lg', children }: RedeemButtonProps) {
  const { wallet } = useWatched(usePage().account.state);
  const { isBusy, run } = useAct('redeem');
  const redeem = async () => {
    if (!wallet) return;
    const paid = await claimWinnings(wallet, markets);
    onPaid?.(paid);
    return paid;
  };
  const told = {
    doing: `Redeeming ${moneyDown(value)}`,
    done: (payout = value) => `${money(payout)} paid out`,
    failed: 'Not redeemed',
  };
  return (
    <Button look={look} testId={testId} aria-busy={isBusy} onClick={() => void run(told, redeem)}>
      {isBusy ? 'Redeeming…' : children}
    </Button>
  );
}
