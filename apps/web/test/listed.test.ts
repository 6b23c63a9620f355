// The prices that lists show: what the ticket would buy at, from each outcome's own book.
import { describe, expect, it } from 'vitest';
import { askTexts } from '../src/lib/listed.ts';

describe('prices in lists', () => {
  it('are the best ask of each outcome, whatever is bid for the other', () => {
    expect(askTexts({ bestAskPrice: 640_000, bestNoAskPrice: 385_000 })).toEqual({ YES: '64¢', NO: '38.5¢' });
    expect(askTexts({ bestAskPrice: 0, bestNoAskPrice: 385_000 })).toEqual({ YES: '–', NO: '38.5¢' });
    expect(askTexts({ bestAskPrice: 640_000, bestNoAskPrice: 0 })).toEqual({ YES: '64¢', NO: '–' });
  });
});
