// Finds dead links in documents: every relative link of a .md file must lead to an existing file, every anchor to a
// heading, and every source file named in backticks must exist.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './import-graph.ts';

const FENCE = /^(```|~~~)[\s\S]*?^\1/gm;
const INLINE_LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const REFERENCE_LINK = /^\[[^\]]+\]:\s*(\S+)/gm;
const HTML_LINK = /<(?:a|img)\b[^>]*?(?:href|src)="([^"]+)"/g;
/** A source file in a document: by its path from the root, or from a folder named in the sentence. */
const NAMED_FILE = /`([\w@.-]+(?:\/[\w@.-]+)+\.(?:tsx?|mjs|sql|sol))`/g;
/** The changelog names files of its time. */
const HISTORY = 'CHANGELOG.md';
const HTML_ANCHOR = /<a\b[^>]*?(?:id|name)="([^"]+)"/g;

export function findDeadLinks(root = ROOT): string[] {
  const files = repositoryFiles(root);
  const documents = files.filter((file) => file.endsWith('.md'));
  return documents.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const dead = linksOf(withoutCode(text)).flatMap((link) => {
      const fault = linkFault(root, file, link);
      return fault === undefined ? [] : [`${file}: ${link}: ${fault}`];
    });
    const named = file === HISTORY ? [] : missingFiles(text, files);
    return [...dead, ...named.map((path) => `${file}: ${path}: no such file`)];
  });
}

/**
 * Uses git's list, which leaves out files that are not part of the repository. New files count before they are
 * committed.
 */
function repositoryFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
}

function missingFiles(text: string, files: readonly string[]): string[] {
  const named = [...text.matchAll(NAMED_FILE)].map((match) => match[1] ?? '');
  return named.filter((path) => !files.some((file) => file === path || file.endsWith(`/${path}`)));
}

function withoutCode(text: string): string {
  return text.replace(FENCE, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));
}

function linksOf(text: string): string[] {
  return [INLINE_LINK, REFERENCE_LINK, HTML_LINK]
    .flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link));
}

function linkFault(root: string, file: string, link: string): string | undefined {
  const [path = '', anchor] = decodeURIComponent(link).split('#');
  const target = path === '' ? resolve(root, file) : resolve(root, dirname(file), path);
  if (relative(root, target).startsWith('..')) return 'leads out of the repository';
  if (!existsSync(target)) return 'no such file';
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? undefined : 'no such heading';
}

/** Anchors as common renderers make them: lower case, no punctuation, spaces as hyphens, repeated headings numbered. */
function anchorsOf(text: string): Set<string> {
  const plain = text.replace(FENCE, '');
  const anchors = new Set([...plain.matchAll(HTML_ANCHOR)].map((match) => match[1] ?? ''));
  const counts = new Map<string, number>();
  for (const [, heading = ''] of plain.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = toSlug(heading);
    const count = counts.get(slug) ?? 0;
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
    counts.set(slug, count + 1);
  }
  return anchors;
}

function toSlug(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dead = findDeadLinks();
  for (const fault of dead) console.error(fault);
  console.log(dead.length === 0 ? 'links in documents: all good' : `links in documents: ${dead.length} dead`);
  process.exitCode = dead.length === 0 ? 0 : 1;
}
