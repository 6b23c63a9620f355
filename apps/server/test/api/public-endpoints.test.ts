// What a live service shows to everybody: no metrics, nothing of operators, nothing of the accounts that pay.
import { expect, it } from 'vitest';
import { listEndpoints, listOperatorEndpoints } from '../../src/api/open.ts';
import { serviceEndpoints } from '../../src/api/routes/service.ts';
import type { ApiServices } from '../../src/api/services.ts';
import { OPERATIONS } from '../../src/relayer/open.ts';

/** Nothing is asked of the ports before a request comes. */
const NOTHING: never = new Proxy(() => undefined, { get: () => NOTHING, apply: () => NOTHING }) as never;

function pathsOf(isPublic: boolean): string[] {
  const publicJournal = {} as Parameters<typeof listEndpoints>[0]['publicJournal'];
  const answerers = { priceStream: NOTHING, quickAnswers: NOTHING, stream: NOTHING, anchors: NOTHING, publicJournal };
  const operations = OPERATIONS;
  const endpoints = listEndpoints({
    ...answerers,
    services: NOTHING,
    prices: NOTHING,
    operations,
    symbols: [],
    isPublic,
  });
  return endpoints.map(({ path }) => path);
}

it('the main port of a live service has neither metrics nor operators', () => {
  expect(pathsOf(false)).toContain('/metrics');
  expect(pathsOf(true)).not.toContain('/metrics');
  expect(pathsOf(true)).toContain('/ready');
  expect(pathsOf(true).filter((path) => path.startsWith('/admin'))).toEqual([]);
});

it('every endpoint of operators requires one of their keys, and every change a right', () => {
  const endpoints = listOperatorEndpoints(
    { service: NOTHING, approvals: NOTHING, audit: NOTHING, webhooks: NOTHING },
    NOTHING,
  );
  expect(endpoints.length).toBeGreaterThan(15);
  for (const { path, method, access, right } of endpoints) {
    expect(access, path).toBe('operator');
    if (method !== 'get') expect(right, path).toBeDefined();
  }
});

it('the public status differs from the one that operators see', async () => {
  const answers = { publicStatus: async () => 'public', status: async () => 'whole' };
  const service = answers as unknown as ApiServices['service'];
  const read = (isPublic: boolean) => {
    const endpoints = serviceEndpoints({ clock: NOTHING, service }, isPublic);
    const found = endpoints.find(({ path }) => path === '/api/v1/status');
    return found?.handler({ params: {}, query: {} } as never, NOTHING);
  };
  expect([await read(true), await read(false)]).toEqual(['public', 'whole']);
});
