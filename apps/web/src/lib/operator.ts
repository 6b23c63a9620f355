// Data for the operator's screen: health tiles, the settlement queue by stage, and markets that need a decision.
import type { Market, PendingTrades, ServiceStatus } from '@presage/sdk';

export interface Tile {
  readonly name: string;
  readonly state: 'up' | 'slow' | 'down';
  readonly text: string;
}

interface FeedRow {
  readonly asset: string;
  readonly fresh: boolean;
  readonly ageMs: number | null;
  readonly source: string | null;
}

/** Lag in records above which the view is called slow. */
const LAG_LIMIT = 1_000;

export function tilesOf(status: ServiceStatus): Tile[] {
  const { dependencies, rates } = status;
  const said: Readonly<Record<string, (facts: Readonly<Record<string, unknown>>) => string>> = {
    journal: () => 'every answer is on disk',
    engine: () => `${rates.ordersPerSecond.toFixed(1)} orders a second`,
    database: ({ lag, trouble }) => {
      if (trouble !== undefined) return 'some lists are missing';
      return lag === 0 ? 'up to date' : `${Number(lag ?? 0)} behind`;
    },
    chain: ({ block }) => `block ${Number(block ?? 0).toLocaleString('en-US')}`,
  };
  const parts = Object.entries(dependencies).map(([key, { up, ...facts }]): Tile => {
    const { lag = 0, trouble }: Readonly<Record<string, unknown>> = facts;
    const isSlow = Number(lag) > LAG_LIMIT || trouble !== undefined;
    const text = said[key]?.(facts) ?? '';
    return {
      name: key.replace(/^./, (letter) => letter.toUpperCase()),
      state: up ? (isSlow ? 'slow' : 'up') : 'down',
      text: up ? text : 'cannot be reached',
    };
  });
  // The status's feeds have this shape.
  return [...parts, ...(status.feeds as unknown as readonly FeedRow[]).map(feedTile)];
}

/** Tile of a price feed; without a fresh price the asset's quick markets take no orders. */
function feedTile({ asset, fresh, ageMs, source }: FeedRow): Tile {
  if (ageMs === null) return { name: `${asset} feed`, state: 'down', text: 'no price yet' };
  const age = `${(ageMs / 1_000).toFixed(1)} s old`;
  return { name: `${asset} feed`, state: fresh ? 'up' : 'down', text: `${source ?? 'unknown'}, ${age}` };
}

/** One sentence about the worst problem. */
export function verdictOf(tiles: readonly Tile[]): string {
  const down = tiles.filter(({ state }) => state === 'down').map(({ name }) => name);
  const slow = tiles.filter(({ state }) => state === 'slow').map(({ name }) => name);
  if (down.includes('Chain')) return 'The chain cannot be reached. Orders still match; trades settle when it is back.';
  if (down.includes('Database'))
    return 'The database cannot be reached. Orders still match; lists and figures do not load.';
  if (down.length > 0) return `${down.join(' and ')} ${down.length === 1 ? 'is' : 'are'} down.`;
  if (slow.length > 0) return `Trading works. ${slow.join(' and ')} ${slow.length === 1 ? 'is' : 'are'} slow.`;
  return 'Everything works.';
}

const STAGES = ['matched', 'submitted', 'mined', 'retrying'] as const;

export function queueOf(trades: PendingTrades['pendingTrades'], failed: number) {
  const stages = STAGES.map((stage) => {
    const count = trades.filter((trade) => trade.stage === stage).length;
    return { stage, count, isTrouble: stage === 'retrying' && count > 0 };
  });
  return [...stages, { stage: 'failed', count: failed, isTrouble: failed > 0 }];
}

/** Markets that wait for a result, the most urgent first. */
export function deskOf(markets: readonly Market[]): Market[] {
  const order: readonly string[] = ['disputed', 'expired', 'proposed'];
  return markets
    .filter(({ kind, status }) => kind === 'standard' && order.includes(status))
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || Number(a.expiration) - Number(b.expiration));
}

/** `lasts about 3 days`, or why that is not known. */
export function runwayText({ balance, daysLeft, spentPerDay }: ServiceStatus['relayer']): string {
  if (balance === null) return 'balance unknown';
  if (daysLeft === null) return spentPerDay === '0' ? 'nothing spent so far' : 'no estimate yet';
  if (daysLeft > 3_650) return 'lasts for years';
  return daysLeft < 2 ? `lasts about ${Math.round(daysLeft * 24)} hours` : `lasts about ${Math.round(daysLeft)} days`;
}
