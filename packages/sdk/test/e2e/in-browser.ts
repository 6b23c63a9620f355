// The SDK in a real browser: tokens signed with Web Crypto, orders, streams, no Node modules.
import { fileURLToPath } from 'node:url';
import { CHROMIUM, openChromium } from '@presage/testkit/chromium';
import { build } from 'esbuild';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TradingClient, TradingClientOptions } from '../../src/index.ts';
import type { KeptReceipt, VerifyOptions, VerifyResult } from '../../src/verify/index.ts';
import type { SdkPlace } from './sdk-sandbox.ts';

const PAGE = `
  import { createTradingClient } from '@presage/sdk';
  import { verifyExchange } from '@presage/sdk/verify';
  import { privateKeyToAccount } from 'viem/accounts';
  globalThis.sdk = { createTradingClient, verifyExchange, privateKeyToAccount };
`;

/** libauth's parts for another chain do not survive being bundled into one file; the part in use is proved on a vector first. */
const OF_UNUSED_PARTS = /generateBytecodeMap|SigningSerializationTypesBCH/;

/** What the bundle puts on the page. */
interface PageModule {
  createTradingClient(options: TradingClientOptions): TradingClient;
  privateKeyToAccount(key: Hex): TradingClientOptions['account'];
  verifyExchange(options: VerifyOptions): Promise<VerifyResult>;
}

async function bundlePage(): Promise<string> {
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'browser',
    // The recovery of signers waits for WebAssembly at the top of a module.
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs on the page. */
async function tradeAndWatch({ url, market, keys }: { url: string; market: string; keys: [Hex, Hex] }) {
  const { sdk } = globalThis as unknown as { sdk: PageModule };
  const open = (key: Hex) => sdk.createTradingClient({ url, account: sdk.privateKeyToAccount(key) });
  const [ann, ben] = [open(keys[0]), open(keys[1])];
  const { done } = await ann.setup();
  await ben.setup();
  const books = ann.watchBook(market, { outcome: 'YES' });
  const empty = await books.next();
  await ann.placeOrder({ marketId: market, side: 'sell', price: '55c', size: '2' });
  const book = await books.next();
  await books.return?.();
  const taking = await ben.placeOrder({ marketId: market, side: 'buy', price: '0.55', size: '2' });
  const { settled } = await taking.waitForSettlement();
  const prices = ann.watchPrice('ETH');
  const price = await prices.next();
  await prices.return?.();
  const receipts: KeptReceipt[] = taking.receipt ? [{ orderHash: taking.orderHash, receipt: taking.receipt }] : [];
  const { sound, violation, counts } = await sdk.verifyExchange({ url, receipts });
  return {
    verified: { sound, violation, receipts: counts.receipts, unsigned: counts.orders - counts.signatures },
    done,
    stages: settled.map(({ stage }) => stage),
    first: empty.value?.type,
    price: price.value?.type,
    asks: book.value?.type === 'book' ? book.value.asks : [],
  };
}

export function testInBrowser(place: SdkPlace): void {
  describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
    it('a wallet is set up, trades, settles and watches', { timeout: 60_000 }, async () => {
      const page = await (await openChromium()).newPage({ bypassCSP: true });
      onTestFinished(() => page.close());
      const errors: string[] = [];
      page.on('pageerror', (error) => {
        if (!OF_UNUSED_PARTS.test(String(error))) errors.push(String(error));
      });
      // A page from the service itself: browsers block other origins' pages from local services.
      await page.goto(`${place.sandbox.url}/health`);
      await page.addScriptTag({ content: await bundlePage(), type: 'module' });
      await page.waitForFunction(() => 'sdk' in globalThis);
      const keys: [Hex, Hex] = [generatePrivateKey(), generatePrivateKey()];
      for (const key of keys) {
        const { address } = privateKeyToAccount(key);
        await place.sandbox.post('/sandbox/fund', { address, amount: 10_000_000n });
      }
      const { id: marketId } = await place.sandbox.newMarket('Does it run in a browser?');

      const seen = await page.evaluate(tradeAndWatch, { url: place.sandbox.url, market: marketId, keys });
      expect(seen).toEqual({
        verified: { sound: true, violation: undefined, receipts: 1, unsigned: 0 },
        done: ['api-key', 'stablecoin-permit', 'ctf-approval'],
        stages: ['confirmed'],
        first: 'book',
        price: 'price',
        asks: [{ price: 550_000, size: 2_000_000 }],
      });
      expect(errors).toEqual([]);
    });
  });
}
