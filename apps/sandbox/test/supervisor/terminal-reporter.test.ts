// What people see: plain lines in a file, one living line on a terminal, and only what matters of the service's log.
import { describe, expect, it } from 'vitest';
import { TerminalReporter } from '../../src/supervisor/terminal-reporter.ts';

function listen(options: { isTTY?: boolean; isQuiet?: boolean } = {}) {
  const written = { out: '', err: '' };
  const out = { isTTY: options.isTTY ?? false, write: (text: string) => (written.out += text) };
  const err = { write: (text: string) => (written.err += text) };
  return { written, terminal: new TerminalReporter({ out, err, isQuiet: options.isQuiet ?? false }) };
}

async function deploy(terminal: TerminalReporter): Promise<string> {
  return terminal.step('contracts', async (progress) => {
    progress('deploy settlement');
    return ['0x5e', 'deployed'] as const;
  });
}

describe('the terminal reporter', () => {
  it('writes one plain line for a step, with its time', async () => {
    const { written, terminal } = listen();
    expect(await deploy(terminal)).toBe('0x5e');
    expect(written.out).toMatch(/^ {2}contracts {2}deployed +\d+\.\d s\n$/);
  });

  it('shows progress in place on a terminal', async () => {
    const { written, terminal } = listen({ isTTY: true });
    await deploy(terminal);
    expect(written.out.split('\r\x1b[K').length).toBe(4);
    expect(written.out).toContain('deploy settlement');
  });

  it('says nothing when quiet but what went wrong', async () => {
    const { written, terminal } = listen({ isQuiet: true });
    await deploy(terminal);
    terminal.say('hello');
    terminal.log('{"level":50,"msg":"shown by the service itself"}');
    terminal.warn('Port 8080 is taken.');
    expect(written).toEqual({ out: '', err: 'Port 8080 is taken.\n' });
  });

  it('shows warnings of the log in short and leaves the rest to the file', () => {
    const { written, terminal } = listen();
    terminal.log('{"level":30,"time":1,"msg":"all is well"}');
    terminal.log('{"level":40,"time":1,"msg":"the chain is unreachable","attempt":2}');
    expect(written.err).toBe('service: the chain is unreachable {"attempt":2}\n');
  });
});
