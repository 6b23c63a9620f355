// What the documents tell a reader to type, typed in their order in a fresh copy of the repository: one sandbox, started as the README says.
import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { parseJson } from '@presage/protocol';
import { findFreePort } from '@presage/runtime/node';
import { createPublicClient, createSandboxClient } from '@presage/sdk';
import { waitFor } from '@presage/testkit';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, fillIn, readDocument } from './document.ts';
import { type FreshClone, openFreshClone } from './fresh-clone.ts';
import { Reader } from './reader.ts';

const execute = promisify(execFile);

let clone: FreshClone;
let reader: Reader;
let url: string;
let values: Record<string, string>;

beforeAll(async () => {
  clone = await openFreshClone();
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  // The reader of another port than the documents' sets it, and so does the command line.
  const own = {
    PATH: [join(clone.dir, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    PRESAGE_PORT: String(port),
    PRESAGE_URL: url,
    PRESAGE_CONFIG_DIR: join(clone.dir, 'config-of-the-reader'),
    // No document trades in them, and they take half of what an idle exchange takes.
    PRESAGE_QUICK_ASSETS: 'off',
  };
  reader = new Reader(clone.dir, own);
  values = { done: 'true', 'the service': url, 'a folder': join(clone.dir, 'backup-of-the-reader') };
});
afterAll(async () => {
  await reader?.stop();
  await clone?.remove();
});

/** Runs the blocks of a document, or of one section of it; what it says is printed must be. Resolves with what the last one printed. */
async function follow(path: string, section?: string): Promise<string> {
  const document = await readDocument(path);
  const blocks = document.blocks.filter((block) => section === undefined || block.section === section);
  expect(blocks).not.toEqual([]);
  let printed = '';
  for (const block of blocks) {
    const text = fillIn(block.text, document, values);
    if (block.mark === 'prints') expectPrinted(printed, text);
    if (block.mark === 'prints' || block.mark === 'not-run' || block.name !== undefined) continue;
    if (block.mark === 'meanwhile') await reader.start(text, url);
    else if (block.language === 'sh') printed = await reader.type(text);
    else if (block.language === 'ts') printed = await runSample(text);
  }
  return printed;
}

/** The first word of each line, and of how many figures there are. */
function expectPrinted(printed: string, expected: string): void {
  const labels = expected
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}|\d/)[0]?.trim() ?? '');
  for (const label of labels)
    expect(
      printed.split('\n').some((line) => line.startsWith(label)),
      `${label}\n${printed}`,
    ).toBe(true);
}

/** A sample takes its wallet and addresses from what is around it. */
async function runSample(code: string): Promise<string> {
  const given = [
    `import { privateKeyToAccount } from 'viem/accounts';`,
    `const account = privateKeyToAccount('${generatePrivateKey()}');`,
    `const [url, rpcUrl, receipts] = [${JSON.stringify(url)}, ${JSON.stringify(values['a node'])}, []];`,
  ];
  await writeFile(
    join(clone.dir, 'sample.ts'),
    `${given.join('\n')}\n${code}\nvoid [account, url, rpcUrl, receipts];\n`,
  );
  return reader.type('node scripts/run.mjs sample.ts');
}

describe('README.md', () => {
  it('starts the exchange, and its sample trades', async () => {
    await follow('README.md');
    const { chains } = await createPublicClient({ url }).getConfig();
    values['a node'] = chains[0]?.rpcUrl ?? '';
    expect(values['a node']).toMatch(/^http/);
  });

  it('has a tour and a check in its table, which do what they say', async () => {
    expect(await reader.type('npx presage demo')).toContain('redeem');
    await shortenNpx();
    expect(await reader.type('npx presage verify')).toContain('SOUND');
  });
});

