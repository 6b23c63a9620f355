// The whole exchange as `npm start` runs it, started and removed for the modules that load it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MarketId, type SigningDomain, toLowerHex } from '@presage/protocol';
import { openSandbox, readJson, type SandboxOptions, type SandboxProcess, waitFor } from '@presage/testkit';

export interface Exchange {
  readonly sandbox: SandboxProcess;
  readonly domain: SigningDomain;
  readonly marketId: MarketId;
  readonly url: (path: string) => string;
}

/** One in every category; loading while the first markets are created would measure both. */
const FIRST_MARKETS = 4;

export async function withExchange<T>(
  use: (exchange: Exchange) => Promise<T>,
  options: SandboxOptions = {},
): Promise<T> {
  const sandbox = await openSandbox(options);
  try {
    await waitFor('the first markets are listed', async () => {
      const { count } = await readJson<{ count: number }>(`${sandbox.url}/api/v1/markets`);
      return count >= FIRST_MARKETS;
    });
    return await use(await lookAt(sandbox));
  } finally {
    await sandbox.discard();
  }
}

async function lookAt(sandbox: SandboxProcess): Promise<Exchange> {
  const url = (path: string) => `${sandbox.url}${path}`;
  const config = await readJson<{ chains: [{ chainId: number; settlement: SettlementJson }] }>(url('/api/v1/config'));
  const { markets } = await readJson<{ markets: { id: MarketId; expiration: number }[] }>(
    url('/api/v1/markets?status=open'),
  );
  const [{ chainId, settlement }] = config.chains;
  const { name, version, address } = settlement;
  const verifyingContract = toLowerHex(address);
  // The market that closes last.
  const [market] = markets.toSorted((a, b) => b.expiration - a.expiration);
  return { sandbox, domain: { name, version, chainId, verifyingContract }, marketId: market!.id, url };
}

interface SettlementJson {
  readonly name: string;
  readonly version: string;
  readonly address: string;
}

/** Reads a gauge or counter from /metrics. */
export async function readMetric({ url }: Pick<Exchange, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(url('/metrics'))).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(line.slice(name.length + 1));
}

/** The written part of a partition's segments: files are preallocated with zeros, so their size says nothing. */
export async function readSegments(dataDir: string, partition: string): Promise<Buffer> {
  const dir = join(dataDir, 'service', 'journal', partition);
  const names = (await readdir(dir)).filter((name) => name.endsWith('.frames')).sort();
  const segments = await Promise.all(names.map((name) => readFile(join(dir, name))));
  return Buffer.concat(segments.map(withoutZeros));
}

function withoutZeros(segment: Buffer): Buffer {
  let end = segment.length;
  while (end > 0 && segment[end - 1] === 0) end--;
  return segment.subarray(0, end);
}
