// A real browser for the page's tests: Debian's Chromium, headless, each user with their own profile.
import { openChromium } from '@presage/testkit/chromium';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A 503 that the page retries is expected; the browser logs it all the same. */
const RETRYABLE = /status of (425|429|503) /;
const TRACED = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

export interface Visit {
  readonly page: Page;
  /** Errors in the browser's console: uncaught errors, refused loads, policy violations. */
  readonly complaints: readonly string[];
  /** Requested URLs outside the service. */
  readonly outside: readonly string[];
  close(): Promise<void>;
}

export class TestBrowser {
  readonly #browser: Browser;
  readonly #contexts = new Set<BrowserContext>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<TestBrowser> {
    return new TestBrowser(await openChromium());
  }

  async visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: 'dark',
      // What moves is painted anew sixty times a second, all of it: a third of a visit.
      reducedMotion: 'reduce',
      ...options,
    });
    this.#contexts.add(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    const outside: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !RETRYABLE.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin) outside.push(request.url());
    });
    await page.goto(url);
    return { page, complaints, outside, close: () => leave(context) };
  }

  /** The browser's trace of its activity while `work` ran. */
  async trace(page: Page, work: () => Promise<void>): Promise<Buffer> {
    await this.#browser.startTracing(page, { categories: TRACED });
    await work();
    return this.#browser.stopTracing();
  }

  /** Whatever was visited and is still open. */
  async close(): Promise<void> {
    await Promise.all([...this.#contexts].map(leave));
  }
}

/** A request that a test answers may be under way: its answer is for nobody any more. */
async function leave(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}
