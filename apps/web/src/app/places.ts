// The main places of the page, for the bar on top and the tabs of a phone.
import { useConfig } from '../state/service-config.ts';
import { useClaims } from '../wallet/use-claims.ts';
import { toScreen, usePath } from './router.tsx';

export function usePlaces() {
  const { quickMarkets } = useConfig();
  const current = toScreen(usePath()).name;
  const toClaim = useClaims().payouts.size;
  const places = [
    { name: 'landing', text: 'Markets', href: '/', icon: 'grid' },
    { name: 'quick', text: 'Quick', href: `/quick/${quickMarkets.assets[0] ?? 'BTC'}`, icon: 'bolt' },
    { name: 'portfolio', text: 'Portfolio', href: '/portfolio', icon: 'pie' },
    { name: 'leaderboard', text: 'Leaders', href: '/leaderboard', icon: 'trophy' },
    { name: 'proof', text: 'Proof', href: '/proof', icon: 'check' },
    { name: 'operator', text: 'Operator', href: '/operator', icon: 'pulse' },
  ] as const;
  return places.map((place) => ({
    ...place,
    /** Number of markets with winnings to claim. */
    count: place.name === 'portfolio' ? toClaim : 0,
    isCurrent:
      place.name === current ||
      (place.name === 'landing' && (current === 'market' || current === 'event')) ||
      (place.name === 'leaderboard' && current === 'wallet'),
  }));
}
