// Endpoints for exports of a time range as files: a wallet's own data, or everything for operators. Written at the reader's pace.
import { Readable } from 'node:stream';
import Type from 'typebox';
import type { AuditLog } from '../../projections/audit/audit-log.ts';
import { type Endpoint, streamingEndpoint } from '../endpoint.ts';
import {
  type Dataset,
  OPERATOR_DATASETS,
  operatorDatasets,
  WALLET_DATASETS,
  walletDatasets,
} from '../exports/datasets.ts';
import { ExportPlaces } from '../exports/export-places.ts';
import { CONTENT_TYPES, EXPORT_FORMATS, exportText } from '../exports/export-text.ts';
import type { HttpReply } from '../http/reply.ts';
import { choiceOf, optional, required, textKind, UNIX_SECONDS, WALLET, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

type Services = Pick<ApiServices, 'views' | 'presentation'>;

/** Cursor of any dataset; each dataset refuses the cursors of others. */
const AFTER = textKind({
  schema: Type.String({ maxLength: 80 }),
  description: 'The `cursor` of the last line that was read, to continue an export that broke off',
  read: (text) => text,
});

const common = {
  method: 'get',
  answer: Type.String(),
  contentType: 'text/csv',
  errors: ['view_behind', 'database_unavailable', 'overloaded'],
} as const;

const QUERY = {
  format: withDefault(choiceOf(EXPORT_FORMATS, 'csv when absent; jsonl: a JSON object on each line'), 'csv'),
  from: optional(UNIX_SECONDS, 'Unix seconds from which on rows count; all by default'),
  to: optional(UNIX_SECONDS, 'Unix seconds before which rows count; all by default'),
  after: optional(AFTER),
} as const;

interface Asked {
  readonly dataset: Dataset;
  readonly name: string;
  readonly wallet: ReturnType<typeof WALLET.read> | undefined;
  readonly query: { readonly [Name in keyof typeof QUERY]: ReturnType<(typeof QUERY)[Name]['read']> };
}

const DESCRIPTION =
  'Amounts and prices are integers in millionths, times are of UTC. Every line has a `cursor`, behind which a broken export continues. In CSV, text that begins like a formula has an apostrophe in front. An export that ends without its last chunk broke off.';

export function exportEndpoints(services: Services, places = new ExportPlaces()): Endpoint[] {
  const datasets = walletDatasets(services);
  const send = createSender(places);
  return [
    streamingEndpoint({
      ...common,
      tag: 'Wallets',
      path: '/api/v1/users/:address/export',
      id: 'exportWallet',
      summary: "A wallet's trades, fills, fees, claims or positions of a time range, as a file",
      description: DESCRIPTION,
      params: { address: WALLET },
      query: { kind: required(choiceOf(WALLET_DATASETS, 'What is exported')), ...QUERY },
      handle: ({ params: { address: wallet }, query, request, reply }) =>
        send({ dataset: datasets[query.kind], name: query.kind, wallet, query }, request.address, reply),
    }),
  ];
}

export function operatorExportEndpoints(services: Services, audit: Pick<AuditLog, 'listFrom'>): Endpoint[] {
  const datasets = operatorDatasets(services, audit);
  const send = createSender(new ExportPlaces());
  return [
    streamingEndpoint({
      ...common,
      tag: 'Operator',
      access: 'operator',
      answeredBy: 'settler',
      right: 'read',
      path: '/admin/v1/export',
      id: 'exportAll',
      summary: 'All trades, fills, fees, claims, positions or actions of operators of a time range, as a file',
      description: DESCRIPTION,
      query: {
        kind: required(choiceOf(OPERATOR_DATASETS, 'What is exported')),
        ...QUERY,
        address: optional(WALLET, 'Only what concerns this wallet'),
      },
      handle: ({ query, request, reply }) =>
        send({ dataset: datasets[query.kind], name: query.kind, wallet: query.address, query }, request.address, reply),
    }),
  ];
}

function createSender(places: ExportPlaces) {
  return async ({ dataset, name, wallet, query }: Asked, client: string, reply: HttpReply): Promise<void> => {
    const { format, from = 0, to } = query;
    const after = query.after === undefined ? undefined : dataset.cursor.read('after', query.after);
    const terms = { fromMs: from * 1_000, toMs: to === undefined ? Number.MAX_SAFE_INTEGER : to * 1_000, wallet };
    const place = places.take(client, () => reply.raw.destroy());
    reply.raw.once('close', () => places.leave(place));
    const parts = exportText(dataset, { ...terms, format, after });
    // The first part is read before the status is sent, so that an unreachable database is refused as by every other endpoint.
    const first = await parts.next();
    reply.type(CONTENT_TYPES[format]).header('content-disposition', `attachment; filename="presage-${name}.${format}"`);
    const onPart = ({ length }: string) => {
      place.characters += length;
      reply.noteHeld(length);
    };
    reply.send(Readable.from(inTurn(first, parts, onPart)));
  };
}

/** Yields parts and counts those held for the reader, so that readers who take nothing are dropped when memory is short. */
async function* inTurn(
  first: IteratorResult<string>,
  parts: AsyncGenerator<string>,
  onPart: (part: string) => void,
): AsyncGenerator<string> {
  for (let part = first; !part.done; part = await parts.next()) {
    onPart(part.value);
    yield part.value;
  }
}
