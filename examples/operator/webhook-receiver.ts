// A webhook receiver: checks the signature and its age, ignores events it has already seen, and prints the others.
//
//   PRESAGE_WEBHOOK_SECRET=at-least-16-characters npx tsx examples/operator/webhook-receiver.ts
//   PRESAGE_WEBHOOK_URL=http://127.0.0.1:9091 PRESAGE_WEBHOOK_SECRET=at-least-16-characters npm start
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const LONGEST_AGE_SECONDS = 300;

/** Whether the header `X-Presage-Signature` is a recent signature of this body with our secret. */
export function isGenuine(header: unknown, body: string, secret: string, nowSeconds = Date.now() / 1_000): boolean {
  const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(header)) ?? [];
  if (time === undefined || mac === undefined || Math.abs(nowSeconds - Number(time)) > LONGEST_AGE_SECONDS)
    return false;
  const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest();
  return timingSafeEqual(expected, Buffer.from(mac, 'hex'));
}

interface WebhookEvent {
  readonly id: string;
  readonly topic: string;
  readonly seq: number;
  readonly data: object;
}

interface ReceiverOptions {
  readonly secret: string;
  readonly onEvent: (event: WebhookEvent) => unknown;
}

/** After a lost answer or a restart an event may come twice, with the same id. A real receiver must store the ids durably. */
function createReceiver({ secret, onEvent }: ReceiverOptions) {
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (!isGenuine(request.headers['x-presage-signature'], body, secret)) return response.writeHead(401).end();
    const event = JSON.parse(body) as WebhookEvent;
    if (!seen.has(event.id)) await onEvent(event);
    seen.add(event.id);
    return response.writeHead(204).end();
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const secret = process.env.PRESAGE_WEBHOOK_SECRET ?? '';
  const receiver = createReceiver({ secret, onEvent: (event) => console.log(JSON.stringify(event)) });
  receiver.listen(Number(process.env.RECEIVER_PORT ?? 9091), '127.0.0.1', () => console.log('the receiver listens'));
}