/** From here on: the real one takes longer to start than what it starts. */
async function shortenNpx(): Promise<void> {
  const dir = join(clone.dir, 'bin-of-the-reader');
  await mkdir(dir);
  await writeFile(join(dir, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  await reader.type(`export PATH='${dir}':"$PATH"`);
}

function has(...tools: string[]): boolean {
  return tools.every((tool) => {
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** Older ones do not sign with Ed25519 from the command line. */
function isOpenssl3(): boolean {
  return /^OpenSSL [3-9]/.test(versionOf('openssl'));
}

function versionOf(tool: string): string {
  try {
    return execFileSync(tool, ['version'], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

describe('docs/without-sdk.md', () => {
  const RUNNERS = {
    ...{ 'order.ts': ['tsx'], 'order.py': ['python3'], 'order.sh': ['sh'] },
    ...{ 'token.ts': ['tsx'], 'token.py': ['python3'], 'token.sh': ['sh'] },
  };
  let dir: string;
  let marketId: string;
  let programs: readonly Block[];

  beforeAll(async () => {
    dir = join(clone.dir, 'folder-of-the-reader');
    // Only viem: whatever of ours a program needed would not be found.
    await mkdir(join(dir, 'node_modules'), { recursive: true });
    await symlink(join(clone.dir, 'node_modules', 'viem'), join(dir, 'node_modules', 'viem'));
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    await cp(join(clone.dir, 'examples', 'python', 'ethereum.py'), join(dir, 'ethereum.py'));
    await writeFile(
      join(dir, 'presage'),
      `#!/bin/sh\nexec "${process.execPath}" "${clone.dir}/apps/cli/bin/presage.mjs" "$@"\n`,
    );
    await chmod(join(dir, 'presage'), 0o755);
    programs = (await readDocument('docs/without-sdk.md')).blocks.filter(({ name }) => name !== undefined);
    for (const { name, text } of programs) await writeFile(join(dir, name!), text);
  });

  const run = async (name: keyof typeof RUNNERS) => {
    const [program = ''] = RUNNERS[name];
    const path = [dir, join(clone.dir, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
    const own = {
      PRESAGE_URL: url,
      PRESAGE_MARKET: marketId,
      PRESAGE_KEY: generatePrivateKey(),
      PRESAGE_CONFIG_DIR: dir,
    };
    const { stdout } = await execute(program, [name], { cwd: dir, env: { ...process.env, PATH: path, ...own } });
    return parseJson(stdout);
  };

  it.skipIf(!has('curl', 'jq'))('finds a market with curl and jq (skipped without them)', async () => {
    await follow('docs/without-sdk.md');
    marketId = (await reader.type('echo $PRESAGE_MARKET')).trim();
    expect(marketId).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('has programs that import nothing of ours, of which three trade with each other', async () => {
    expect(programs.map(({ name }) => name)).toEqual(Object.keys(RUNNERS));
    for (const { text } of programs) expect(text).not.toContain('@presage');
    // A market where nobody else trades.
    marketId = (await createSandboxClient({ url }).createMarket({ question: 'Is the SDK needed?', expiresIn: 86_400 }))
      .id;
    expect(await run('order.ts')).toMatchObject({ orderStatus: 'open', filledSize: 0 });
    if (has('python3')) expect(await run('order.py')).toMatchObject({ orderStatus: 'filled', filledSize: 4_000_000 });
    if (has('curl', 'jq'))
      expect(await run('order.sh')).toMatchObject({ orderStatus: 'filled', filledSize: 6_000_000 });
    const client = createPublicClient({ url });
    const stages = async () => (await client.listTrades(marketId)).trades.map(({ stage }) => stage);
    await waitFor('every trade is confirmed', async () => (await stages()).every((stage) => stage === 'confirmed'));
    expect(await stages()).toHaveLength([has('python3'), has('curl', 'jq')].filter(Boolean).length);
  });

  it('has three programs that register a key and make tokens which the service takes', async () => {
    expect(await run('token.ts')).toMatchObject({ apiKeys: [{ name: 'my bot', active: true }], count: 1 });
    if (has('python3') && isOpenssl3())
      expect(await run('token.py')).toMatchObject({ apiKeys: [{ name: 'my bot' }], count: 1 });
    if (has('curl', 'jq', 'basenc') && isOpenssl3())
      expect(await run('token.sh')).toMatchObject({ apiKeys: [{ name: 'my script' }], count: 1 });
  });
});

describe('what is typed afterwards', () => {
  it('docs/operations.md: an operator stops everything and takes it back, and all of it stands in the log', async () => {
    const log = await follow('docs/operations.md');
    for (const words of ['a trial', 'it was only a trial']) expect(log).toContain(words);
  });

  it('docs/proof.md: the exchange is verified, by the command and in code', async () => {
    await follow('docs/proof.md');
  });

  it('docs/export.md: files are exported, the archive agrees with the journal, and rewards are computed', async () => {
    values['a market'] = (await createPublicClient({ url }).listMarkets({})).markets[0]?.id ?? '';
    await follow('docs/export.md');
  });

  it('docs/backup.md: a copy of the running service starts, with everything that was in it', async () => {
    const count = async () => (await createPublicClient({ url }).listMarkets({})).count;
    const before = await count();
    await follow('docs/backup.md');
    expect(await count()).toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it('docs/scale-out.md: the journal of the stopped service moves into a database and back', async () => {
    await reader.stop();
    const database = await EmbeddedPostgres.open({ dataDir: join(clone.dir, 'database-of-the-reader') });
    values['a database'] = database.url;
    try {
      // The other sections take several machines; the tests of the cluster do the same.
      await follow('docs/scale-out.md', 'Moving');
      const heads = await reader.type(
        'presage journal verify --data-dir ./data && presage journal verify --data-dir ./data-again',
      );
      expect(heads).not.toContain('damaged');
    } finally {
      await database.close();
    }
  });
});
