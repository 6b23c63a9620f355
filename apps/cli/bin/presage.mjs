#!/usr/bin/env node
// The `presage` command: runs the program from its sources, bundled once.
import { fileURLToPath } from 'node:url';
import { run } from '../../../scripts/run.mjs';

await run(fileURLToPath(new URL('../src/main.ts', import.meta.url)));
