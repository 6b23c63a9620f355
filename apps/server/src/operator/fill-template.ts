// Fills the placeholders of a market template and computes the market's expiration.
import { type MarketTemplate, PresageError } from '@presage/protocol';

const PLACEHOLDER = /\{([a-zA-Z][a-zA-Z0-9_]{0,39})\}/g;
const TEXTS = ['question', 'description', 'source', 'category', 'imageUrl'] as const;

export type TemplateValues = Readonly<Record<string, string>>;

/** Fills a template; refuses a missing value, and a value without a placeholder. */
export function fillTemplate(template: MarketTemplate, values: TemplateValues, createdSeconds: number) {
  const { expires, earlyResolution, feeRateBps, makerShareBps } = template;
  const taken = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (_, name: string) => {
      taken.add(name);
      const value = values[name];
      if (value !== undefined) return value;
      throw new PresageError('invalid_field', {
        field: `values.${name}`,
        expected: `a text for {${name}}`,
        missing: true,
      });
    });
  const texts = Object.fromEntries(TEXTS.map((name) => [name, fill(template[name])]));
  const expiration = typeof expires === 'number' ? createdSeconds + expires : toUnixSeconds(fill(expires));
  const unknown = Object.keys(values).find((name) => !taken.has(name));
  if (unknown !== undefined) {
    const expected = taken.size === 0 ? 'nothing: the template has no placeholder' : `one of ${[...taken].join(', ')}`;
    throw new PresageError('invalid_field', { field: `values.${unknown}`, expected });
  }
  return {
    ...texts,
    expiration,
    earlyResolution,
    ...(feeRateBps !== undefined && { feeRateBps }),
    ...(makerShareBps !== undefined && { makerShareBps }),
  };
}

/** A day in UTC, or a time with its zone; without a zone it would be read in the server's. */
const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function toUnixSeconds(text: string): number {
  const [, day] = TIME.exec(text) ?? [];
  const ms = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN;
  if (Number.isSafeInteger(ms)) return Math.floor(ms / 1_000);
  throw new PresageError('invalid_field', {
    field: 'expires',
    expected: 'a time such as 2027-01-31T18:00:00Z',
    got: text,
  });
}

/** Whether a date exists; `Date.parse` reads February 30 as March 2. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
}
