// Creates the first markets of a sandbox on every chain: one market of every category, and two events.

import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { SandboxControls } from './sandbox-controls.ts';

const DAY = 86_400;

const SEEDS: readonly { question: string; description: string; category: string; days: number }[] = [
  {
    question: 'Will total value locked in DeFi be above $150 billion at the end of the month?',
    description: 'Resolves YES if the total value locked over all chains is above $150,000,000,000 at expiration.',
    category: 'defi',
    days: 30,
  },
  {
    question: 'Will the next network upgrade ship on schedule?',
    description: 'Resolves YES if the upgrade is active on the main network at or before expiration.',
    category: 'protocol',
    days: 90,
  },
  {
    question: 'Will the stablecoin hold its peg through the quarter?',
    description: 'Resolves YES if the stablecoin never trades below $0.99 for a full hour before expiration.',
    category: 'stablecoin',
    days: 60,
  },
  {
    question: 'Will it rain in Lisbon tomorrow?',
    description: 'Resolves YES if the national weather service reports at least 1 mm of rain.',
    category: 'general',
    days: 1,
  },
];

const EVENT_SEEDS: readonly ((typeof SEEDS)[number] & { outcomes: readonly string[] })[] = [
  {
    question: 'Which network will have the most active addresses this quarter?',
    description:
      'The network with the most addresses that sent a transaction in the quarter, by the explorers of each.',
    category: 'protocol',
    days: 45,
    outcomes: ['Ethereum', 'Base', 'Arbitrum', 'Optimism', 'Another one'],
  },
  {
    question: 'Where will the next developer conference take place?',
    description: 'The city that the organizers announce before expiration; none of them if they announce no city.',
    category: 'general',
    days: 20,
    outcomes: ['Lisbon', 'Seoul', 'Buenos Aires', 'Nairobi', 'Denver', 'None of them'],
  },
];

export interface SeedOptions {
  readonly service: SandboxControls;
  /** Reads of this chain's markets. */
  readonly reads: Pick<MarketReads, 'market' | 'activeMarkets' | 'retiredMarkets'>;
  /** Aligns the clocks of the service and its chains. */
  readonly alignTime: () => Promise<void>;
  readonly clock: { nowSeconds(): number };
  readonly log: Log;
}

/** Creates missing markets; `done` resolves once all are created or creation has failed. */
export function seedMarkets(options: SeedOptions) {
  let isStopped = false;
  const done = seed(options, () => isStopped).catch((error: unknown) => {
    options.log.warn({ error: String(error) }, 'creating the first markets failed');
  });
  return {
    done,
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

async function seed({ service, reads, alignTime, clock }: SeedOptions, isStopped: () => boolean): Promise<void> {
  // Aligns a chain that missed time travel: its markets must not be older than the service's clock.
  await alignTime();
  const retired = Array.from(reads.retiredMarkets({ kind: 'standard' }), ({ marketId }) => reads.market(marketId));
  const markets = [...reads.activeMarkets(), ...retired];
  const listed = new Set(markets.map((market) => market?.facts.event?.question ?? market?.facts.question));
  const isMissing = ({ question }: (typeof SEEDS)[number]) => !isStopped() && !listed.has(question);
  const expirationOf = ({ days }: (typeof SEEDS)[number]) => clock.nowSeconds() + days * DAY;
  for (const market of SEEDS) {
    if (isMissing(market)) await service.createMarket({ ...market, expiration: expirationOf(market) });
  }
  for (const event of service.hasEvents ? EVENT_SEEDS : []) {
    if (isMissing(event)) await service.createEvent({ ...event, expiration: expirationOf(event) });
  }
}
