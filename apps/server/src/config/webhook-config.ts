// Configuration of webhooks: the receiver, and the secret that signs events.
import type { SettingsReader } from './settings-reader.ts';

const TOPICS = ['trade_settled', 'market_resolved', 'alarm'] as const;
const SHORTEST_SECRET = 16;

/** Reads webhook settings; undefined if no receiver is set. */
export function readWebhookConfig(read: SettingsReader) {
  const url = read.optional('PRESAGE_WEBHOOK_URL');
  const secret = read.text('PRESAGE_WEBHOOK_SECRET', '');
  const giveUpHours = read.integer('PRESAGE_WEBHOOK_HOURS', [1, 720], 24);
  const named = read.list('PRESAGE_WEBHOOK_TOPICS');
  const unknown = named.filter((topic) => !TOPICS.some((known) => known === topic));
  if (unknown.length > 0) {
    read.faults.push(`PRESAGE_WEBHOOK_TOPICS: ${unknown.join(', ')}: use some of ${TOPICS.join(', ')}`);
  }
  if (url === undefined) return undefined;
  read.checkHttpUrl('PRESAGE_WEBHOOK_URL', url);
  if (secret.length < SHORTEST_SECRET) {
    read.faults.push(
      `PRESAGE_WEBHOOK_SECRET: set at least ${SHORTEST_SECRET} characters, and give them to the receiver`,
    );
  }
  const topics = named.length === 0 ? TOPICS : TOPICS.filter((topic) => named.includes(topic));
  return { url, secret, topics, giveUpHours };
}
