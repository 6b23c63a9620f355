// Whose new orders have their turn, and which are refused, when more come than can be answered at once.
import { LIMITS } from '@presage/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { OrderGate, type Turn } from '../../src/api/order-gate.ts';

const LOOK_MS = 125;
const { ordersUnderWay, ordersWaiting, orderWaitMs, floodWaitMs } = LIMITS;

let gate: OrderGate;
let nowMs: number;
let begun: Turn[];
let refused: string[];

beforeEach(() => {
  gate = new OrderGate();
  nowMs = 0;
  begun = [];
  refused = [];
});

function come(caller: string, count = 1, work = 1): Turn[] {
  return Array.from({ length: count }, () => {
    const turn = gate.enter(caller, work, nowMs, (isIn) => {
      if (isIn) queueMicrotask(() => begun.push(turn));
      else refused.push(caller);
    });
    return turn;
  });
}

const underWay = (turns: readonly Turn[]) => turns.filter(({ state }) => state === 'under way');

/** The first `count` of these that have their turn are answered. */
function answer(turns: readonly Turn[], count: number, isAccepted = true): void {
  for (const turn of underWay(turns).slice(0, count)) gate.leave(turn, nowMs, isAccepted);
}

function look(): void {
  nowMs += LOOK_MS;
  gate.look(nowMs);
}

/** As many come as are answered, for so many looks, and others wait all along: what came, first to last. */
function flood(caller: string, looks: number): Turn[] {
  const turns = come(caller, 500);
  for (let done = 0; done < looks; done++) {
    look();
    answer(turns, 50, false);
    turns.push(...come(caller, 100));
  }
  return turns;
}

describe('the gate for new orders', () => {
  it('admits orders at once while few are in progress, and later in order of arrival', async () => {
    const turns = come('a', ordersUnderWay + 3);
    expect(underWay(turns)).toEqual(turns.slice(0, ordersUnderWay));
    answer(turns, 2);
    expect(underWay(turns)).toEqual(turns.slice(2, ordersUnderWay + 2));
    answer(turns, ordersUnderWay);
    await Promise.resolve();
    expect(begun).toEqual(turns);
  });

  it('refuses no order of a burst that is answered in time', () => {
    const turns = come('a', 2_000);
    for (let done = 0; done < 7; done++) {
      for (let left = 300; left > 0; left -= 50) answer(turns, Math.min(50, left), false);
      look();
    }
    expect(turns.every(({ state }) => state === 'over')).toBe(true);
    expect(refused).toEqual([]);
  });

  it('refuses orders that got no turn in time', () => {
    const turns = come('a', ordersUnderWay + 10);
    while (nowMs + LOOK_MS <= orderWaitMs) look();
    expect(refused).toHaveLength(0);
    look();
    expect(refused).toHaveLength(10);
    expect(underWay(turns)).toHaveLength(ordersUnderWay);
  });

  it('refuses sooner in a flood, and waits longer again after a second without refusals', () => {
    const turns = flood('a', 3);
    expect(refused.length).toBeGreaterThan(0);
    const few = come('few', 4);
    const many = come('many', 40);
    nowMs += floodWaitMs + 1;
    gate.look(nowMs);
    const refusedOf = (name: string) => refused.filter((caller) => caller === name).length;
    expect([refusedOf('few'), refusedOf('many')]).toEqual([0, 40]);
    for (let round = 0; round < 20; round++) answer([...turns, ...few, ...many], 100);
    for (let done = 0; done < 10; done++) look();
    refused = [];
    come('a', ordersUnderWay + 1);
    nowMs += floodWaitMs + 1;
    gate.look(nowMs);
    expect(refused).toEqual([]);
  });

  it('lets callers take turns: a caller with one order waits for one order of each other', () => {
    const many = come('flood', ordersUnderWay + 500);
    const [good] = come('good');
    const [other] = come('other');
    // The flood waited first, so its turn comes first.
    const states = [1, 2, 3].map(() => {
      answer(many, 1);
      return [good!.state, other!.state];
    });
    expect(states).toEqual([
      ['waiting', 'waiting'],
      ['under way', 'waiting'],
      ['under way', 'under way'],
    ]);
  });

  it('counts a batch by its length', () => {
    const [batch] = come('a', 1, ordersUnderWay);
    const [order] = come('a');
    expect(order!.state).toBe('waiting');
    gate.leave(batch!, nowMs, true);
    expect(order!.state).toBe('under way');
  });

  it('forgets a caller who left before their turn', () => {
    const turns = come('a', ordersUnderWay + 2);
    gate.leave(turns.at(-2)!, nowMs, false);
    answer(turns, 1);
    expect(turns.at(-1)!.state).toBe('under way');
    expect(refused).toEqual([]);
  });

  it('refuses an order of a caller at once if too many of its own are waiting', () => {
    come('a', ordersUnderWay + ordersWaiting);
    expect(refused).toEqual([]);
    come('a', 2);
    expect(refused).toEqual(['a', 'a']);
  });

  it('lets the caller with most waiting orders make room for others when all places are taken', () => {
    const crowd = come('crowd', ordersUnderWay + ordersWaiting);
    const [one] = come('one');
    expect([refused, one?.state, crowd.at(-1)?.state]).toEqual([['crowd'], 'waiting', 'over']);
    answer(crowd, ordersUnderWay);
    expect(one?.state).toBe('under way');
  });

  it('admits more at a time while answers are quick, and fewer when they are slow', () => {
    /** How many have their turn at a time at the end, if each takes so long and others always wait. */
    const most = (servedMs: number) => {
      const turns = come('a', ordersWaiting);
      for (let done = 0; done < 20; done++) {
        const busy = underWay(turns);
        nowMs += servedMs;
        turns.push(...come('a', busy.length));
        answer(busy, busy.length);
        gate.look(nowMs);
      }
      const count = underWay(turns).length;
      for (const turn of turns) gate.leave(turn, nowMs, false);
      return count;
    };
    const ofQuick = most(5);
    expect(ofQuick).toBeGreaterThan(ordersUnderWay * 4);
    expect(most(400)).toBeLessThan(ofQuick / 4);
  });

  it('does not take a slow link for overload', () => {
    for (let round = 0; round < 50; round++) {
      const turns = come('a', 5);
      nowMs += 200;
      answer(turns, 5);
      gate.look(nowMs);
    }
    const turns = come('a', 2_000);
    const before = underWay(turns).length;
    nowMs += 210;
    answer(turns, before);
    gate.look(nowMs);
    expect(underWay(turns).length).toBeGreaterThan(before);
  });
});

