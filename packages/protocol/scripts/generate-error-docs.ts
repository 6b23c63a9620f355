// Writes docs/errors.md.
import { writeFileSync } from 'node:fs';
import { renderErrorDocs } from './error-docs.ts';

writeFileSync(new URL('../../../docs/errors.md', import.meta.url), renderErrorDocs());
