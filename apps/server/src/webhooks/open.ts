// Opens webhooks if the operator has set a receiver; on the settler only, so that one node sends each event.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { createWebhookSender } from './webhook-sender.ts';
import { WebhookStore } from './webhook-store.ts';
import { Webhooks, type WebhooksOptions } from './webhooks.ts';

interface OpenWebhooksOptions extends Pick<WebhooksOptions, 'logs' | 'alarms' | 'isKnown'> {
  readonly config: Pick<Config, 'webhooks' | 'roles' | 'dataDir'>;
  readonly log: Log;
}

export async function openWebhooks({ config, log, ...sources }: OpenWebhooksOptions): Promise<Webhooks | undefined> {
  if (config.webhooks === undefined || !config.roles.includes('settler')) return undefined;
  const { url, secret, topics, giveUpHours } = config.webhooks;
  const onFailure = (error: unknown) => log.warn({ error: String(error) }, 'webhook state not written');
  const store = await WebhookStore.open(join(config.dataDir, 'webhooks.json'), onFailure);
  const send = createWebhookSender({ url, secret });
  return new Webhooks({ ...sources, send, store, topics, giveUpMs: giveUpHours * 3_600_000, log });
}
