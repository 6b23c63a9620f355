// The process of a lane without a service in it: it answers each request with its process id after a moment, and ends as a lane does.
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpListener } from '../../src/api/http-listener.ts';
import { endInOrder } from '../../src/end-in-order.ts';
import { serveAsLane } from '../../src/lanes/open.ts';

const ANSWER_MS = 500;

async function serve(): Promise<void> {
  const listener = new HttpListener();
  await listener.listen(0, '127.0.0.1');
  listener.open(async (_request, response) => {
    await sleep(ANSWER_MS);
    response.end(String(process.pid));
  });
  const lane = serveAsLane((socket) => listener.take(socket));
  endInOrder({ delayMs: 10_000, isLane: true }, async () => {
    await lane.close(0);
    await listener.close();
  });
  lane.start();
}

void serve();
