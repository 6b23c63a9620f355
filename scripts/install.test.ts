// Checks that the install is silent and the scripts of package.json need no shell: every install script is allowed or
// denied, every engine range fits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './import-graph.ts';

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const manifest = read('package.json') as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const locked = Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages);

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

it.each(Object.entries(manifest.scripts))('npm run %s works in every shell', (_name, command) => {
  for (const part of command.split(' && ')) expect(part).toMatch(/^[a-z][\w-]*( [\w@:./-]+)*$/);
  expect(command).not.toMatch(/(^|&& )(exec|env|export|cross-env)\b/);
});

it('every package with an install script is allowed or refused by name', () => {
  const asking = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(asking.length).toBeGreaterThan(0);
  expect(asking.filter((name) => manifest.allowScripts[name] === undefined)).toEqual([]);
});

it('every installed package accepts the oldest Node that we do', () => {
  const strict = locked.filter(([, { engines }]) => engines?.node !== undefined && !accepts(engines.node, [20, 19, 0]));
  expect(strict.map(([path, { engines }]) => `${nameOf(path)}: ${engines?.node}`)).toEqual([]);
});

it('the lock file names no place to download from', () => {
  expect(locked.filter(([, { resolved }]) => /^\w+:\/\//.test(resolved ?? '')).map(([path]) => path)).toEqual([]);
});

it('the lock file says which machine each binary of the sandbox chain is for, so that only one is installed', () => {
  const binaries = locked.filter(([path]) => nameOf(path).startsWith('@nomicfoundation/edr-'));
  expect(binaries.length).toBeGreaterThan(3);
  for (const [path, { optional, os, cpu }] of binaries) {
    const [system, processor] = nameOf(path).slice('@nomicfoundation/edr-'.length).split('-');
    expect({ optional, os, cpu }, path).toEqual({ optional: true, os: [system], cpu: [processor] });
  }
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

type Version = readonly [number, number, number];

/** Supports the ranges that our packages use: alternatives of comparators, carets and bare versions. */
function accepts(range: string, version: Version): boolean {
  return range.split('||').some((set) => {
    const parts = set
      .trim()
      .replaceAll(/([<>=^~]+)\s+/g, '$1')
      .split(/\s+/);
    return parts.every((part) => fits(part, version));
  });
}

function fits(part: string, version: Version): boolean {
  const [, sign = '', text = ''] = /^([<>=^~]*)v?(.*)$/.exec(part) ?? [];
  if (text === '' || text === '*') return true;
  const [major = 0, minor = 0, patch = 0] = text.split('.').map((digits) => Number.parseInt(digits, 10) || 0);
  const order = version[0] - major || version[1] - minor || version[2] - patch;
  if (sign === '>=') return order >= 0;
  if (sign === '>') return order > 0;
  if (sign === '<') return order < 0;
  if (sign === '<=') return order <= 0;
  return version[0] === major && order >= 0;
}
