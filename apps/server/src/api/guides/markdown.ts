// Renders the Markdown of our own guides as HTML: headings, paragraphs, lists, tables, code, links. Escapes everything else.
import { escapeHtml } from '../escape-html.ts';

export interface MarkdownOptions {
  /** Resolves a link's target; if undefined, the text appears without a link. */
  readonly resolveLink: (target: string) => string | undefined;
}

const FENCE = /^```/;
const LIST_ITEM = /^(?<indent> *)(?<mark>[-*]|\d+\.) (?<text>.*)$/;
const TABLE_RULE = /^\|?( *:?-+:? *\|)+ *:?-*:? *$/;

export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const lines = text.replaceAll(/<!--[\s\S]*?-->\n?/g, '').split('\n');
  return new Renderer(lines, options).render();
}

class Renderer {
  readonly #lines: readonly string[];
  readonly #options: MarkdownOptions;
  readonly #slugs = new Map<string, number>();
  #at = 0;

  constructor(lines: readonly string[], options: MarkdownOptions) {
    this.#lines = lines;
    this.#options = options;
  }

  render(): string {
    const blocks: string[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#line;
      if (line.trim() === '') this.#at++;
      else if (FENCE.test(line)) blocks.push(this.#code());
      else if (line.startsWith('#')) blocks.push(this.#heading());
      else if (line.startsWith('|')) blocks.push(this.#table());
      else if (LIST_ITEM.test(line)) blocks.push(this.#list(0));
      else blocks.push(`<p>${this.#inline(this.#gather())}</p>`);
    }
    return blocks.join('\n');
  }

  get #line(): string {
    return this.#lines[this.#at] ?? '';
  }

  #code(): string {
    const begin = this.#at + 1;
    const end = this.#lines.findIndex((line, index) => index >= begin && FENCE.test(line));
    this.#at = end === -1 ? this.#lines.length : end + 1;
    const body = this.#lines.slice(begin, end === -1 ? undefined : end).join('\n');
    return `<pre><code>${escapeHtml(body)}</code></pre>`;
  }

  #heading(): string {
    const [, signs = '#', text = ''] = /^(#+)\s+(.*?)\s*#*$/.exec(this.#line) ?? [];
    this.#at++;
    const level = Math.min(signs.length, 6);
    return `<h${level} id="${this.#slugOf(text)}">${this.#inline(text)}</h${level}>`;
  }

  /** Anchor of a heading, as the usual hosts of Markdown make it, so that links within the guides work. */
  #slugOf(heading: string): string {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = this.#slugs.get(slug) ?? 0;
    this.#slugs.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }

  #table(): string {
    const rows: string[] = [];
    let cell = 'th';
    for (; this.#line.startsWith('|'); this.#at++) {
      if (TABLE_RULE.test(this.#line)) {
        cell = 'td';
        continue;
      }
      const cells = splitCells(this.#line).map((text) => `<${cell}>${this.#inline(text)}</${cell}>`);
      rows.push(`<tr>${cells.join('')}</tr>`);
    }
    return `<div class="table"><table>${rows.join('')}</table></div>`;
  }

  /** A list of items of one depth; deeper items are a nested list in the item before. */
  #list(depth: number): string {
    const tag = /^ *\d/.test(this.#line) ? 'ol' : 'ul';
    const items: string[] = [];
    for (let item = this.#item(depth); item !== undefined; item = this.#item(depth)) items.push(item);
    return `<${tag}>${items.join('')}</${tag}>`;
  }

  #item(depth: number): string | undefined {
    const { indent = '', text = '' } = LIST_ITEM.exec(this.#line)?.groups ?? {};
    if (!LIST_ITEM.test(this.#line) || indent.length < depth) return undefined;
    this.#at++;
    const words = [text, this.#gather()].filter((part) => part !== '').join(' ');
    const next = LIST_ITEM.exec(this.#line)?.groups?.indent ?? '';
    const inner = next.length > indent.length ? this.#list(next.length) : '';
    return `<li>${this.#inline(words)}${inner}</li>`;
  }

  /** Reads the rest of a paragraph: lines up to a blank one or another block. */
  #gather(): string {
    const begin = this.#at;
    const isText = (line: string) => line.trim() !== '' && !/^(```|#|\|)/.test(line) && !LIST_ITEM.test(line);
    while (this.#at < this.#lines.length && isText(this.#line)) this.#at++;
    return this.#lines
      .slice(begin, this.#at)
      .map((line) => line.trim())
      .join(' ');
  }

  /** Renders inline markup. Code first, because nothing inside code is markup. */
  #inline(text: string): string {
    return text
      .split(/(`[^`]+`)/)
      .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : this.#marked(part)))
      .join('')
      .replaceAll(LINK, (_whole, image: string, label: string, target: string) => this.#link(image, label, target));
  }

  #marked(text: string): string {
    return escapeHtml(text)
      .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
      .replaceAll(/(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])/g, '<em>$1</em>');
  }

  #link(image: string, label: string, target: string): string {
    // Pictures are not served: they stay in the repository.
    if (image !== '') return `<em>${label}</em>`;
    const address = this.#options.resolveLink(target);
    return address === undefined ? label : `<a href="${escapeHtml(address)}">${label}</a>`;
  }
}

/** A link or picture. Matched after code was rendered, because labels may contain code. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** Splits a table row. A bar inside code or after a backslash is not a border. */
function splitCells(row: string): string[] {
  const body = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells = body.match(/(?:`[^`]*`|\\\||[^|])*/g) ?? [];
  return cells
    .filter((_cell, index) => index % 2 === 0 || cells[index] !== '')
    .map((cell) => cell.replaceAll('\\|', '|').trim());
}
