// `@presage/sdk/export`: a time range of what a wallet, or for operators everybody, has done, as text that arrives in parts.
import type { ApiKey } from './api-key.ts';
import { PresageConnectionError, PresageInputError } from './errors.ts';
import { type CallOptions, Http, type HttpOptions, toQueryText } from './http.ts';
import { toAddress } from './inputs.ts';
import { authorizeOperator } from './operator-token.ts';

export const EXPORTED = ['trades', 'fills', 'fees', 'claims', 'positions', 'audit'] as const;
/** `audit` is for operators. */
export type ExportedDataset = (typeof EXPORTED)[number];

export interface ExportOptions extends Pick<HttpOptions, 'url' | 'fetch'>, CallOptions {
  readonly dataset: ExportedDataset;
  /** csv by default; jsonl is a JSON object on each line. */
  readonly format?: 'csv' | 'jsonl' | undefined;
  /** Unix seconds from which on rows count. */
  readonly from?: number | undefined;
  /** Unix seconds before which rows count. */
  readonly to?: number | undefined;
  /** The `cursor` of the last line that was read: continues an export that broke off. */
  readonly after?: string | undefined;
  /** The wallet whose past it is; only an operator may leave it out. */
  readonly address?: string | undefined;
  /** An operator's key: then everything is exported, or what concerns `address`. */
  readonly operatorKey?: ApiKey | undefined;
}

/** Parts of the text as they come. It is complete only when the iteration ends without an error. */
export async function* exportText(options: ExportOptions): AsyncGenerator<string> {
  const { body, headers } = await open(options);
  const type = headers.get('content-type') ?? '';
  // The page of a proxy must not pass for rows.
  if (type.startsWith('text/html')) throw new PresageConnectionError(`no export from ${options.url}`, type);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new PresageConnectionError(`the export of ${options.url} broke off`, cause);
  } finally {
    // A reader that leaves early ends the answer.
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
