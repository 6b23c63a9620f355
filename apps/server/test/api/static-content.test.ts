// What is the same for everybody, over the real listener: compressed once, tagged, and not sent again to who has it.

import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SILENT_LOG } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { docsRoutes, operatorDocsRoutes } from '../../src/api/routes/docs.ts';
import { pageRoutes } from '../../src/api/routes/page.ts';

const SCRIPT = 'console.log("a script that repeats itself");\n'.repeat(1_000);
const listener = new HttpListener();
let dir: string;
let url: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presage-page-'));
  await mkdir(join(dir, 'assets'));
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>Presage</title>'.padEnd(9_000));
  for (const name of ['built.js', 'packed.js', 'stale.js']) await writeFile(join(dir, 'assets', name), SCRIPT);
  await writeFile(join(dir, 'assets', 'packed.js.gz'), gzipSync(SCRIPT, { level: 1 }));
  await writeFile(join(dir, 'assets', 'stale.js.gz'), gzipSync('of an earlier build'));
  await utimes(join(dir, 'assets', 'stale.js.gz'), 1, 1);
  const log = SILENT_LOG;
  const options = { listener, log, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer(options, [docsRoutes('1', []), operatorDocsRoutes('1', []), pageRoutes({ dir })]);
  url = await listener.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await listener.close();
  await rm(dir, { recursive: true });
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it comes over the wire: `fetch` would unpack it. */
function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject).end();
  });
}

const LARGE = ['/docs/reference.js', '/asyncapi.json', '/openapi.json', '/admin/openapi.json', '/assets/built.js', '/'];

describe.each(LARGE)('%s', (path) => {
  it('is sent compressed, with length and tag, to clients that accept gzip', async () => {
    const [packed, plain] = [await get(path, { 'accept-encoding': 'br, gzip' }), await get(path)];
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringMatching(/accept-encoding/i),
    });
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length);
    expect(packed.headers.etag).toBe(plain.headers.etag);
  });

  it.each(['br', 'zstd, deflate', 'identity', 'gzip;q=0', ''])(
    'is sent uncompressed to clients that accept "%s"',
    async (codings) => {
      const { headers, body } = await get(path, { 'accept-encoding': codings });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers['content-length']).toBe(String(body.length));
    },
  );

  it('is kept apart by caches for each page that may read it', async () => {
    const { headers } = await get(path, { origin: 'https://trade.example', 'accept-encoding': 'gzip' });
    expect(headers['access-control-allow-origin']).toBe('https://trade.example');
    expect(headers.vary).toBe('Origin, Accept-Encoding');
  });

  it('is not sent again to clients that have it', async () => {
    const { headers } = await get(path);
    const again = await get(path, { 'if-none-match': String(headers.etag), 'accept-encoding': 'gzip' });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
    expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200);
  });
});

describe('the reference script', () => {
  it('is the one of its package', async () => {
    const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
    const { body, headers } = await get('/docs/reference.js');
    expect(body.equals(await readFile(join(dirname(main), 'js', 'standalone.js')))).toBe(true);
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8' });
  });
});

describe('a built file', () => {
  it('is sent as the build compressed it, unless that is older than the file', async () => {
    const unpacked = async (name: string) =>
      gunzipSync((await get(`/assets/${name}`, { 'accept-encoding': 'gzip' })).body).toString();
    expect((await get('/assets/packed.js', { 'accept-encoding': 'gzip' })).body).toEqual(
      gzipSync(SCRIPT, { level: 1 }),
    );
    expect(await unpacked('stale.js')).toBe(SCRIPT);
  });

  it('is read again when it is built anew, with another tag', async () => {
    const before = await get('/assets/built.js');
    await writeFile(join(dir, 'assets', 'built.js'), `${SCRIPT}// anew`);
    await utimes(join(dir, 'assets', 'built.js'), 2, 2);
    const after = await get('/assets/built.js', { 'if-none-match': String(before.headers.etag) });
    expect([after.status, after.body.toString()]).toEqual([200, `${SCRIPT}// anew`]);
  });
});
