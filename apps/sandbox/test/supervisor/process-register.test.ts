// One supervisor per data folder, whatever the last one left in it.
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeProcessProbe, readStartTicks } from '@presage/runtime/node';
import { describe, expect, it } from 'vitest';
import { ProcessRegister } from '../../src/supervisor/process-register.ts';
import { makeFolder } from './sandbox-run.ts';

describe('the register of processes', () => {
  it('leaves nothing behind of a start that came to nothing', async () => {
    const folder = await makeFolder();
    (await ProcessRegister.open(join(folder, 'data'))).close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves a folder that was there before', async () => {
    const folder = await makeFolder();
    (await ProcessRegister.open(folder)).close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('outlives the end of a child whose entry cannot be removed', async () => {
    const folder = await makeFolder();
    const register = await ProcessRegister.open(folder);
    register.add('service', process.ppid);
    await rm(join(folder, 'processes'), { recursive: true });
    expect(() => register.remove(process.ppid)).not.toThrow();
    register.close();
  });

  it('refuses while another supervisor lives and names it', async () => {
    const folder = await makeFolder();
    const { bootId } = await nodeProcessProbe.self();
    await mkdir(join(folder, 'processes'));
    await writeFile(join(folder, 'processes', `supervisor-${process.ppid}-0-${bootId}`), '');
    await expect(ProcessRegister.open(folder)).rejects.toThrow(`already runs on ${folder} as process ${process.ppid}`);
    expect(await readdir(join(folder, 'processes'))).toHaveLength(1);
  });

  it('skips processes that have ended: of this boot, of another, and with a pid that is reused now', async () => {
    const folder = await makeFolder();
    const { bootId } = await nodeProcessProbe.self();
    await mkdir(join(folder, 'processes'));
    for (const name of [
      `chain-4194304-5-${bootId}`,
      `supervisor-1-1-long-ago`,
      `service-${process.ppid}-1-${bootId}`,
    ]) {
      await writeFile(join(folder, 'processes', name), '');
    }
    const register = await ProcessRegister.open(folder);
    expect(await readdir(join(folder, 'processes'))).toHaveLength(1);
    register.close();
  });

  it('takes a folder that was copied from under a running one as its own, and leaves the original alone', async () => {
    const original = await makeFolder();
    const running = await ProcessRegister.open(original);
    running.add('service', process.ppid);
    const copy = join(await makeFolder(), 'copy');
    await cp(original, copy, { recursive: true });
    expect(await readdir(join(copy, 'processes'))).toHaveLength(2);
    const register = await ProcessRegister.open(copy);
    expect(await readdir(join(copy, 'processes'))).toHaveLength(1);
    expect(await readdir(join(original, 'processes'))).toHaveLength(2);
    register.close();
    running.close();
  });

  it('waits for the children of a supervisor that has exited', async () => {
    const folder = await makeFolder();
    const previous = await ProcessRegister.open(folder);
    const child = spawn('sleep', ['1'], { stdio: 'ignore' });
    const { bootId } = await nodeProcessProbe.self();
    const identity = { pid: child.pid!, startTicks: readStartTicks(child.pid!), bootId };
    previous.add('service', identity.pid);
    previous.remove(process.pid);
    expect(await nodeProcessProbe.isAlive(identity)).toBe(true);
    const register = await ProcessRegister.open(folder);
    // Asked of the system, not of the child's exit event: that may come a moment after the end that was waited for.
    expect(await nodeProcessProbe.isAlive(identity)).toBe(false);
    register.close();
  });

  it('says what to do when the folder cannot be used', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'data'), 'a file');
    await expect(ProcessRegister.open(join(folder, 'data'))).rejects.toThrow(/cannot be used .*PRESAGE_DATA_DIR/);
  });
});
