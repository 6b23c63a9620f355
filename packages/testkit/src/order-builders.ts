// Orders that read like orders, for tests of the engine: `aliceBuysYes({ price: '0.55', size: '10' })`.
import {
  type Address,
  BUY,
  DEFAULT_TERMS,
  type Hex,
  keysOf,
  type ListMarket,
  type MarketFacts,
  type MarketId,
  NO,
  type Order,
  type OrderTerms,
  type Outcome,
  type PlaceOrder,
  parseMillionths,
  pickTerms,
  SELL,
  type Side,
  sha256OfLines,
  toOutcomeMarketId,
  toOutcomeShareIds,
  toPrice,
  toSize,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { ManualClock } from './clock.ts';

/** A recognisable value: one byte, repeated. */
function bytesOf(byte: string, times: number): Hex {
  return `0x${byte.repeat(times)}`;
}

/** Wallets without keys: the engine never checks signatures. */
export const TRADERS = {
  alice: bytesOf('a1', 20),
  bob: bytesOf('b0', 20),
  carol: bytesOf('ca', 20),
  dave: bytesOf('da', 20),
} as const satisfies Record<string, Address>;
type Trader = keyof typeof TRADERS;

export const TEST_MARKET: MarketId = bytesOf('5e', 32);

interface OrderParams extends Partial<OrderTerms> {
  /** In shares and stablecoin: '0.55', '10'. */
  readonly price: string;
  readonly size: string;
  /** By default counts upward over all traders. */
  readonly nonce?: bigint;
  /** Unix seconds; a day ahead by default. */
  readonly expiration?: number;
  readonly marketId?: MarketId;
}

type OrderVerb = `${Trader}${'Buys' | 'Sells'}${'Yes' | 'No'}`;
export type OrderBuilders = Readonly<Record<OrderVerb, (params: OrderParams) => PlaceOrder>>;

const SIDES = { Buys: BUY, Sells: SELL } as const;
const OUTCOMES = { Yes: YES, No: NO } as const;
const DAY_SECONDS = 86_400;

/** Order builders that count nonces and read the clock. */
export function createOrderBuilders(clock = new ManualClock()): OrderBuilders {
  let nonce = 0n;
  const traders: Partial<Record<OrderVerb, (params: OrderParams) => PlaceOrder>> = {};
  for (const trader of keysOf(TRADERS)) {
    for (const verb of ['Buys', 'Sells'] as const) {
      for (const outcome of ['Yes', 'No'] as const) {
        const words = { trader: TRADERS[trader], side: SIDES[verb], outcome: OUTCOMES[outcome] };
        traders[`${trader}${verb}${outcome}`] = (params) => {
          nonce += 1n;
          return placeOrder(toOrder(words, { nonce, expiration: clock.nowSeconds + DAY_SECONDS, ...params }), {
            ...DEFAULT_TERMS,
            ...pickTerms(params),
            timeMs: clock.nowMs,
          });
        };
      }
    }
  }
  // The loops have filled every combination.
  return traders as OrderBuilders;
}

interface OrderVerbParts {
  readonly trader: Address;
  readonly side: Side;
  readonly outcome: Outcome;
}

function toOrder(
  words: OrderVerbParts,
  params: OrderParams & Required<Pick<OrderParams, 'nonce' | 'expiration'>>,
): Order {
  return {
    ...words,
    marketId: params.marketId ?? TEST_MARKET,
    price: toPrice(toMillionths(params.price)),
    size: toSize(toMillionths(params.size)),
    nonce: params.nonce,
    expiration: BigInt(params.expiration),
    makerFeeRecipient: ZERO_ADDRESS,
  };
}

/** A command with a fake hash and signature, both derived from the order as real ones would be. */
export function placeOrder(order: Order, { timeMs, ...terms }: OrderTerms & { readonly timeMs: number }): PlaceOrder {
  const orderHash = fakeOrderHash(order);
  const signature = `0x${orderHash.slice(2).repeat(2)}1b` as const;
  return { type: 'place-order', timeMs, orderHash, order, signature, terms };
}

function fakeOrderHash(order: Order): Hex {
  return sha256OfLines(Object.values(order).map(String));
}

export function marketFacts(overrides: Partial<MarketFacts> = {}): MarketFacts {
  return {
    marketId: TEST_MARKET,
    chainId: 31337,
    kind: 'standard',
    contractAddress: bytesOf('c0', 20),
    question: 'Will it rain in Lisbon tomorrow?',
    description: 'Resolves YES if the airport station measures at least 0.1 mm.',
    category: 'general',
    maker: TRADERS.dave,
    expiration: 1_900_000_000 + 30 * DAY_SECONDS,
    createdAt: 1_899_999_000,
    settlementAddress: bytesOf('5a', 20),
    conditionalTokens: bytesOf('c7', 20),
    stablecoin: bytesOf('dc', 20),
    yesTokenId: '1',
    noTokenId: '2',
    blockNumber: 7,
    transactionHash: bytesOf('7a', 32),
    ...overrides,
  };
}

/** Facts of the market of every outcome of one event. `seed` tells events apart: two hex digits. */
export function eventFacts(names: readonly string[], seed = 'e1', overrides: Partial<MarketFacts> = {}): MarketFacts[] {
  const { event, ...common } = { ...marketFacts(), ...overrides };
  const [id, question] = [bytesOf(seed, 32), event?.question ?? 'Who wins the cup?'];
  const contractAddress = bytesOf(seed, 20);
  return names.map((name, index) => ({
    ...common,
    marketId: toOutcomeMarketId(id, index, names.length),
    contractAddress: `0x${toByte(index)}${contractAddress.slice(4)}` as const,
    question: `${question}: ${name}`,
    ...toOutcomeShareIds(common.stablecoin, id, index, names.length),
    event: { id, question, contractAddress, count: names.length, index, name },
  }));
}

function toByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

export function listMarket(timeMs: number, overrides: Partial<MarketFacts> = {}): ListMarket {
  return { type: 'list-market', timeMs, market: marketFacts(overrides) };
}

export { formatMillionths as fromMillionths } from '@presage/protocol';

export function toMillionths(text: string): number {
  const exact = parseMillionths(text);
  if (exact === undefined) throw new RangeError(`${text} is not a decimal with at most 6 places`);
  if (exact > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${text} passes 2^53 millionths`);
  return Number(exact);
}
