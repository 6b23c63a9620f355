// `npm run record:data-folder`: keeps a data folder of this release, which all later versions must open.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refuseArguments } from '@presage/runtime/node';
import { Exchange } from './exchange.ts';
import { archiveOf, keptRelease, pack, tradersOf } from './kept-folders.ts';

refuseArguments();
const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string };

const release = keptRelease(version);
const { ann, ben } = tradersOf(release);

const exchange = await Exchange.open({ isNew: true, env: { PRESAGE_DEMO: 'off' } });
try {
  const market = await exchange.newMarket(`Does ${release.question} still open?`, 5 * 365 * 86_400);
  const terms = { market: market.id, price: '0.4' } as const;
  await exchange.client.order(ann, { ...terms, side: 'sell', size: '5' });
  await exchange.client.order(ben, { ...terms, side: 'buy', size: '2' });
  await exchange.settled();
  await exchange.sandbox.stop();
  await mkdir(dirname(archiveOf(release.name)), { recursive: true });
  pack(exchange.sandbox.dataDir, release.name);
} finally {
  await exchange.close();
}
console.log(`kept ${archiveOf(release.name)}`);
