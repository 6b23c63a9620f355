// docs/without-sdk.md: its three programs, run as printed against one sandbox, trade with each other and settle.
import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseJson } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SdkSandbox } from './sdk-sandbox.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TSX = createRequire(import.meta.url).resolve('tsx/cli');
const execute = promisify(execFile);

let sandbox: SdkSandbox;
let dir: string;
let marketId: string;
const programs = new Map<string, string>();

beforeAll(async () => {
  [sandbox, dir] = await Promise.all([SdkSandbox.open(), mkdtemp(join(tmpdir(), 'presage-without-'))]);
  marketId = (await sandbox.newMarket('Is the SDK needed?')).id;
  const page = await readFile(join(ROOT, 'docs', 'without-sdk.md'), 'utf8');
  for (const [, name = '', code = ''] of page.matchAll(/^```\w+ (order\.\w+)\n([\s\S]*?)^```/gm)) {
    programs.set(name, code);
    await writeFile(join(dir, name), code);
  }
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  // Only viem: whatever of ours a program needed would not be found.
  await mkdir(join(dir, 'node_modules'));
  await symlink(join(ROOT, 'node_modules', 'viem'), join(dir, 'node_modules', 'viem'));
  await cp(join(ROOT, 'examples', 'python', 'ethereum.py'), join(dir, 'ethereum.py'));
  await writeFile(
    join(dir, 'presage'),
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}apps/cli/bin/presage.mjs" "$@"\n`,
  );
  await chmod(join(dir, 'presage'), 0o755);
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await sandbox?.close();
});

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

async function run(program: string, ...args: string[]) {
  const env = {
    ...process.env,
    PATH: `${dir}${delimiter}${process.env.PATH}`,
    ...{ PRESAGE_URL: sandbox.url, PRESAGE_MARKET: marketId, PRESAGE_KEY: generatePrivateKey() },
    PRESAGE_CONFIG_DIR: dir,
  };
  const { stdout } = await execute(program, args, { cwd: dir, env });
  return parseJson(stdout) as { orderHash: string; orderStatus: string; filledSize: number };
}

describe('docs/without-sdk.md', () => {
  it('has three programs, none of which imports anything of ours', () => {
    expect([...programs.keys()]).toEqual(['order.ts', 'order.py', 'order.sh']);
    for (const code of programs.values()) expect(code).not.toContain('@presage');
  });

  it('sells in TypeScript with viem', async () => {
    expect(await run(process.execPath, TSX, 'order.ts')).toMatchObject({ orderStatus: 'open', filledSize: 0 });
  });

  it.skipIf(!has('python3'))('buys in Python with its standard library (skipped without python3)', async () => {
    expect(await run('python3', 'order.py')).toMatchObject({ orderStatus: 'filled', filledSize: 4_000_000 });
  });

  it.skipIf(!has('curl', 'jq'))('buys with curl and a tool that signs (skipped without curl and jq)', async () => {
    expect(await run('sh', 'order.sh')).toMatchObject({ orderStatus: 'filled', filledSize: 6_000_000 });
  });

  it('and what was traded settles on chain', async () => {
    const stages = async () => (await sandbox.reader.listTrades(marketId)).trades.map(({ stage }) => stage);
    await waitFor('every trade is confirmed', async () => (await stages()).every((stage) => stage === 'confirmed'));
    expect(await stages()).toHaveLength([has('python3'), has('curl', 'jq')].filter(Boolean).length);
  });
});
