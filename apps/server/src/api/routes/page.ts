// Serves the page: its built files, and index.html for every address of a screen; all other paths belong to the API.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MarketTexts, PresageError } from '@presage/protocol';
import { StaticContent } from '../entity-tag.ts';
import { escapeHtml } from '../escape-html.ts';
import type { Route } from '../http/request.ts';

const DIST = fileURLToPath(new URL('../../../../web/dist/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  // Licences of the libraries in the scripts.
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Addresses of the page's screens. */
export const SCREENS = [
  '/',
  '/m/:id',
  '/e/:id',
  '/quick/:asset',
  '/portfolio',
  '/leaderboard',
  '/wallet/:address',
  '/proof',
  '/operator',
];
/** The one inline style, which the chart library writes for the logo that its licence requires. */
const CHART_LOGO_STYLE =
  'a#tv-attr-logo{--fill:#131722;--stroke:#fff;position:absolute;left:10px;bottom:10px;height:19px;width:35px;margin:0;' +
  'padding:0;border:0;z-index:3;}a#tv-attr-logo[data-dark]{--fill:#D1D4DC;--stroke:#131722;}';
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${createHash('sha256').update(CHART_LOGO_STYLE).digest('base64')}'`,
  // Operators choose the addresses of market pictures; only https is allowed.
  "img-src 'self' data: https:",
  "font-src 'self'",
  "connect-src 'self'",
  // The verifier runs in a worker.
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type MarketText = Pick<MarketTexts, 'question' | 'description'>;

interface PageOptions {
  /** Folder of the built page. */
  readonly dir?: string;
  /** Texts of a market or an event, so that shared links show them without a script. */
  readonly describeMarket?: (id: string) => MarketText | undefined;
}

export function pageRoutes({ dir = DIST, describeMarket }: PageOptions = {}): Route[] {
  const files = new BuiltFiles(dir);
  const screen: Route['handler'] = async (request, reply) => {
    const { id } = request.params;
    const market = id === undefined ? undefined : describeMarket?.(id);
    const page = await files.find('index.html');
    reply.header('Content-Security-Policy', POLICY).header('Cache-Control', 'no-cache').type('text/html');
    if (page === undefined) return reply.code(503).send(NOT_BUILT);
    return market === undefined ? page.send(request, reply) : reply.send(nameMarket(page.plain, market));
  };
  const asset: Route['handler'] = async (request, reply) => {
    const { file = '' } = request.params;
    const type = TYPES[extname(file)];
    const found = type === undefined ? undefined : await files.find(join('assets', basename(file)));
    if (type === undefined || found === undefined) throw new PresageError('not_found', { path: request.url });
    return found.send(request, reply.type(type).header('Cache-Control', 'public, max-age=31536000, immutable'));
  };
  return [
    ...SCREENS.map((path): Route => ({ method: 'GET', path, handler: screen })),
    { method: 'GET', path: '/assets/:file', handler: asset },
  ];
}

const NOT_BUILT = `<!doctype html><html lang="en"><title>Presage</title>
<p>The page is not built. Run <code>npm run build:web</code> and load it again; the API works meanwhile.</p></html>
`;

const DESCRIPTION_CHARACTERS = 200;

/** The page with the market's texts in its title and in its link previews. */
function nameMarket(html: Buffer, { question, description }: MarketText): Buffer {
  const title = escapeHtml(question);
  const about = escapeHtml((description || question).slice(0, DESCRIPTION_CHARACTERS));
  const tags = [
    `<meta name="description" content="${about}">`,
    `<meta property="og:title" content="${title}">`,
    `<meta property="og:description" content="${about}">`,
  ].join('\n');
  const named = html
    .toString('utf8')
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`)
    .replaceAll(/<meta (name|property)="(og:title|(og:)?description)"[^>]*>\n?/g, '')
    .replace('</head>', () => `${tags}\n</head>`);
  return Buffer.from(named);
}

/** Cache of built files; a file is read again after a new build. */
class BuiltFiles {
  readonly #dir: string;
  readonly #kept = new Map<string, { readonly mark: number; readonly content: StaticContent }>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async find(name: string): Promise<StaticContent | undefined> {
    const path = join(this.#dir, name);
    const mark = await lastChanged(path);
    if (mark === undefined) return undefined;
    const kept = this.#kept.get(name);
    if (kept?.mark === mark) return kept.content;
    const content = new StaticContent(await readFile(path), await readPacked(`${path}.gz`, mark));
    this.#kept.set(name, { mark, content });
    return content;
  }
}

/** Reads the file compressed by the build; undefined if it is from an earlier build. */
async function readPacked(path: string, mark: number): Promise<Buffer | undefined> {
  const packed = await lastChanged(path);
  return packed !== undefined && packed >= mark ? readFile(path) : undefined;
}

async function lastChanged(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
