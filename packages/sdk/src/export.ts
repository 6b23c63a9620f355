// `@presage/sdk/export`: the history of a wallet, or for operators of all wallets, in a time range, as text that
// arrives in parts.
import type { ApiKey } from './api-key.ts';
import { PresageConnectionError, PresageInputError } from './errors.ts';
import { type CallOptions, Http, type HttpOptions, toQueryText } from './http.ts';
import { toAddress } from './inputs.ts';
import { authorizeOperator } from './operator-token.ts';

export const EXPORTED = ['trades', 'fills', 'fees', 'claims', 'positions', 'audit'] as const;
/** Datasets that can be exported; `audit` is for operators. */
export type ExportedDataset = (typeof EXPORTED)[number];

export interface ExportOptions extends Pick<HttpOptions, 'url' | 'fetch'>, CallOptions {
  readonly dataset: ExportedDataset;
  /** `csv` by default; `jsonl` is one JSON object per line. */
  readonly format?: 'csv' | 'jsonl' | undefined;
  /** First second of the range, in Unix seconds. */
  readonly from?: number | undefined;
  /** End of the range in Unix seconds, exclusive. */
  readonly to?: number | undefined;
  /** The `cursor` of the last line that was read: resumes an interrupted export. */
  readonly after?: string | undefined;
  /** The wallet whose history is exported; only an operator may leave it out. */
  readonly address?: string | undefined;
  /** An operator's key: exports everything, or only rows about `address`. */
  readonly operatorKey?: ApiKey | undefined;
}

/** Yields the text in parts. It is complete only if the iteration ends without an error. */
export async function* exportText(options: ExportOptions): AsyncGenerator<string> {
  const { body, headers } = await open(options);
  const type = headers.get('content-type') ?? '';
  // An HTML page of a proxy must not be taken for rows.
  if (type.startsWith('text/html')) throw new PresageConnectionError(`no export from ${options.url}`, type);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new PresageConnectionError(`the export of ${options.url} broke off`, cause);
  } finally {
    // Closes the response if the reader stops early.
    await reader.cancel().catch(() => undefined);
  }
}

function open({ operatorKey, signal, url, fetch, ...asked }: ExportOptions): Promise<Response> {
  const http = new Http({ url, ...(fetch && { fetch }) });
  const path = operatorKey === undefined ? walletPath(asked) : `/admin/v1/export${queryOf(asked)}`;
  return http.open(path, { signal, authorization: operatorKey && authorizeOperator(http, operatorKey) });
}

type Asked = Omit<ExportOptions, 'operatorKey' | 'signal' | 'url' | 'fetch'>;

function walletPath({ address, ...asked }: Asked): string {
  if (address === undefined) throw new PresageInputError('address', 'a wallet, or operatorKey for all of them');
  return `/api/v1/users/${toAddress('address', address)}/export${queryOf(asked)}`;
}

function queryOf({ dataset, ...rest }: Asked): string {
  return toQueryText({ kind: dataset, ...rest });
}
