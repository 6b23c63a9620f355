// The files of deploy/ say what the service is: the unit and the image run the programs that exist, with settings that are read.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
const isThere = (path: string) => existsSync(fileURLToPath(new URL(path, ROOT)));

/** Sections of `key=value` lines, as systemd reads them. */
function parseUnit(text: string): Record<string, [string, string][]> {
  const sections: Record<string, [string, string][]> = {};
  let current: [string, string][] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) sections[section] = current = [];
    else if (key !== undefined && value !== undefined) current.push([key, value]);
    else throw new Error(`not a line of a unit: ${line}`);
  }
  return sections;
}

/** Instructions with their continued lines joined. */
function parseContainerfile(text: string): [string, string][] {
  const joined = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      if (instruction === undefined || rest === undefined) throw new Error(`not an instruction: ${line}`);
      return [instruction, rest];
    });
}

async function readSettings(): Promise<Set<string>> {
  const texts = await Promise.all(
    ['config.ts', 'config/operator-config.ts', 'config/chain-config.ts'].map((name) => read(`apps/server/src/${name}`)),
  );
  return new Set(texts.join('\n').match(/PRESAGE_[A-Z_]+/g));
}

describe('the systemd unit', () => {
  it('starts the live service as a user of its own, and again when it ends', async () => {
    const { Unit, Service, Install } = parseUnit(await read('deploy/presage.service'));
    const service = Object.fromEntries(Service ?? []);
    expect(Unit?.length).toBeGreaterThan(0);
    expect(Install).toEqual([['WantedBy', 'multi-user.target']]);
    expect(service).toMatchObject({ User: 'presage', Restart: 'always', KillSignal: 'SIGTERM', UMask: '0077' });
    const [, ...programs] = (service.ExecStart ?? '').split(' ');
    expect(programs.filter((path) => !isThere(path))).toEqual([]);
    const settings = await readSettings();
    const set = (Service ?? []).filter(([key]) => key === 'Environment').map(([, value]) => value.split('=')[0] ?? '');
    expect(set.filter((name) => !settings.has(name))).toEqual([]);
  });
});

describe('the Containerfile', () => {
  it('copies what exists, runs as no root, and keeps the data in a volume', async () => {
    const instructions = parseContainerfile(await read('deploy/Containerfile'));
    const all = (name: string) => instructions.filter(([each]) => each === name).map(([, rest]) => rest);
    const copied = all('COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(copied.filter((path) => !isThere(path))).toEqual([]);
    const { workspaces } = JSON.parse(await read('package.json')) as { workspaces: string[] };
    expect(workspaces.map((path) => path.split('/')[0]).filter((dir) => !copied.includes(dir ?? ''))).toEqual([]);
    expect(all('USER')).toEqual(['node']);
    expect(all('VOLUME')).toEqual(['/var/lib/presage']);
    const command = JSON.parse(all('CMD').at(-1) ?? '[]') as string[];
    expect(command.slice(1).filter((path) => !isThere(path))).toEqual([]);
    const settings = await readSettings();
    const set =
      all('ENV')
        .join(' ')
        .match(/PRESAGE_[A-Z_]+/g) ?? [];
    expect(set.filter((name) => !settings.has(name))).toEqual([]);
  });
});
