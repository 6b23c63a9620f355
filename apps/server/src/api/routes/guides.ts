// Serves the repository's guides as pages, so that they are available offline; the index is at /docs/guides.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PresageError } from '@presage/protocol';
import { StaticContent } from '../entity-tag.ts';
import { escapeHtml } from '../escape-html.ts';
import { renderMarkdown } from '../guides/markdown.ts';
import type { Route } from '../http/request.ts';

/** Root of the guides; the packed server has the same layout as the repository. */
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const INDEX = 'docs/README.md';
const BASE = '/docs/guides';
/** Links of docs/README.md to pages outside docs, which are guides too. */
const OUTSIDE = /\]\(\.\.\/([\w/-]+\.md)\)/g;
const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}' +
  'pre{overflow-x:auto;padding:.75rem;background:#8881;border-radius:6px}code{font-size:.9em}.table{overflow-x:auto}' +
  'table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.3rem .5rem;text-align:left;vertical-align:top}';
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function guideRoutes(root = ROOT): Route[] {
  const guides = new Guides(root);
  const handler: Route['handler'] = async (request, reply) => {
    const guide = await guides.find(request.params.name ?? '');
    if (guide === undefined) throw new PresageError('not_found', { path: request.url });
    reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-cache');
    return guide.send(request, reply.header('Content-Security-Policy', POLICY));
  };
  return [BASE, `${BASE}/:name`].map((path) => ({ method: 'GET', path, handler }));
}

/** Guides as pages, rendered on first request and cached. */
class Guides {
  readonly #root: string;
  readonly #made = new Map<string, Promise<StaticContent>>();
  #files: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  async find(name: string): Promise<StaticContent | undefined> {
    this.#files ??= this.#list();
    const files = await this.#files;
    const file = files.get(name);
    if (file === undefined) return undefined;
    const made = this.#made.get(name) ?? this.#make(file, new Set(files.values()));
    this.#made.set(name, made);
    return made;
  }

  /** Files by the last segment of their URL, which is empty for the index. */
  async #list(): Promise<ReadonlyMap<string, string>> {
    const pages = (await readdir(join(this.#root, 'docs'))).filter((name) => name.endsWith('.md'));
    const index = await readFile(join(this.#root, INDEX), 'utf8');
    const others = [...index.matchAll(OUTSIDE)].flatMap(([, file]) => file ?? []);
    return new Map([...pages.map((name) => `docs/${name}`), ...others].map((file) => [nameOf(file), file]));
  }

  async #make(file: string, known: ReadonlySet<string>): Promise<StaticContent> {
    const text = await readFile(join(this.#root, file), 'utf8');
    const body = renderMarkdown(text, { resolveLink: (target) => resolveLink(file, target, known) });
    const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
    return new StaticContent(Buffer.from(toPage(title, body)));
  }
}

/** URL segment of a file: `docs/words.md` is `words`, `packages/sdk/README.md` is `packages-sdk-readme`. */
function nameOf(file: string): string {
  if (file === INDEX) return '';
  return file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
    .toLowerCase();
}

/** Resolves a link; undefined for a link to a source file, which the service does not serve. */
function resolveLink(file: string, target: string, known: ReadonlySet<string>): string | undefined {
  if (/^https?:\/\//.test(target) || target.startsWith('#')) return target;
  const [path = '', anchor] = target.split('#');
  const found = posix.join(dirname(file), path);
  if (!known.has(found)) return undefined;
  const address = [BASE, nameOf(found)].filter((part) => part !== '').join('/');
  return anchor === undefined ? address : `${address}#${anchor}`;
}

function toPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav><a href="${BASE}">All guides</a> · <a href="/docs">API reference</a> · <a href="/">The page</a></nav>
<main>
${body}
</main>
</body>
</html>
`;
}
