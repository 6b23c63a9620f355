// Which route answers which method and path.
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/api/http/router.ts';

const router = new Router();
for (const [method, path] of [
  ['GET', '/'],
  ['GET', '/orders'],
  ['POST', '/orders'],
  ['GET', '/orders/:hash'],
  ['DELETE', '/orders/:hash'],
  ['POST', '/orders/batch'],
  ['GET', '/orders/:hash/events'],
  ['GET', '/users/:address/orders/:hash'],
  ['GET', '/users/me/:what'],
] as const) {
  router.add({ method, path });
}
router.add({ method: 'GET', path: '/stream', hasHead: false });

function find(method: string, path: string): string | undefined {
  const found = router.find(method, path);
  return found && `${found.route.path} ${JSON.stringify(found.params)}`;
}

describe('a router', () => {
  it.each([
    ['GET', '/', '/ {}'],
    ['GET', '/orders', '/orders {}'],
    ['GET', '/orders/', '/orders {}'],
    ['HEAD', '/orders', '/orders {}'],
    ['GET', '/orders/0xa', '/orders/:hash {"hash":"0xa"}'],
    ['GET', '/orders/batch', '/orders/:hash {"hash":"batch"}'],
    ['POST', '/orders/batch', '/orders/batch {}'],
    ['GET', '/orders/0xa/events/', '/orders/:hash/events {"hash":"0xa"}'],
    ['GET', '/users/me/orders', '/users/me/:what {"what":"orders"}'],
    ['GET', '/users/me/orders/7', '/users/:address/orders/:hash {"address":"me","hash":"7"}'],
    ['GET', '/%6Frders/a%2Fb', '/orders/:hash {"hash":"a/b"}'],
    ['GET', '/orders/__proto__', '/orders/:hash {"hash":"__proto__"}'],
  ])('finds %s %s', (method, path, route) => {
    expect(find(method, path)).toBe(route);
  });

  it.each([
    ['PUT', '/orders'],
    ['GET', '/Orders'],
    ['GET', '//orders'],
    ['GET', '/orders//events'],
    ['GET', '/orders//'],
    ['GET', '/constructor'],
    ['HEAD', '/stream'],
    ['GET', `/orders/${'a'.repeat(201)}`],
  ])('finds nobody for %s %s', (method, path) => {
    expect(find(method, path)).toBeUndefined();
  });

  it('says which methods a path has', () => {
    expect(router.methodsAt('/orders/0xa')).toEqual(['GET', 'HEAD', 'DELETE']);
    expect(router.methodsAt('/stream')).toEqual(['GET']);
    expect(router.methodsAt('/nowhere')).toEqual([]);
  });

  it('refuses a path that cannot be decoded', () => {
    for (const path of ['/orders/%zz', '/%', '/orders/%E0%A4%A']) expect(() => find('GET', path)).toThrow('percent');
  });
});
