// The JSON-RPC 2.0 envelope: parses any request body and writes responses.
import { isObject } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import { RpcError, rpcCode } from './rpc-error.ts';

export type RequestId = string | number | null;

interface RpcRequest {
  /** Absent in a notification, which gets no answer. */
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: readonly unknown[];
}

export type ParsedEntry = RpcRequest | { readonly id: RequestId; readonly fault: RpcError };

export interface ParsedBody {
  readonly batch: boolean;
  readonly entries: readonly ParsedEntry[];
}

/** Limit of geth. */
const MAX_BATCH = 1_000;

export function parseBody(text: string): ParsedBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return faulty(new RpcError(rpcCode.parse, 'parse error: the body is not JSON'));
  }
  if (!Array.isArray(value)) return { batch: false, entries: [parseEntry(value)] };
  if (value.length === 0) return faulty(new RpcError(rpcCode.invalidRequest, 'empty batch'));
  if (value.length > MAX_BATCH) return faulty(new RpcError(rpcCode.invalidRequest, 'batch too large'));
  return { batch: true, entries: value.map(parseEntry) };
}

export function encodeResult(id: RequestId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null });
}

export function encodeError(id: RequestId, error: unknown): string {
  const fault = error instanceof RpcError ? error : new RpcError(rpcCode.internal, messageOf(error));
  return JSON.stringify({ jsonrpc: '2.0', id, error: fault.toWire() });
}

export function encodeNotification(subscription: string, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } });
}

function faulty(fault: RpcError): ParsedBody {
  return { batch: false, entries: [{ id: null, fault }] };
}

function parseEntry(value: unknown): ParsedEntry {
  if (!isObject(value) || Array.isArray(value)) return invalid(null, 'not an object');
  const { jsonrpc, id, method, params = [] } = value;
  if (id !== undefined && !isRequestId(id)) return invalid(null, 'id must be a string, a number or null');
  const answerTo = id ?? null;
  if (jsonrpc !== '2.0') return invalid(answerTo, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid(answerTo, 'method must be a string');
  if (params === null) return { id, method, params: [] };
  if (!Array.isArray(params)) {
    return { id: answerTo, fault: new RpcError(rpcCode.invalidParams, 'params must be an array') };
  }
  return { id, method, params };
}

function invalid(id: RequestId, why: string): ParsedEntry {
  return { id, fault: new RpcError(rpcCode.invalidRequest, `invalid request: ${why}`) };
}

function isRequestId(id: unknown): id is RequestId {
  return id === null || typeof id === 'string' || typeof id === 'number';
}
