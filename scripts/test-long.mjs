// `npm run test:long`: runs every test at its full count; further arguments are passed to vitest.

process.env.PRESAGE_TEST_LONG = '1';
process.argv.splice(2, 0, 'run', '--reporter=default', '--reporter=./scripts/failure-reporter.ts');
await import(new URL('../node_modules/vitest/vitest.mjs', import.meta.url).href);
