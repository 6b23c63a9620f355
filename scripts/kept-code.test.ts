// Tests of saved compiled code: it is used only for its program, and never makes a program fail.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const LOADER = JSON.stringify(new URL('./kept-code.mjs', import.meta.url).href);

function makeProgram() {
  const dir = mkdtempSync(join(tmpdir(), 'presage-code-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'program.cjs');
  const program = `import(${LOADER}).then(({ runScript }) => runScript(${JSON.stringify(file)}))`;
  return {
    codeFile: `${file}.code`,
    writeText: (text: string) => writeFileSync(file, text),
    write: (word: string) => writeFileSync(file, `process.stdout.write(require('node:path').join('says', '${word}'));`),
    run: () => execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }),
  };
}

it('compiled code is kept after the first run, used as it is in the second, and made anew for another program of the same length', () => {
  const { codeFile, write, run } = makeProgram();
  write('red');
  expect(run()).toBe('says/red');
  const kept = statSync(codeFile);
  expect(run()).toBe('says/red');
  expect(statSync(codeFile).ino).toBe(kept.ino);
  write('tan');
  expect(run()).toBe('says/tan');
  expect(statSync(codeFile).ino).not.toBe(kept.ino);
});

it('a program whose code is damaged or cut off runs all the same, and has whole code again afterwards', () => {
  const { codeFile, write, run } = makeProgram();
  write('red');
  run();
  const whole = readFileSync(codeFile);
  const flipped = Buffer.from(whole);
  flipped[whole.length - 20]! ^= 1;
  for (const damaged of [whole.subarray(0, 20), whole.subarray(0, 400), flipped]) {
    writeFileSync(codeFile, damaged);
    expect(run()).toBe('says/red');
    expect(readFileSync(codeFile).length).toBe(whole.length);
  }
});

it('a program imports modules that it learns of when it runs, also from code that was kept', () => {
  const { writeText, run } = makeProgram();
  const module = "'data:text/javascript,export const word = `red`'";
  writeText(`presageImport(${module}).then(({ word }) => process.stdout.write(word));`);
  expect(run()).toBe('red');
  expect(run()).toBe('red');
});
