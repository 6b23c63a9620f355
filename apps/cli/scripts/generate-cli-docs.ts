// Writes docs/cli.md.
import { writeFileSync } from 'node:fs';
import { renderCliDocs } from './cli-docs.ts';

writeFileSync(new URL('../../../docs/cli.md', import.meta.url), renderCliDocs());
