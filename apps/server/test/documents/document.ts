// A document of the repository as what it asks its reader to type: fenced blocks in order, with the marks that say how a test takes them.
import { readFile } from 'node:fs/promises';

export interface Block {
  /** The heading that it stands under. */
  readonly section: string;
  readonly language: string;
  /** The path of a file that the reader is to write. */
  readonly name: string | undefined;
  readonly text: string;
  /** `runs`: it goes on while the next ones run. `prints`: what the block before shows. `not-run`: the comment says why. */
  readonly mark: 'meanwhile' | 'prints' | 'not-run' | undefined;
}

export interface Document {
  readonly blocks: readonly Block[];
  /** Texts that stand for something of the reader's, by the name that the test knows it by. */
  readonly givens: ReadonlyMap<string, string>;
}

const ROOT = new URL('../../../../', import.meta.url);
const FENCE =
  /^(?:<!-- (?<mark>runs: meanwhile|prints|not run: [^>]+) -->\n)?```(?<language>\w*)(?: (?<name>\S+))?\n(?<text>[\s\S]*?)^```$/gm;
const GIVEN = /<!-- given: `(?<text>[^`]+)` is (?<name>[\w ]+) -->/g;

export async function readDocument(path: string): Promise<Document> {
  const page = await readFile(new URL(path, ROOT), 'utf8');
  const blocks = [...page.matchAll(FENCE)].map(({ groups = {}, index }) => ({
    section: [...page.slice(0, index).matchAll(/^##+ (.+)$/gm)].at(-1)?.[1] ?? '',
    language: groups.language ?? '',
    name: groups.name,
    text: groups.text ?? '',
    mark: toMark(groups.mark),
  }));
  const givens = [...page.matchAll(GIVEN)].map(({ groups = {} }) => [groups.text ?? '', groups.name ?? ''] as const);
  return { blocks, givens: new Map(givens) };
}

function toMark(mark: string | undefined): Block['mark'] {
  if (mark === undefined || mark === 'prints') return mark;
  return mark.startsWith('runs') ? 'meanwhile' : 'not-run';
}

/** The block with what is the reader's put in; a name that the test has no value for is a mistake of either. */
export function fillIn(text: string, { givens }: Document, values: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [given, name] of givens) {
    const value = values[name];
    if (value === undefined) throw new Error(`the document gives ${given} for "${name}", which the test does not know`);
    filled = filled.replaceAll(given, value);
  }
  return filled;
}
