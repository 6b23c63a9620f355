// Runs one command line and returns its exit code; reports a failure on stderr with a remedy.
import { stringifyJson } from '@presage/protocol';
import { PresageApiError, PresageConnectionError } from '@presage/sdk';
import { ApprovalPending } from '@presage/sdk/operator';
import { CommanderError } from 'commander';
import type { Surroundings } from './context.ts';
import {
  EXIT_CODES,
  type ExitName,
  exitNameOf,
  isFileTrouble,
  MISTAKE_REMEDY,
  NodeUnreachable,
  UnsoundError,
  UsageError,
} from './exit-codes.ts';
import { plain, type Sink } from './output.ts';
import { createProgram } from './program.ts';

interface Failure {
  readonly error: string;
  /** The service's error code, or the name of the exit code. */
  readonly code: string;
  readonly remedy?: string;
  readonly details?: unknown;
  readonly requestId?: string;
}

/** `args` are what follows `presage`. */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings;
  const json = args.includes('--json');
  try {
    await createProgram(surroundings, { isJson: json }).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, { stderr, json });
    if (error.exitCode === 0) return 0;
    // Commander has already printed its own errors in text mode; in JSON mode it prints none.
    return json ? reportFailure(toUsageError(error), { stderr, json }) : EXIT_CODES.usage.code;
  }
}

function reportFailure(error: unknown, { stderr, json }: { readonly stderr: Sink; readonly json: boolean }): number {
  const name = exitNameOf(error);
  // A failed check has already reported what it found.
  if (!(error instanceof UnsoundError)) {
    const failure = toFailure(error, name);
    stderr.write(`${json ? stringifyJson(failure) : draw(failure)}\n`);
  }
  return EXIT_CODES[name].code;
}

/** Turns an error of commander into a usage error, so that JSON reports it like any other. */
function toUsageError({ code, message }: CommanderError): UsageError {
  const mistake = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const text = code === 'commander.help' ? 'a command is missing' : mistake;
  return new UsageError(text, MISTAKE_REMEDY);
}

function toFailure(error: unknown, name: ExitName): Failure {
  const remedy = remedyOf(error, name);
  const body = { error: messageOf(error, name), code: name, ...(remedy && { remedy }) };
  if (error instanceof ApprovalPending) return { ...body, details: { approval: error.approval } };
  if (!(error instanceof PresageApiError)) return body;
  const { code, details, requestId } = error;
  return { ...body, code, ...(details && { details }), ...(requestId !== undefined && { requestId }) };
}

function messageOf(error: unknown, name: ExitName): string {
  if (name === 'timeout') return 'timed out';
  if (name === 'internal') return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return error instanceof Error ? error.message : String(error);
}

function remedyOf(error: unknown, name: ExitName): string | undefined {
  if (lacksAdminListener(error))
    return 'A live service answers operators only on its admin listener: set PRESAGE_ADMIN_URL, such as http://127.0.0.1:8081.';
  if (error instanceof UsageError || error instanceof PresageApiError) return error.remedy;
  if (error instanceof PresageConnectionError)
    return 'Is it running? Start it with `presage start` (in the repository `npm start`), or name it with --url.';
  if (error instanceof ApprovalPending)
    return `Approve it with the key of another operator: \`presage admin approve ${error.approval.approvalId}\`.`;
  if (isFileTrouble(error)) return 'Check the path, its permissions and the free space.';
  if (error instanceof NodeUnreachable) return 'Check that the node is running and that --rpc is its JSON-RPC address.';
  return name === 'timeout' ? 'It may still happen: check again, or allow more time with --timeout.' : undefined;
}

/** The public port of a live service has no paths for operators. */
function lacksAdminListener(error: unknown): boolean {
  if (!(error instanceof PresageApiError) || error.code !== 'not_found') return false;
  return String(error.details?.path ?? '').startsWith('/admin/v1/');
}

function draw({ error, code, remedy, details, requestId }: Failure): string {
  const lines = [
    `presage: ${error.split('\n').map(plain).join('\n')}${code in EXIT_CODES ? '' : ` (${plain(code)})`}`,
    ...(details === undefined ? [] : [`  details: ${plain(stringifyJson(details))}`]),
    ...(remedy === undefined ? [] : [`  ${plain(remedy)}`]),
    ...(requestId === undefined ? [] : [`  request ${plain(requestId)}`]),
  ];
  return lines.join('\n');
}
