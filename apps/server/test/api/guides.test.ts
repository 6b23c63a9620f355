// The guides as the service shows them: every page of docs, links that lead to other guides, and nothing that is markup by accident.
import { readdirSync } from 'node:fs';
import { SILENT_LOG } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/api/guides/markdown.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { guideRoutes } from '../../src/api/routes/guides.ts';

describe('Markdown', () => {
  const render = (text: string) =>
    renderMarkdown(text, { resolveLink: (target) => (target === 'no' ? undefined : target) });

  it.each([
    ['# A *b* `c`', '<h1 id="a-b-c">A <em>b</em> <code>c</code></h1>'],
    ['a\nb\n\nc', '<p>a b</p>\n<p>c</p>'],
    ['<b> & "q"', '<p>&lt;b&gt; &amp; &quot;q&quot;</p>'],
    ['`<b>` **x**', '<p><code>&lt;b&gt;</code> <strong>x</strong></p>'],
    ['[a `b`](c.md#d) [e](no) ![f](g.png)', '<p><a href="c.md#d">a <code>b</code></a> e <em>f</em></p>'],
    ['- a\n  b\n- c', '<ul><li>a b</li><li>c</li></ul>'],
    ['1. a\n   - b\n2. c', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
    ['```sh\na <b>\n\n# c\n```\nd', '<pre><code>a &lt;b&gt;\n\n# c</code></pre>\n<p>d</p>'],
    ['<!-- given: `x` is y -->\na', '<p>a</p>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
  ])('%j', (text, html) => {
    expect(render(text)).toBe(html);
  });

  it('has tables whose cells may be empty or hold a bar in code', () => {
    const html = render('| | b |\n|---|---|\n| `a\\|x` | |\n| c | d |');
    expect(html).toBe(
      '<div class="table"><table><tr><th></th><th>b</th></tr><tr><td><code>a|x</code></td><td></td></tr><tr><td>c</td><td>d</td></tr></table></div>',
    );
  });
});

describe('/docs/guides', () => {
  const listener = new HttpListener();
  let url: string;

  beforeAll(async () => {
    const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
    openHttpServer(options, [guideRoutes()]);
    url = await listener.listen(0, '127.0.0.1');
  });
  afterAll(() => listener.close());

  async function read(path: string): Promise<string> {
    const response = await fetch(`${url}${path}`);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    return response.text();
  }

  it('leads to every page of docs, and every link to a guide leads to a heading of it', async () => {
    const seen = new Map<string, string>();
    const queue = ['/docs/guides'];
    for (const path of queue) {
      if (seen.has(path)) continue;
      const html = await read(path);
      seen.set(path, html);
      for (const [, link = ''] of html.matchAll(/href="(\/docs\/guides[^"#]*)/g)) queue.push(link);
    }
    for (const name of readdirSync(new URL('../../../../docs/', import.meta.url)).filter((each) =>
      each.endsWith('.md'),
    ))
      if (name !== 'README.md') expect([...seen.keys()]).toContain(`/docs/guides/${name.replace('.md', '')}`);
    const anchors = [...seen].flatMap(([from, html]) =>
      [...html.matchAll(/href="(\/docs\/guides[^"#]*)#([^"]+)"/g)].map((match) => ({
        from,
        to: match[1]!,
        id: match[2]!,
      })),
    );
    expect(anchors.length).toBeGreaterThan(20);
    expect(anchors.filter(({ to, id }) => !seen.get(to)?.includes(`id="${id}"`))).toEqual([]);
  });

  it('answers 404 for what is no guide, also outside of its folder', async () => {
    for (const name of ['nothing', '..%2F..%2Fpackage', '%2e%2e%2fREADME'])
      expect((await fetch(`${url}/docs/guides/${name}`)).status).toBe(404);
  });
});