describe('an order that waits for somebody outside', () => {
  /** Answers that come when the test says so, one for each turn. */
  function goOut(turns: readonly Turn[]) {
    return turns.map((turn) => {
      let come: () => void = () => undefined;
      const answer = new Promise<void>((resolve) => {
        come = resolve;
      });
      return { come, isOut: gate.whileOut(turn, answer, () => nowMs) !== undefined };
    });
  }

  it('lends its turn to others, and has it again when the answer is there', async () => {
    const [first, second, ...others] = come('a', ordersUnderWay);
    const waiting = come('b', 3);
    const [out] = goOut([first!]);
    await Promise.resolve();
    expect(underWay(waiting)).toHaveLength(1);
    out!.come();
    await Promise.resolve();
    // One more than the limit are under way now: the next begins when two have ended.
    gate.leave(second!, nowMs, true);
    expect(underWay(waiting)).toHaveLength(1);
    gate.leave(first!, nowMs, true);
    expect(underWay(waiting)).toHaveLength(2);
    expect(underWay(others)).toHaveLength(others.length);
  });

  it('gives its place back once, when all that it waits for has come or its caller has left', async () => {
    const [first, second] = come('a', ordersUnderWay);
    const waiting = come('b', 4);
    const outs = goOut([first!, first!, second!]);
    await Promise.resolve();
    expect(underWay(waiting)).toHaveLength(2);
    gate.leave(second!, nowMs, false);
    for (const { come } of outs) come();
    await Promise.resolve();
    gate.leave(first!, nowMs, true);
    expect(underWay(waiting)).toHaveLength(2);
  });

  it('says nothing about how long an order takes here', async () => {
    // A quick one, by which a slow one would be known.
    const quick = come('a');
    nowMs += 5;
    answer(quick, 1);
    look();
    const turns = come('a', ordersUnderWay);
    const waiting = come('b', 500);
    const outs = goOut(turns);
    await Promise.resolve();
    nowMs += 900;
    for (const { come } of outs) come();
    await Promise.resolve();
    answer(turns, turns.length);
    expect(underWay(waiting)).toHaveLength(ordersUnderWay);
    gate.look(nowMs);
    expect(underWay(waiting).length).toBeGreaterThan(ordersUnderWay);
  });

  it('has no place where a quarter of all wait for its caller, or all for others', () => {
    const share = LIMITS.ordersOut / 4;
    const [turn] = come('a');
    const outs = goOut(Array(share + 1).fill(turn));
    expect(outs.map(({ isOut }) => isOut)).toEqual([...Array(share).fill(true), false]);
    for (const caller of ['b', 'c', 'd']) {
      const [own] = come(caller);
      expect(goOut(Array(share).fill(own)).every(({ isOut }) => isOut)).toBe(true);
    }
    const [late] = come('e');
    expect(goOut([late!])[0]!.isOut).toBe(false);
  });
});
