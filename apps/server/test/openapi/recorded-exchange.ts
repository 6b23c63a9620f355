// An exchange as it is recorded for the OpenAPI document, and what of its answer is never the same twice.
export interface RecordedExchange {
  /** The operation it is an example of. */
  readonly id: string;
  /** The name of this example among those of the operation. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Needs an Authorization header made with the key that `registerApiKey` answered. */
  readonly hasToken?: true;
  readonly status: number;
  readonly answer: unknown;
  /** Texts of the request that an earlier answer gave: take that of your own answer instead. */
  readonly from?: readonly Source[];
}

export interface Source {
  readonly text: string;
  /** Name of the earlier example. */
  readonly of: string;
  /** JSON pointer into its answer. */
  readonly at: string;
}

/** Clocks, hashes of transactions, places in the journal or in the chain, prices that move. */
const VOLATILE =
  /^(now|nowMs|offsetSeconds|ts|time|timestamp|\w+Time|\w+At|\w+Ms|lastUpdated?|tx_?[hH]ash|\w+TxHash|block|blockNumber|tradeId|seq|requestId|receipt|api_key_id|api_private_key)$/;
/** Answers about the whole sandbox, or about the moment: only their shape is the same. */
const SHAPE_ONLY =
  /^(getStatus|getReadiness|getHealth|getPrice|getPriceHistory|getQuickMarket|listQuickMarkets|getPlatformStatistics|listMarkets|pinPrice|getSandboxOperatorKey|getConfig|getPnlHistory|getCandles|getJournal|getJournalHead|listAnchors)$/;

/** Undefined when the answer is as shown; else where it is not. */
export function differenceOf(
  { id, answer }: Pick<RecordedExchange, 'id' | 'answer'>,
  got: unknown,
): string | undefined {
  return compare(answer, got, { at: '', isShape: SHAPE_ONLY.test(id) });
}

interface Place {
  readonly at: string;
  readonly isShape: boolean;
}

function compare(shown: unknown, got: unknown, { at, isShape }: Place): string | undefined {
  if (Array.isArray(shown) && Array.isArray(got)) return compareLists(shown, got, { at, isShape });
  if (isObject(shown) && isObject(got)) return compareObjects(shown, got, { at, isShape });
  if (isShape)
    return kindOf(shown) === kindOf(got) || shown === null || got === null ? undefined : `${at}: ${String(got)}`;
  return Object.is(shown, got) ? undefined : `${at}: ${JSON.stringify(got)} instead of ${JSON.stringify(shown)}`;
}

function compareLists(shown: unknown[], got: unknown[], place: Place): string | undefined {
  if (place.isShape) return shown.length > 0 && got.length > 0 ? compare(shown[0], got[0], place) : undefined;
  if (shown.length !== got.length) return `${place.at}: ${got.length} entries instead of ${shown.length}`;
  return firstOf(shown.map((each, index) => compare(each, got[index], { ...place, at: `${place.at}/${index}` })));
}

function compareObjects(shown: Fields, got: Fields, { at, isShape }: Place): string | undefined {
  const names = new Set([...Object.keys(shown), ...Object.keys(got)]);
  return firstOf(
    [...names].map((name) => {
      const place = `${at}/${name}`;
      if (!(name in shown) || !(name in got)) return isShape ? undefined : `${place}: only in one of the two`;
      return compare(shown[name], got[name], { at: place, isShape: isShape || isVolatile(place, shown[name]) });
    }),
  );
}

/** A trade's id is its place in the journal, an assertion's is made of the time; a market's follows from its question. */
function isVolatile(place: string, shown: unknown): boolean {
  const name = place.slice(place.lastIndexOf('/') + 1);
  return VOLATILE.test(name) || place.endsWith('/assertion/id') || (name === 'id' && typeof shown === 'number');
}

function firstOf(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return typeof value === 'bigint' ? 'number' : Array.isArray(value) ? 'list' : typeof value;
}

/** The value at a JSON pointer. */
export function valueAt(answer: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, key) => (value as Record<string, unknown>)?.[key], answer);
}
