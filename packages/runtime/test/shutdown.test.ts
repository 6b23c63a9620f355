// What was opened is closed last first, whatever fails, and also what opens while the rest is being closed.
import { describe, expect, it } from 'vitest';
import { Shutdown } from '../src/shutdown.ts';

describe('a shutdown', () => {
  it('closes last first, once, and reports what fails', async () => {
    const events: string[] = [];
    const shutdown = new Shutdown((name, error) => events.push(`${name} failed: ${error}`));
    shutdown.add('first', () => events.push('first'));
    shutdown.add('second', () => Promise.reject(new Error('stuck')));
    shutdown.add('third', () => events.push('third'));
    await Promise.all([shutdown.run(), shutdown.run()]);
    expect(events).toEqual(['third', 'second failed: Error: stuck', 'first']);
  });

  it('closes what is opened after it began, and waits for that', async () => {
    const events: string[] = [];
    const shutdown = new Shutdown((name) => events.push(`${name} failed`));
    const closing = shutdown.run();
    shutdown.add('late', async () => {
      await Promise.resolve();
      events.push('late');
    });
    shutdown.add('later', () => Promise.reject(new Error('stuck')));
    await closing;
    await shutdown.run();
    expect(events.toSorted()).toEqual(['late', 'later failed']);
  });
});
