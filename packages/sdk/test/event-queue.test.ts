// The queue between a connection and its reader: order kept, books conflated, bounded, ended.
import { expect, it } from 'vitest';
import { EventQueue } from '../src/stream/event-queue.ts';

const tooSlow = () => 'gap';

async function drain(queue: EventQueue<string>): Promise<string[]> {
  queue.end();
  const events: string[] = [];
  for (let next = await queue.next(); !next.done; next = await queue.next()) events.push(next.value);
  return events;
}

it('keeps the order, and only the newest event of a key, at its last position', async () => {
  const queue = new EventQueue<string>(tooSlow);
  queue.push(() => 'book 1', 'book');
  queue.push(() => 'trade a');
  queue.push(() => 'book 2', 'book');
  queue.push(() => 'trade b');
  expect(await drain(queue)).toEqual(['trade a', 'book 2', 'trade b']);
});

it('skips events that have nothing left to show', async () => {
  const queue = new EventQueue<string>(tooSlow);
  queue.push(() => undefined);
  queue.push(() => 'seen');
  expect(await drain(queue)).toEqual(['seen']);
});

it('replaces everything unread with one event when the reader is too slow', async () => {
  const queue = new EventQueue<string>(tooSlow);
  queue.push(() => 'book', 'book');
  for (let n = 0; n < 10_005; n++) queue.push(() => `trade ${n}`);
  const events = await drain(queue);
  expect(events.slice(0, 3)).toEqual(['gap', 'book', 'trade 9999']);
  expect(events).toHaveLength(8);
});

it('wakes waiting readers, delivers unread events before an error, and nothing once closed', async () => {
  const queue = new EventQueue<string>(tooSlow);
  const waiting = [queue.next(), queue.next()];
  queue.push(() => 'one');
  queue.push(() => 'two');
  expect(await Promise.all(waiting)).toMatchObject([{ value: 'one' }, { value: 'two' }]);
  queue.push(() => 'three');
  queue.end({ error: new Error('refused') });
  expect((await queue.next()).value).toBe('three');
  await expect(queue.next()).rejects.toThrow('refused');
  expect((await queue.next()).done).toBe(true);

  const closed = new EventQueue<string>(tooSlow);
  closed.push(() => 'unread');
  closed.close();
  expect((await closed.next()).done).toBe(true);
});
