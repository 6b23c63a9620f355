// The switch that lets the page claim winnings by itself.
import { useAutoClaimChoice } from '../wallet/auto-claim.ts';
import { Button } from './controls.tsx';

export function AutoClaimSwitch({ look = 'quiet sm' }: { readonly look?: string }) {
  const { isOn, toggle } = useAutoClaimChoice();
  return (
    <Button look={look} role="switch" aria-checked={isOn} testId="auto-claim" onClick={toggle}>
      Redeem automatically: {isOn ? 'on' : 'off'}
    </Button>
  );
}
