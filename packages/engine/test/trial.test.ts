// A batch on trial: what it says equals what placing the orders one after another comes to, and nothing changes.
import { Engine, type Trial } from '@presage/engine';
import { isJournalled, type OrderHash, type PlaceOrder } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RandomCommands } from './random-commands.ts';

const FOK = { timeInForce: 'FOK' } as const;
const POST = { postOnly: true } as const;

describe('a batch on trial', () => {
  it('counts what its earlier orders would take', () => {
    const exchange = new Exchange();
    const { aliceSellsYes, bobBuysYes } = exchange.traders;
    exchange.place(aliceSellsYes({ price: '0.5', size: '10' }));
    const [first, second, third] = [
      bobBuysYes({ price: '0.5', size: '6', ...FOK }),
      bobBuysYes({ price: '0.5', size: '4', ...FOK }),
      bobBuysYes({ price: '0.5', size: '1', ...FOK }),
    ];
    const tryAll = (...orders: PlaceOrder[]) => exchange.engine.tryAll(orders);
    expect(tryAll(first, second)).toEqual({ outcome: 'placeable' });
    expect(tryAll(first, second, third)).toMatchObject({ index: 2, refusal: { code: 'fok_not_filled' } });
    expect(tryAll(first, first)).toMatchObject({ index: 1, refusal: { code: 'nonce_already_used' } });
    // What the first takes is no longer in the way of a post-only order.
    expect(
      tryAll(bobBuysYes({ price: '0.5', size: '10', ...FOK }), bobBuysYes({ price: '0.5', size: '1', ...POST })),
    ).toEqual({ outcome: 'placeable' });
    expect(tryAll(first, bobBuysYes({ price: '0.5', size: '1', ...POST }))).toMatchObject({
      index: 1,
      refusal: { code: 'would_cross' },
    });
  });

  it('lets no two of its orders trade with each other', () => {
    const exchange = new Exchange();
    const { aliceSellsYes, bobBuysYes } = exchange.traders;
    const tried = exchange.engine.tryAll([
      aliceSellsYes({ price: '0.5', size: '10', ...POST }),
      bobBuysYes({ price: '0.5', size: '10', ...FOK }),
    ]);
    expect(tried).toMatchObject({ index: 1, refusal: { code: 'fok_not_filled', details: { fillable: 0 } } });
  });

  it('was placed if every order was, and cannot be if only some were', () => {
    const exchange = new Exchange();
    const { aliceSellsYes, bobSellsYes } = exchange.traders;
    const [first, second] = [
      aliceSellsYes({ price: '0.5', size: '10', ...POST }),
      bobSellsYes({ price: '0.6', size: '10', ...POST }),
    ];
    exchange.place(first, second);
    expect(exchange.engine.tryAll([first, second])).toEqual({ outcome: 'placed' });
    const mixed = exchange.engine.tryAll([aliceSellsYes({ price: '0.7', size: '1', ...POST }), second]);
    expect(mixed).toMatchObject({ index: 1, refusal: { code: 'nonce_already_used' } });
  });

  it('says over random flows what placing one after another comes to, and leaves no trace', {
    timeout: 600_000,
  }, () => {
    const seed = seedFromEnv(20);
    const flow = new RandomCommands(seed);
    const random = new SeededRandom(seed + 1);
    const engine = new Engine();
    const tally: Record<string, number> = {};
    const batch: PlaceOrder[] = [];
    for (let count = 0; count < (isLongRun ? 400_000 : 20_000); count++) {
      const command = flow.next();
      if (command.type === 'place-order' && random.chance(0.3)) {
        batch.push({ ...command, terms: { ...command.terms, ...drawTerms(random) } });
      } else flow.observe(engine.apply(command));
      if (batch.length > random.int(1, 6)) {
        const commands = batch.splice(0).map((each) => ({ ...each, timeMs: command.timeMs }));
        const before = random.chance(0.05) ? engine.stateHash() : undefined;
        const tried = engine.tryAll(commands);
        expect(summaryOf(tried), `seed ${seed}, command ${count}`).toEqual(oneByOne(engine, commands));
        if (before !== undefined) expect(engine.stateHash()).toBe(before);
        const kind = tried.outcome === 'refused' ? tried.refusal.code : tried.outcome;
        tally[kind] = (tally[kind] ?? 0) + 1;
        // Half of them are placed, so that later ones find them.
        if (tried.outcome === 'placeable' && random.chance(0.5))
          for (const each of commands) flow.observe(engine.apply(each));
      }
    }
    expect(Object.keys(tally)).toEqual(
      expect.arrayContaining(['placeable', 'would_cross', 'fok_not_filled', 'nonce_already_used']),
    );
  });
});

function drawTerms(random: SeededRandom): { timeInForce: 'FOK' | 'GTC'; postOnly: boolean } {
  const isFok = random.chance(0.6);
  return { timeInForce: isFok ? 'FOK' : 'GTC', postOnly: !isFok };
}

type Summary = 'placeable' | 'placed' | number;

function summaryOf(tried: Trial): Summary {
  return tried.outcome === 'refused' ? tried.index : tried.outcome;
}

/** Placed for real, in a copy; what one of the batch does to another counts as a refusal. */
function oneByOne(engine: Engine, commands: readonly PlaceOrder[]): Summary {
  const copy = engine.copy();
  const own = new Set<OrderHash>();
  const placedBefore: number[] = [];
  try {
    for (const [index, command] of commands.entries()) {
      const outputs = copy.apply(command);
      const isMet = outputs.some(
        (output) =>
          (output.type === 'trade-matched' && own.has(output.makerHash)) ||
          (output.type === 'order-cancelled' && own.has(output.orderHash)),
      );
      const isKnown = outputs.some(({ type }) => type === 'order-replayed');
      if (isMet || (isKnown && own.has(command.orderHash))) return index;
      if (isKnown) placedBefore.push(index);
      else if (!outputs.every(isJournalled)) return index;
      else own.add(command.orderHash);
    }
  } finally {
    copy.discard();
  }
  if (placedBefore.length === 0) return 'placeable';
  return placedBefore.length === commands.length ? 'placed' : placedBefore[0]!;
}
