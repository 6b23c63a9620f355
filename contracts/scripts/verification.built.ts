// What explorers need to verify the sources, worked out when a program is bundled: the sources are not at hand where it runs.
import { type StandardInput, settings, standardInputOf } from './compile.ts';
import { deployable, sourceOf } from './deployable.ts';

/** As explorers write it; a test asks the compiler itself, which takes a second to load. */
export const compiler = 'v0.8.37+commit.f401782d';

/** Absent where the packages that the sources import are not installed (`npm install --omit=dev`). */
export const input: StandardInput | undefined = readInput();

/** `path:Name` by contract. */
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
