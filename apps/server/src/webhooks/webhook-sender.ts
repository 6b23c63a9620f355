// Posts an event to the operator's receiver, signed so that the receiver can verify its sender and time.
import { createHmac } from 'node:crypto';
import { stringifyJson } from '@presage/protocol';
import { limitTime, messageOf } from '@presage/runtime';
import type { WebhookEvent } from './webhook-events.ts';

/** Result of an attempt; `gone` means that the receiver wants no more events of this kind. */
type Delivery = { readonly status: 'delivered' } | { readonly status: 'failed' | 'gone'; readonly reason: string };

export type SendWebhook = (event: WebhookEvent, signal: AbortSignal) => Promise<Delivery>;

export interface WebhookSenderOptions {
  readonly url: string;
  readonly secret: string;
  /** Wall time. */
  readonly nowMs?: () => number;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const GONE = 410;

export function createWebhookSender(options: WebhookSenderOptions): SendWebhook {
  const { url, secret, nowMs = Date.now, timeoutMs = TIMEOUT_MS } = options;
  return async ({ id, topic, seq, data }, signal) => {
    const body = stringifyJson({ id, topic, seq, data });
    // Not AbortSignal.any: Node 20 garbage-collects a timeout that only it refers to, and the request would hang for minutes.
    const limit = limitTime(timeoutMs, signal);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-presage-signature': signWebhook(body, secret, Math.floor(nowMs() / 1_000)),
        },
        body,
        redirect: 'error',
        signal: limit.signal,
      });
      await response.body?.cancel();
      if (response.ok) return { status: 'delivered' };
      return { status: response.status === GONE ? 'gone' : 'failed', reason: `status ${response.status}` };
    } catch (error) {
      return { status: 'failed', reason: messageOf(error) };
    } finally {
      limit.release();
    }
  };
}

/** Signature header: `t=<unix seconds>,v1=<hex HMAC-SHA-256 of "t.body">`. */
export function signWebhook(body: string, secret: string, unixSeconds: number): string {
  const mac = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex');
  return `t=${unixSeconds},v1=${mac}`;
}
