// The browser for tests: Debian's Chromium, headless, one for all files of a worker.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Default paths of Debian and Ubuntu; PRESAGE_CHROMIUM names another one. */
const PLACES = [
  process.env.PRESAGE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/**
 * The first line: every profile gets a whole browser window, whose address bar and its spare process are pages of their
 * own and took more than half of the time of a visit. The other lines repeat Playwright's own list, as far as it
 * concerns pages like ours or requests of the browser itself, because only the last of several such switches counts.
 */
const WITHOUT_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  'HttpsUpgrades',
  'BlockOriginHeaderModificationOnRedirect',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'Translate',
  'LensOverlay',
  'MediaRouter',
  'DialMediaRouteProvider',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${WITHOUT_FEATURES.join(',')}`,
];

export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path));

if (CHROMIUM === undefined) {
  console.warn(
    '\n*** The tests in a browser are SKIPPED: no Chromium was found. ***\n' +
      '*** Install one with `apt-get install chromium`, or name it: PRESAGE_CHROMIUM=/path/to/chromium ***\n',
  );
}

/**
 * Shared by the files of a worker, which run one after the other: a start takes a second, and profiles share nothing.
 * It ends with the worker.
 */
let launched: Promise<Browser> | undefined;

export async function openChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium');
  const browser = await launched?.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  launched = chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return launched;
}
