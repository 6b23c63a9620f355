// Examples for the OpenAPI document: real exchanges, recorded with a fresh sandbox by `npm run record:openapi`.
import recorded from './exchanges.json' with { type: 'json' };

interface Exchange {
  readonly id: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly hasToken?: boolean;
  readonly status: number;
  readonly answer: unknown;
  readonly from?: readonly { readonly text: string; readonly of: string; readonly at: string }[];
}

const EXCHANGES: readonly Exchange[] = recorded;

export const RECORDED_NOTE =
  'The examples are one conversation with a fresh sandbox (`npm start` with an empty data folder). `x-recorded` of an operation says ' +
  'at which step each of its examples was sent, and with which request. Sent in the order of the steps, as they are, they are ' +
  'answered as shown, but for clocks, hashes of transactions, places in journal and chain, ids, and prices that move. Where a step has `from`, ' +
  'a text of its request comes from the answer of an earlier one: put your own in its place. Where it has `token`, it needs the Authorization header.';

type Json = Readonly<Record<string, unknown>>;

/** `examples` of the request body. */
export function bodiesOf(id: string): Json {
  return toExamples(
    EXCHANGES.filter((each) => each.id === id && each.body !== undefined).map((each) => [each, each.body]),
  );
}

/** `examples` of the answers with this status. */
export function answersOf(id: string, status: number): Json {
  return toExamples(
    EXCHANGES.filter((each) => each.id === id && each.status === status).map((each) => [each, each.answer]),
  );
}

/** `x-recorded`: the requests and their steps. */
export function requestsOf(id: string): Json {
  const requests = EXCHANGES.flatMap(({ name, method, path, status, from, hasToken, ...each }, index) =>
    each.id === id
      ? [
          {
            step: index + 1,
            example: name,
            request: `${method} ${path}`,
            status,
            ...(from && { from }),
            ...(hasToken && { token: true }),
          },
        ]
      : [],
  );
  return requests.length === 0 ? {} : { 'x-recorded': requests };
}

function toExamples(entries: readonly (readonly [Exchange, unknown])[]): Json {
  if (entries.length === 0) return {};
  return { examples: Object.fromEntries(entries.map(([{ name }, value]) => [name, { value }])) };
}
