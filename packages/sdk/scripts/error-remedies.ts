// packages/sdk/src/generated/error-remedies.ts out of the catalogue: a client gets the text from the service, and needs only the rest.
import { ERRORS } from '@presage/protocol/browser';

const HEAD = `// Of every error the status, whether to retry, and what to do about it. Made from the catalogue by \`npm run gen\`; do not edit.

export const ERROR_REMEDIES: Readonly<Record<string, readonly [status: number, isRetryable: 0 | 1, remedy: string]>> = {
`;

export function renderErrorRemedies(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable, remedy }]) =>
      `  ${code}: [${status}, ${retryable ? 1 : 0}, ${JSON.stringify(remedy)}],`,
  );
  return `${HEAD}${rows.join('\n')}\n};\n`;
}
