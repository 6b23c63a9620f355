// A kept child: what is passed on of one that refuses, how one that crashes comes back, and when it is given up.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Child, type ChildMessage } from '../../src/supervisor/child.ts';
import { KeptProcess } from '../../src/supervisor/kept-process.ts';

const SCRIPT = fileURLToPath(new URL('./moody-child.ts', import.meta.url));

interface Ready extends ChildMessage {
  readonly url: string;
}

function keep(chooseMood: (former: Ready | undefined) => string) {
  const heard = {
    progress: [] as ChildMessage[],
    log: [] as string[],
    news: [] as string[],
    running: new Set<number>(),
  };
  const kept = new KeptProcess<Ready>({
    name: 'child',
    start: (former, reporter) => Child.start({ script: SCRIPT, args: [chooseMood(former)], ...reporter }),
    onProgress: (message) => heard.progress.push(message),
    onLog: (line) => heard.log.push(line),
    onRun: (pid, isRunning) => (isRunning ? heard.running.add(pid) : heard.running.delete(pid)),
    onNews: (text) => heard.news.push(text),
  });
  return { kept, heard };
}

describe('a kept child', () => {
  it('that refuses to start is not tried again, and its words and exit code are passed on', async () => {
    const { kept, heard } = keep(() => 'refuses');
    const fault = await kept.open().catch((error: unknown) => error);
    expect(fault).toMatchObject({ message: 'There is no port for me.\nUse another.', exitCode: 3 });
    expect(heard).toMatchObject({ news: [], running: new Set() });
    expect(await kept.stop(1_000)).toBeUndefined();
  });

  it('is heard from its first word to its orderly end', async () => {
    const { kept, heard } = keep(() => 'obeys');
    expect(await kept.open()).toMatchObject({ url: 'http://127.0.0.1:1234' });
    expect(heard.progress).toEqual([{ type: 'progress', step: 'warming up' }]);
    expect(heard.running.size).toBe(1);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
    expect(heard).toMatchObject({ log: ['{"level":40,"msg":"a warning"}'], news: [], running: new Set() });
  });

  it('that crashed is started again, and the new run is told of the old one', async () => {
    const { kept, heard } = keep((former) => (former ? 'obeys' : 'crashes'));
    await kept.open();
    await expect.poll(() => heard.news.length, { timeout: 30_000 }).toBe(2);
    expect(heard.news[0]).toContain('The child ended with exit code 7; it is started again. Its last words:');
    expect(heard.news[0]).toContain('Error: all is lost');
    expect(heard.news[1]).toMatch(/^The child is back after/);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
  });

  it('that crashes time and again is given up with its last words', async () => {
    const { kept, heard } = keep(() => 'crashes');
    await kept.open();
    const fault = await kept.failure.catch((error: Error) => error);
    expect(fault).toMatchObject({ exitCode: 1 });
    expect(fault.message).toMatch(/ended with exit code 7 again, too often[\s\S]*a warning[\s\S]*all is lost/);
    expect(heard.news.filter((text) => text.includes('started again'))).toHaveLength(5);
  });
});
