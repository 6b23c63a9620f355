// `npm run test:long`: every test at its full count; further arguments are vitest's.

process.env.PRESAGE_TEST_LONG = '1';
process.argv.splice(2, 0, 'run', '--reporter=default', '--reporter=./scripts/failure-reporter.ts');
await import(new URL('../node_modules/vitest/vitest.mjs', import.meta.url).href);
