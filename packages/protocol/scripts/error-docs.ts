// docs/errors.md out of the catalogue: every code with its status, its text and what to do.
import { ERRORS } from '../src/core/errors.ts';

const HEAD = `# Errors

Every error code that the service answers with, what it means and what to do about it. Look your code up in the table.

A refusal is \`{error, code, details?, requestId}\`; relayer endpoints add \`success: false\`. The code never changes its
meaning; \`details\` says what a person needs in order to fix the request; \`requestId\` is also the header \`X-Request-Id\`.
\`error\` is the text below or, where \`details\` allows it, a sentence with the names and numbers of the case: programs compare the code.
"Retry" marks those that may succeed later without being changed: they come with \`Retry-After\`.

This page is made from \`packages/protocol/src/core/errors.ts\` by \`npm run gen\`.

| Code | Status | Text | What to do | Retry |
|---|---|---|---|---|
`;

export function renderErrorDocs(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, error, remedy, retryable }]) =>
      `| \`${code}\` | ${status} | ${error} | ${remedy} | ${retryable ? 'yes' : ''} |`,
  );
  return `${HEAD}${rows.join('\n')}\n`;
}
