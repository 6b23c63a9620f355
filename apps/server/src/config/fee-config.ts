// Configuration of the fees that new markets charge takers: by category, for quick markets, and for the rest.
import { CATEGORY_PATTERN, type FeeRates, isFeeRate, isMakerShare } from '@presage/protocol';
import type { SettingsReader } from './settings-reader.ts';

export interface FeeConfig {
  /** Rates of markets whose category is not listed. */
  readonly rest: FeeRates;
  readonly quick: FeeRates;
  readonly categories: Readonly<Record<string, FeeRates>>;
}

const EXPECTED =
  'write NAME=RATE or NAME=RATE:SHARE, where NAME is a category, quick or default, RATE 0 to 700 hundredths of a percent and SHARE 0 to 10000 of the maker, such as default=100:2500,quick=50';
const ENTRY = /^([^=]+)=(\d{1,3})(?::(\d{1,5}))?$/;
const CATEGORY = new RegExp(CATEGORY_PATTERN);

export function readFeeConfig(read: SettingsReader): FeeConfig {
  const named = new Map<string, FeeRates>();
  for (const entry of read.list('PRESAGE_MARKET_FEES')) {
    const [name, rates] = parseEntry(entry) ?? [];
    if (name === undefined || rates === undefined)
      read.faults.push(`PRESAGE_MARKET_FEES: ${entry} is no fee; ${EXPECTED}`);
    else if (named.has(name)) read.faults.push(`PRESAGE_MARKET_FEES: ${name} is named twice`);
    else named.set(name, rates);
  }
  const { default: rest = {}, quick = {}, ...categories } = Object.fromEntries(named);
  return { rest, quick, categories };
}

export function chargesAnything({ rest, quick, categories }: FeeConfig): boolean {
  return [rest, quick, ...Object.values(categories)].some(({ feeRateBps = 0 }) => feeRateBps > 0);
}

function parseEntry(entry: string): readonly [string, FeeRates] | undefined {
  const [, name, rate, share = '0'] = ENTRY.exec(entry) ?? [];
  if (name === undefined || !(name === 'default' || CATEGORY.test(name))) return undefined;
  const [feeRateBps, makerShareBps] = [Number(rate), Number(share)];
  if (!isFeeRate(feeRateBps) || !isMakerShare(makerShareBps)) return undefined;
  return [name, { feeRateBps, makerShareBps }];
}
