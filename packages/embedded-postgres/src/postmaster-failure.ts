// Why a server did not start, read from what it wrote into its log.
import { type FileHandle, open } from 'node:fs/promises';

export type FailureKind = 'port-taken' | 'still-in-use' | 'surroundings' | 'cluster';

/** First match counts. The server speaks English: it runs with LC_ALL=C. */
const SIGNS: readonly (readonly [RegExp, FailureKind])[] = [
  [/could not bind|could not create any TCP\/IP sockets/, 'port-taken'],
  [/pre-existing shared memory block|lock file ".*" already exists/, 'still-in-use'],
  // Building the view anew would not help, and would lose it for nothing.
  [
    /No space left|Cannot allocate memory|could not map anonymous|Permission denied|Too many open files/,
    'surroundings',
  ],
];

const TAIL_BYTES = 8_192;

export class PostmasterFailure extends Error {
  override readonly name = 'PostmasterFailure';
  readonly kind: FailureKind;

  constructor(tail: string) {
    super(`PostgreSQL did not start: ${summarize(tail)}`);
    this.kind = SIGNS.find(([sign]) => sign.test(tail))?.[1] ?? 'cluster';
  }

  static async fromLog(logFile: string, start: number): Promise<PostmasterFailure> {
    const log = await open(logFile, 'r');
    try {
      return new PostmasterFailure(await readTail(log, start));
    } finally {
      await log.close();
    }
  }
}

async function readTail(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  const from = Math.max(start, size - TAIL_BYTES);
  const { buffer, bytesRead } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
  return buffer.toString('utf8', 0, bytesRead);
}

/** The complaint itself, without the lines of normal work around it. */
function summarize(tail: string): string {
  const lines = tail.split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter((line) => /FATAL|PANIC|HINT|error while loading/.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(-4).join(' / ') || 'it wrote nothing into its log';
}
