// A kept child: what is passed on of one that refuses, how one that crashes comes back, and when it is given up.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Child, type ChildMessage } from '../../src/supervisor/child.ts';
import { KeptProcess } from '../../src/supervisor/kept-process.ts';

const SCRIPT = fileURLToPath(new URL('./faulty-child.ts', import.meta.url));

interface Ready extends ChildMessage {
  readonly url: string;
}

function keep(chooseMood: (previous: Ready | undefined) => string, refuseRun: () => void = () => undefined) {
  const seen = {
    progress: [] as ChildMessage[],
    log: [] as string[],
    notices: [] as string[],
    running: new Set<number>(),
  };
  const kept = new KeptProcess<Ready>({
    name: 'child',
    start: (previous, reporter) => {
      // So that one that takes all memory has done so soon.
      const environment = { ...process.env, NODE_OPTIONS: '--max-old-space-size=48' };
      return new Child({ script: SCRIPT, args: [chooseMood(previous)], environment, ...reporter });
    },
    onProgress: (message) => seen.progress.push(message),
    onLog: (line) => seen.log.push(line),
    onRun: (pid, isRunning) => {
      if (isRunning) refuseRun();
      if (isRunning) seen.running.add(pid);
      else seen.running.delete(pid);
    },
    onNotice: (text) => seen.notices.push(text),
  });
  return { kept, seen };
}

describe('a kept child', () => {
  it('that refuses to start is not tried again, and its output and exit code are passed on', async () => {
    const { kept, seen } = keep(() => 'refuses');
    const fault = await kept.open().catch((error: unknown) => error);
    expect(fault).toMatchObject({ message: 'There is no port for me.\nUse another.', exitCode: 3 });
    expect(seen).toMatchObject({ notices: [], running: new Set() });
    expect(await kept.stop(1_000)).toBeUndefined();
  });

  it('is followed from its first message to its orderly end', async () => {
    const { kept, seen } = keep(() => 'obeys');
    expect(await kept.open()).toMatchObject({ url: 'http://127.0.0.1:1234' });
    expect(seen.progress).toEqual([{ type: 'progress', step: 'warming up' }]);
    expect(seen.running.size).toBe(1);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
    expect(seen).toMatchObject({ log: ['{"level":40,"msg":"a warning"}'], notices: [], running: new Set() });
  });

  it('that crashed is started again, and the new run gets the ready message of the old one', async () => {
    const { kept, seen } = keep((previous) => (previous ? 'obeys' : 'crashes'));
    await kept.open();
    await expect.poll(() => seen.notices.length, { timeout: 30_000 }).toBe(2);
    expect(seen.notices[0]).toContain('The child ended with exit code 7; it is started again. Its last output:');
    expect(seen.notices[0]).toContain('Error: all is lost');
    expect(seen.notices[1]).toMatch(/^The child is back after/);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
  });

  it('of which no note can be made, as on a full disk, is ended and started again until one can', async () => {
    let runs = 0;
    const refuseSome = () => {
      if (++runs === 2 || runs === 3) throw new Error('no space left on device');
    };
    const { kept, seen } = keep((previous) => (previous ? 'obeys' : 'crashes'), refuseSome);
    await kept.open();
    await expect.poll(() => seen.notices.at(-1), { timeout: 30_000 }).toMatch(/^The child is back after/);
    const unnoted = 'The child was ended by SIGKILL; it is started again. Its last output:\nno space left on device';
    expect(seen.notices.slice(1, 3)).toEqual([unnoted, unnoted]);
    expect(seen.running.size).toBe(1);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
  });

  it('of which no note can be made at its first start is not left running', async () => {
    const { kept } = keep(
      () => 'obeys',
      () => {
        throw new Error('no space left on device');
      },
    );
    await expect(kept.open()).rejects.toMatchObject({ message: 'no space left on device', exitCode: 1 });
    expect(await kept.stop(1_000)).toBeUndefined();
  });

  it('that had too little memory is started again, with the advice to allow more', async () => {
    const { kept, seen } = keep((previous) => (previous ? 'obeys' : 'grows'));
    await kept.open();
    await expect.poll(() => seen.notices.length, { timeout: 60_000 }).toBe(2);
    expect(seen.notices[0]).toContain(
      'was ended by SIGABRT; it is started again. It had too little memory: allow more',
    );
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
  });

  it('that crashes again and again is started each time, and stays once it no longer crashes', async () => {
    let starts = 0;
    const { kept, seen } = keep(() => (++starts < 7 ? 'crashes' : 'obeys'));
    await kept.open();
    const restarts = () => seen.notices.filter((text) => text.includes('started again'));
    await expect
      .poll(() => seen.notices.filter((text) => text.includes('is back')).length, { timeout: 90_000 })
      .toBe(6);
    expect(restarts()).toHaveLength(6);
    expect(restarts().at(-1)).toMatch(/ended with exit code 7; it is started again in \d+ s\.[\s\S]*all is lost/);
    expect(await kept.stop(10_000)).toEqual({ code: 0, signal: null });
  });
});
