// One sandbox and one browser for all tests of a file: a start, a load and a new wallet each take longer than most tests.
import { createTradingClient, type TradingClient } from '@presage/sdk';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll } from 'vitest';
import { TestBrowser, type Visit } from './browser.ts';
import { demoAddress, openScreen, startDemoWallet } from './page-actions.ts';
import { WebSandbox } from './web-sandbox.ts';

export interface Place {
  readonly sandbox: WebSandbox;
  readonly browser: TestBrowser;
}

/** Open while the tests of the surrounding `describe`, or of the whole file, run. */
export function usePlace(env: Readonly<Record<string, string>> = {}): Place {
  let sandbox: WebSandbox | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    [sandbox, browser] = await Promise.all([WebSandbox.open(env), TestBrowser.open()]);
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });
  return {
    get sandbox() {
      if (sandbox === undefined) throw new Error('the sandbox does not run yet');
      return sandbox;
    },
    get browser() {
      if (browser === undefined) throw new Error('the browser does not run yet');
      return browser;
    },
  };
}

/** Somebody who goes from screen to screen, with one wallet, through the tests of several areas. */
export class Visitor {
  readonly #place: Place;
  readonly #options: BrowserContextOptions;
  #visit: Promise<Visit> | undefined;
  #address: Promise<string> | undefined;
  #key: `0x${string}` | undefined;

  constructor(place: Place, options: BrowserContextOptions = {}) {
    this.#place = place;
    this.#options = options;
  }

  /** Loaded the first time; gone to as by links later. */
  async open(path: string): Promise<Visit> {
    if (this.#visit !== undefined) {
      const visit = await this.#visit;
      await openScreen(visit.page, path);
      return visit;
    }
    const { url } = this.#place.sandbox;
    const storageState = this.#key && {
      cookies: [],
      origins: [{ origin: url, localStorage: demoWalletOf(this.#key) }],
    };
    this.#visit = this.#place.browser.visit(url + path, { ...this.#options, ...(storageState && { storageState }) });
    return this.#visit;
  }

  /** A wallet of an earlier visit, before the first of this one. Its client trades where a test is not about how the page does. */
  async bringWallet(): Promise<TradingClient> {
    const { sandbox } = this.#place;
    this.#key = generatePrivateKey();
    const account = privateKeyToAccount(this.#key);
    this.#address = Promise.resolve(account.address);
    await sandbox.controls.fund(account.address, '1000');
    const client = createTradingClient({ url: sandbox.url, account });
    await client.setup();
    return client;
  }

  /** On a market; the wallet's address. */
  openWallet(page: Page): Promise<string> {
    this.#address ??= startDemoWallet(page).then(() => demoAddress(page));
    return this.#address;
  }
}

/** As the page keeps it. */
function demoWalletOf(key: string) {
  return [
    { name: 'presage.demo-wallet', value: key },
    { name: 'presage.wallet-kind', value: 'demo' },
  ];
}
