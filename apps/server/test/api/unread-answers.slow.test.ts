// Clients that ask for much and read nothing, against a service in a process of its own: each kind is cut off by the same account, and the memory comes back.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@presage/protocol';
import { ALLOCATOR_SETTINGS } from '@presage/runtime/node';
import { isLongRun, RUNNER, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { UnreadReport } from './unread-process.ts';

const MEBIBYTE = 1024 * 1024;
/** Readers that take nothing are cut off after so long; the published time in a long run. */
const STALL_MS = isLongRun ? LIMITS.answerStallSeconds * 1_000 : 5_000;

/** Any of the floods would leave more, if it were kept. */
const LITTLE_BYTES = 16 * MEBIBYTE;
/** What answers of connections that are given up within one turn may take; without a limit journal pages took 3.5 GB. */
const MOST_MEBIBYTES = 768;

/**
 * What a process has of the system is within a tenth of what it was after minutes of rest at times, which only a long run
 * waits for; a short one looks at what the process still needs.
 */
function isBack(report: UnreadReport): boolean {
  if (isLongRun) return report.residentBytes <= usual.residentBytes * 1.1;
  return report.heldBytes <= usual.heldBytes + LITTLE_BYTES;
}

let child: ChildProcess;
let first: UnreadReport;
/** When the process is warm: after a flood and a long rest it may have less. */
let usual: UnreadReport;

async function nextReport(): Promise<UnreadReport> {
  const [report] = (await once(child, 'message')) as [UnreadReport];
  return report;
}

function look(): Promise<UnreadReport> {
  const report = nextReport();
  child.send(isLongRun ? 'report' : 'collect');
  return report;
}

beforeAll(async () => {
  const program = fileURLToPath(new URL('./unread-process.ts', import.meta.url));
  child = fork(RUNNER, [program, String(STALL_MS)], { env: { ...process.env, ...ALLOCATOR_SETTINGS } });
  first = await nextReport();
  // Code and heap are warm afterwards: what grows then is held for somebody.
  for (let asked = 0; asked < 50; asked++) await (await fetch(`${first.url}/long`)).arrayBuffer();
  const page = `${first.url}/api/v1/journal/m0?limit=10000`;
  for (let asked = 0; asked < 20; asked++) await (await fetch(page)).arrayBuffer();
  usual = await look();
});
afterAll(() => void child.kill());

const ask = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`;

/** Sends, and never takes anything out of its socket. */
function sendSilently(request: string | Buffer): Socket {
  const socket = connect({ port: Number(new URL(first.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined).pause();
  socket.write(request);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const UPGRADE = ask(
  '/api/v1/stream',
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
);
/** 125 bytes of payload, masked with zeros. */
const PING = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125, 'x')]);

/** The system's sockets take some megabytes of the answers: only what comes after them is the service's to hold. */
const IN_ONE_GO = 8;

interface Flood {
  readonly title: string;
  readonly clients: number;
  readonly request: string | Buffer;
  readonly mostMebibytes?: number;
}

/** Most of the time goes into making the answers that nobody reads. */
const SHARE = isLongRun ? 1 : 0.1;

const FLOODS: readonly Flood[] = [
  { title: 'clients with unread answers of 1.3 MB', clients: 500, request: ask('/long').repeat(IN_ONE_GO) },
  {
    title: 'clients with unread answers of 1.3 MB, compressed',
    clients: 500,
    request: ask('/long', 'accept-encoding: br\r\n').repeat(IN_ONE_GO),
  },
  {
    title: 'times 2,000 short answers asked for in one go',
    clients: 200,
    request: ask('/short').repeat(2_000),
    // Requests are objects of some kilobytes themselves, and those of one chunk are read in one go.
    mostMebibytes: 2_048,
  },
  {
    title: 'readers of a journal page, compressed, who read nothing',
    clients: 400,
    request: ask('/api/v1/journal/m0?fromSeq=2&limit=10000&records=none', 'accept-encoding: br\r\n').repeat(IN_ONE_GO),
  },
  {
    title: 'readers of the journal’s stream who read nothing',
    clients: 250,
    request: ask('/api/v1/journal/m0/stream'),
  },
  {
    title: 'WebSockets with 2,000 pings each, whose pongs nobody reads',
    clients: 200,
    request: Buffer.concat([Buffer.from(UPGRADE), ...Array.from({ length: 2_000 }, () => PING)]),
  },
];

describe('clients who read nothing', () => {
  it.each(FLOODS)('are cut off by the account of unsent bytes: $title', async (flood) => {
    const { title, clients: all, request, mostMebibytes = MOST_MEBIBYTES } = flood;
    const clients = all * SHARE;
    const before = await look();
    for (let client = 0; client < clients; client++) sendSilently(request);
    let most = before;
    let mostUnsent = 0;
    const gone = await waitFor('all of them are cut off, and their memory is back', async () => {
      const report = await look();
      if (report.residentBytes > most.residentBytes) most = report;
      mostUnsent = Math.max(mostUnsent, report.unsentBytes);
      const haveCome = report.accepted >= before.accepted + clients;
      return haveCome && report.unsentBytes === 0 && isBack(report) && report;
    });
    expect(mostUnsent).toBeLessThanOrEqual(LIMITS.unsentAddressBytes);
    expect(most.residentBytes).toBeLessThan(mostMebibytes * MEBIBYTE);
    const mebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(0);
    process.stderr.write(
      `${clients} ${title}: ${mebibytes(before.residentBytes)} MiB resident before, ${mebibytes(most.residentBytes)} at most, ` +
        `${mebibytes(gone.residentBytes)} afterwards (${mebibytes(gone.heldBytes)} held, ${mebibytes(usual.heldBytes)} usually); ${mebibytes(mostUnsent)} MiB unsent at most\n`,
    );
    expect((await fetch(`${first.url}/short`)).status).toBe(200);
  });
});
