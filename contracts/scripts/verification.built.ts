// Input for explorers to verify the sources, computed when a program is bundled, because the sources are not available
// where it runs.
import { type StandardInput, settings, standardInputOf } from './compile.ts';
import { deployable, sourceOf } from './deployable.ts';

/** Version as explorers write it; a test compares it with the compiler's own, which takes a second to load. */
export const compiler = 'v0.8.37+commit.f401782d';

/** Undefined if the packages that the sources import are not installed (`npm install --omit=dev`). */
export const input: StandardInput | undefined = readInput();

/** `path:Name` by contract name. */
export const sources: Readonly<Record<string, string>> = Object.fromEntries(input === undefined ? [] : namesOf(input));

function readInput(): StandardInput | undefined {
  try {
    return standardInputOf('src', settings.production);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function namesOf(known: StandardInput): [string, string][] {
  return deployable.map((name) => [name, `${sourceOf(name, known)}:${name}`]);
}
