// `npm run sim`: runs seeds and says what they found.
import { runSeed } from './run-seed.ts';
import { makeChainTemplate } from './world/sim-chain-template.ts';

const args = process.argv.slice(2);
const valueOf = (name: string) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : Number(args[at + 1]);
};
const seed = valueOf('--seed');
const template = await makeChainTemplate();
const realNow = performance.now.bind(performance);
const first = seed ?? valueOf('--from') ?? 1;
const count = seed === undefined ? (valueOf('--seeds') ?? 100) : 1;
let failed = 0;
const startMs = realNow();
for (let each = first; each < first + count; each++) {
  const onLine = seed !== undefined ? (line: string) => console.log(line) : undefined;
  const actions = valueOf('--actions');
  const faults = valueOf('--faults');
  const result = await runSeed({ seed: each, template, onLine, isTraced: args.includes('--trace'), actions, faults });
  if (result.violations.length > 0) failed++;
  for (const violation of result.violations) console.log(`seed ${each}: ${violation}`);
  if (seed !== undefined) console.log(result.counts, result.faults, result.digest);
}
console.log(`${count} seeds, ${failed} failed, ${((realNow() - startMs) / count).toFixed(0)} ms each`);
process.exit(failed > 0 ? 1 : 0);
