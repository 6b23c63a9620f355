// What people see: plain lines in a file, one living line on a terminal, and only what matters of the service's log.
import { describe, expect, it } from 'vitest';
import { Narrator } from '../../src/supervisor/narrator.ts';

function listen(options: { isTTY?: boolean; isQuiet?: boolean } = {}) {
  const told = { out: '', err: '' };
  const out = { isTTY: options.isTTY ?? false, write: (text: string) => (told.out += text) };
  const err = { write: (text: string) => (told.err += text) };
  return { told, narrator: new Narrator({ out, err, isQuiet: options.isQuiet ?? false }) };
}

async function deploy(narrator: Narrator): Promise<string> {
  return narrator.step('contracts', async (progress) => {
    progress('deploy settlement');
    return ['0x5e', 'deployed'] as const;
  });
}

describe('the narrator', () => {
  it('writes one plain line for a step, with its time', async () => {
    const { told, narrator } = listen();
    expect(await deploy(narrator)).toBe('0x5e');
    expect(told.out).toMatch(/^ {2}contracts {2}deployed +\d+\.\d s\n$/);
  });

  it('shows progress in place on a terminal', async () => {
    const { told, narrator } = listen({ isTTY: true });
    await deploy(narrator);
    expect(told.out.split('\r\x1b[K').length).toBe(4);
    expect(told.out).toContain('deploy settlement');
  });

  it('says nothing when quiet but what went wrong', async () => {
    const { told, narrator } = listen({ isQuiet: true });
    await deploy(narrator);
    narrator.say('hello');
    narrator.log('{"level":50,"msg":"shown by the service itself"}');
    narrator.warn('Port 8080 is taken.');
    expect(told).toEqual({ out: '', err: 'Port 8080 is taken.\n' });
  });

  it('shows warnings of the log in short and leaves the rest to the file', () => {
    const { told, narrator } = listen();
    narrator.log('{"level":30,"time":1,"msg":"all is well"}');
    narrator.log('{"level":40,"time":1,"msg":"the chain is away","attempt":2}');
    expect(told.err).toBe('service: the chain is away {"attempt":2}\n');
  });
});
