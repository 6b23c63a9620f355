// packages/sdk/src/generated/*-remedies.ts out of the catalogue: a client gets the text from the service, and needs only the rest.
import { ERRORS, OPERATOR_ERRORS } from '@presage/protocol/browser';

type Catalogue = Readonly<
  Record<string, { readonly status: number; readonly retryable: boolean; readonly remedy: string }>
>;

/** Refusals of the engine to the service itself: no client is answered with one, and the bundle of a page is small. */
const INTERNAL: ReadonlySet<string> = new Set(['trade_not_found', 'trade_move_refused', 'market_already_listed']);

/** Traders and bots load these. */
export function renderErrorRemedies(): string {
  const shared = Object.entries(ERRORS).filter(([code]) => !(code in OPERATOR_ERRORS) && !INTERNAL.has(code));
  return render('ERROR_REMEDIES', 'every error that a client may see', Object.fromEntries(shared));
}

/** The operators' client loads these beside the others. */
export function renderOperatorRemedies(): string {
  return render('OPERATOR_REMEDIES', "every error of the operators' endpoints alone", OPERATOR_ERRORS);
}

function render(name: string, what: string, errors: Catalogue): string {
  const rows = Object.entries(errors).map(
    ([code, { status, retryable, remedy }]) =>
      `  ${code}: [${status}, ${retryable ? 1 : 0}, ${JSON.stringify(remedy)}],`,
  );
  const head = `// The status of ${what}, whether to retry, and what to do about it. Made from the catalogue by \`npm run gen\`; do not edit.`;
  const type = 'Readonly<Record<string, readonly [status: number, isRetryable: 0 | 1, remedy: string]>>';
  return `${head}\n\nexport const ${name}: ${type} = {\n${rows.join('\n')}\n};\n`;
}
