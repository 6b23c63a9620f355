// A real browser for the tests of the page: Debian's Chromium, headless, each visitor with a profile of its own.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where Debian, Ubuntu and their like put it; PRESAGE_CHROMIUM names another place. */
const PLACES = [
  process.env.PRESAGE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A busy service may ask to be asked again, and is; the browser makes a line of it all the same. */
const COME_AGAIN = /status of (425|429|503) /;
const TRACED = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path));

if (CHROMIUM === undefined) {
  console.warn(
    '\n*** The tests of the web page are SKIPPED: no Chromium was found. ***\n' +
      '*** Install one with `apt-get install chromium`, or name it: PRESAGE_CHROMIUM=/path/to/chromium ***\n',
  );
}

export interface Visit {
  readonly page: Page;
  /** What the browser complained about: uncaught errors, refused loads, violated policies. */
  readonly complaints: readonly string[];
  /** Addresses that were asked for outside of the service. */
  readonly outside: readonly string[];
  close(): Promise<void>;
}

export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<TestBrowser> {
    if (CHROMIUM === undefined) throw new Error('there is no Chromium');
    return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }));
  }

  async visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: 'dark',
      ...options,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    const outside: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !COME_AGAIN.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin) outside.push(request.url());
    });
    await page.goto(url);
    return { page, complaints, outside, close: () => context.close() };
  }

  /** What the browser did while the work was done, as its own tracing tells it. */
  async trace(page: Page, work: () => Promise<void>): Promise<Buffer> {
    await this.#browser.startTracing(page, { categories: TRACED });
    await work();
    return this.#browser.stopTracing();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
