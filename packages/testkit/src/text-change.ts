// A change at one place of a text, as a text to find and its replacement, with as many whole lines as make it unique.

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

export interface FoundChange {
  readonly find: string;
  readonly replace: string;
  /** Line of its first character, from 1. */
  readonly line: number;
}

export function toTextChange(text: string, { start, end, to }: Edit): FoundChange {
  let [from, until] = [lineStart(text, start), lineEnd(text, end)];
  while (text.split(text.slice(from, until)).length > 2) {
    from = lineStart(text, Math.max(0, from - 1));
    until = lineEnd(text, Math.min(text.length, until + 1));
  }
  return {
    find: text.slice(from, until),
    replace: text.slice(from, start) + to + text.slice(end, until),
    line: text.slice(0, start).split('\n').length,
  };
}

/** The change in one line of at most 60 characters. */
export function describeEdit(text: string, { start, end, to }: Edit): string {
  const shown = (part: string) => part.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
  return `${shown(text.slice(start, end))} -> ${shown(to) || 'nothing'}`;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
