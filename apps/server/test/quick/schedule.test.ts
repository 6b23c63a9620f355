// The schedule of windows over every moment, and the table of what a window needs next.
import { QUICK_STAGES, type QuickStage, type QuickWindow } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import {
  decideStep,
  endOf,
  LEAD_SECONDS,
  MISSES_BEFORE_VOID,
  type Search,
  type WindowStep,
  wantedWindows,
  windowAt,
} from '../../src/quick/window-step.ts';

const START = 1_800_000_000;
const END = START + 900;
const DAY = 86_400;

const creation = {
  marketId: `0x${'aa'.repeat(32)}`,
  contractAddress: `0x${'02'.repeat(20)}`,
  maker: `0x${'01'.repeat(20)}`,
  yesTokenId: '1',
  noTokenId: '2',
  createdAt: START - 100,
  blockNumber: 7,
  transactionHash: `0x${'04'.repeat(32)}`,
} as const;

function windowIn(stage: QuickStage): QuickWindow {
  return { asset: 'BTC', startTime: START, stage, creation };
}

function stepOf(stage: QuickStage | 'none', nowSeconds: number, search?: Search): WindowStep {
  const window = stage === 'none' ? {} : { window: windowIn(stage) };
  return decideStep({ startTime: START, nowSeconds, ...window, ...(search && { search }) });
}

describe('over random moments', () => {
  const seed = seedFromEnv(20_261_115);
  const count = isLongRun ? 1_000_000 : 20_000;

  it(`every moment lies in exactly one window, which begins at a whole quarter of an hour (seed ${seed})`, () => {
    const random = new SeededRandom(seed);
    for (let i = 0; i < count; i++) {
      const now = random.int(1_000_000_000, 4_000_000_000);
      const start = windowAt(now);
      if (start > now || now >= endOf(start)) throw new Error(`${now} is not inside ${start}`);
      if (new Date(start * 1_000).getUTCMinutes() % 15 !== 0 || start % 60 !== 0)
        throw new Error(`${start} is crooked`);
      if (windowAt(start) !== start || windowAt(endOf(start)) !== endOf(start)) throw new Error(`${start} has a gap`);
    }
  });

  it(`a contract is wanted at least 60 seconds before its window, and never for one that is over (seed ${seed})`, () => {
    const random = new SeededRandom(seed);
    for (let i = 0; i < count; i++) {
      const now = random.int(1_000_000_000, 4_000_000_000);
      const wanted = wantedWindows(now);
      if (!wanted.includes(windowAt(now)) || !wanted.includes(windowAt(now + 60))) throw new Error(`late at ${now}`);
      if (wanted.some((start) => endOf(start) <= now || start - now > LEAD_SECONDS)) throw new Error(`early at ${now}`);
    }
  });

  it(`whatever happens in whatever order, a window that was struck ends settled (seed ${seed})`, () => {
    const random = new SeededRandom(seed);
    for (let i = 0; i < count / 20; i++) playWindow(random);
  });
});

/** Time jumps, prices come or do not, and only the allowed moves are made; at last everything that is missing comes. */
function playWindow(random: SeededRandom): void {
  const trail: string[] = [];
  let state: Play = { now: START - 200 };
  for (let i = 0; i < 400; i++) {
    const jump = random.chance(0.02) ? random.int(0, 2 * DAY) : random.int(0, 20);
    state = advance(state, jump, random.chance(0.3), trail);
  }
  for (let i = 0; i < 10; i++) state = advance(state, DAY, true, trail);
  const stage = state.window?.stage;
  const isStruck = trail.some((each) => each.startsWith('open'));
  if (isStruck ? stage !== 'settled' : stage !== undefined && stage !== 'skipped') {
    throw new Error(`ended ${stage}: ${trail.filter((each, i) => each !== trail[i - 1]).join(' ')}`);
  }
}

interface Play {
  readonly now: number;
  readonly window?: QuickWindow;
  readonly search?: Search;
}

function advance({ now: before, window, search }: Play, jump: number, isFound: boolean, trail: string[]): Play {
  const now = before + jump;
  const step = decideStep({ startTime: START, nowSeconds: now, ...(window && { window }), ...(search && { search }) });
  trail.push(`${window?.stage}:${step}`);
  if (step === 'create') return { now, window: windowIn('created') };
  if (window === undefined) return { now };
  if (step.startsWith('find') && !isFound) {
    return { now, window, search: { misses: (search?.misses ?? 0) + 1, since: search?.since ?? now } };
  }
  const next = MOVES[step];
  return next === undefined ? { now, window } : { now, window: windowIn(next) };
}

const MOVES: Partial<Record<WindowStep, QuickStage>> = {
  'find-start': 'striking',
  strike: 'open',
  'find-end': 'resolving',
  resolve: 'settled',
  'give-up-end': 'voiding',
  void: 'settled',
  skip: 'skipped',
};

describe('a window needs next', () => {
  const fewMisses = { misses: MISSES_BEFORE_VOID - 1, since: END };
  const manyMisses = { misses: MISSES_BEFORE_VOID, since: END };

  it.each<[string, WindowStep, ...Parameters<typeof stepOf>]>([
    ['nothing long before it begins', 'nothing', 'none', START - LEAD_SECONDS - 1],
    ['its contract when it is near', 'create', 'none', START - LEAD_SECONDS],
    ['its contract also in its last second', 'create', 'none', END - 1],
    ['nothing when it is over and nobody made it', 'nothing', 'none', END],
    ['nothing between its making and its start', 'nothing', 'created', START - 1],
    ['its start price from its first second on', 'find-start', 'created', START],
    ['its start price, a minute long', 'find-start', 'created', START + 60, { misses: 9, since: START }],
    ['to be skipped after that minute', 'skip', 'created', START + 61, { misses: 9, since: START }],
    ['its start price when the service came late', 'find-start', 'created', START + 600],
    ['a minute to wait then too', 'find-start', 'created', START + 660, { misses: 9, since: START + 600 }],
    ['to be skipped after that one', 'skip', 'created', START + 661, { misses: 9, since: START + 600 }],
    ['to be skipped when it is over without a strike', 'skip', 'created', END],
    ['the strike it was given, also when it is over', 'strike', 'striking', END + DAY],
    ['nothing while it runs', 'nothing', 'open', END - 1],
    ['its end price from its last second on', 'find-end', 'open', END],
    ['its end price for a day', 'find-end', 'open', END + DAY - 1, manyMisses],
    ['to be void after that day', 'give-up-end', 'open', END + DAY, manyMisses],
    ['more tries first, when the service has only begun', 'find-end', 'open', END + DAY, fewMisses],
    ['its end price first, however late', 'find-end', 'open', END + 9 * DAY],
    ['the end price it was given', 'resolve', 'resolving', END + 9 * DAY],
    ['to be paid half and half', 'void', 'voiding', END + 9 * DAY],
    ['nothing once it is settled', 'nothing', 'settled', END + 9 * DAY],
    ['nothing once it is skipped', 'nothing', 'skipped', START + 70],
  ])('%s', (_, expected, ...question) => {
    expect(stepOf(...question)).toBe(expected);
  });

  it('something in every stage but the final ones, sooner or later', () => {
    const idle = QUICK_STAGES.filter((stage) => stepOf(stage, END + 2 * DAY) === 'nothing');
    expect(idle).toEqual(['settled', 'skipped']);
  });
});
