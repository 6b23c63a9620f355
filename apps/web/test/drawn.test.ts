// What single parts of the page say, drawn without a browser.
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { PLAIN_NAMES } from '../src/lib/outcomes.ts';

vi.mock('../src/state/store.ts', async (original) => ({
  ...(await original<typeof import('../src/state/store.ts')>()),
  // React draws no store without a browser.
  useWatched: (store: { get(): unknown }) => store.get(),
  usePart: (store: { get(): unknown }, pick: (value: unknown) => unknown) => pick(store.get()),
}));
vi.mock('../src/state/preferences.ts', () => ({ PHONE: '', useMedia: () => false, usePreferences: () => ({}) }));

vi.hoisted(() => {
  const nothing = () => undefined;
  Object.assign(globalThis, { addEventListener: nothing, dispatchEvent: () => true });
  Object.assign(globalThis, { location: { pathname: '/', origin: '' }, localStorage: { getItem: () => null } });
});
afterAll(() => vi.restoreAllMocks());

const ME = `0x${'aa'.repeat(20)}`;
const CONFIG = {
  sandbox: false,
  chains: [{ chainId: 1, bondAmount: '100000000', bondPermitRequired: true, disputeWindowSeconds: 7_200 }],
};

/** Drawn for somebody with this wallet. */
async function draw(element: ReactNode, wallet: object | null = { address: ME, kind: 'injected' }): Promise<string> {
  const { PageContext } = await import('../src/state/page-context.ts');
  const { ConfigContext } = await import('../src/state/service-config.ts');
  const store = <T>(value: T) => ({ get: () => value });
  const page = { clock: { seconds: store(1_800_000_000) }, account: { state: store({ wallet }) } };
  const inPage = createElement(ConfigContext, { value: CONFIG as never }, element);
  return renderToStaticMarkup(createElement(PageContext, { value: page as never }, inPage));
}

describe('a history', () => {
  it('gives the files of the wallet that is shown, whoever looks at it', async () => {
    const { History } = await import('../src/portfolio/history.tsx');
    const other = `0x${'bb'.repeat(20)}`;
    const payout = {
      marketId: '0x1',
      marketQuestion: 'Will it?',
      txHash: '0x2',
      payout: 5,
      timestamp: 1,
      status: 'confirmed',
    };
    const activity = { activity: [], settlements: [payout] } as never;
    const html = await draw(createElement(History, { address: other, activity, namesOf: () => PLAIN_NAMES }));
    expect(html).toContain(`/api/v1/users/${other}/export?kind=fills`);
    expect(html).not.toContain(ME);
  });
});

describe('a proposal', () => {
  const market = { id: '0x1', kind: 'standard', question: 'Will it?', chainId: 1 };
  const resolution = { status: 'expired' };
  const actions = async (change: object) => {
    const { ResolutionActions } = await import('../src/market/resolution-actions.tsx');
    const props = { market: { ...market, ...change }, resolution, nowSeconds: 0, onDone: () => undefined };
    return draw(createElement(ResolutionActions, props as never));
  };

  it("of an event names the winner: NO of one outcome is nobody's result", async () => {
    expect(await actions({})).toContain('Propose NO');
    const html = await actions({ event: { id: '0x2', index: 0, name: 'A' } });
    expect(html).toContain('Propose YES');
    expect(html).not.toContain('Propose NO');
  });

  it.each([
    ['that the market has agreed on', '250000000', '$250.00'],
    ['of new markets where it cannot be asked for', undefined, '$100.00'],
  ])('is confirmed with the bond %s', async (_which, bond, shown) => {
    const { Confirmation } = await import('../src/market/resolution-actions.tsx');
    const asked = { isBusy: false, onConfirm: () => undefined, onCancel: () => undefined };
    expect(await draw(createElement(Confirmation, { outcome: 'YES', chainId: 1, bond, ...asked }))).toContain(shown);
  });
});
