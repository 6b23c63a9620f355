// Creates the markets of a file one after another, and reports the outcome of each line.
import { PresageApiError } from '@presage/sdk';
import { ApprovalPending, type OperatorClient } from '@presage/sdk/operator';
import type { MarketLine } from './market-lines.ts';

/** valid: a dry run found nothing wrong. */
type LineOutcome = 'valid' | 'created' | 'scheduled' | 'already there' | 'waits for approval' | 'refused';

export interface LineReport {
  readonly line: number;
  readonly outcome: LineOutcome;
  /** Id of the market, of its schedule or of the approval request; for a refused line, the error code. */
  readonly id: string;
  readonly question: string;
  /** Reason of a refusal. */
  readonly detail: string;
}

export interface BulkOptions {
  readonly operator: OperatorClient;
  readonly isDryRun: boolean;
  readonly draft: boolean;
  readonly reason: string | undefined;
  readonly onReport: (report: LineReport) => void;
}

/** Has no overall timeout: each call has its own. A refused line does not stop the others; any other error, such as a lost connection, does. */
export async function runBulk(lines: readonly MarketLine[], options: BulkOptions): Promise<LineReport[]> {
  const reports: LineReport[] = [];
  for (const { line, params } of lines) {
    const about = { line, question: params.question ?? '', detail: '' };
    const report = await runLine(params, options).then(
      (done) => ({ ...about, ...done }),
      (error: unknown) => ({ ...about, ...toRefusal(error) }),
    );
    reports.push(report);
    options.onReport(report);
  }
  return reports;
}

type Done = Pick<LineReport, 'outcome' | 'id'> & Partial<Pick<LineReport, 'question' | 'detail'>>;

async function runLine({ listAt, ...params }: MarketLine['params'], options: BulkOptions): Promise<Done> {
  const { operator, isDryRun, draft, reason } = options;
  if (isDryRun || listAt !== undefined) {
    const { marketId, question, created } = await operator.checkMarket(params);
    if (created) return { outcome: 'already there', id: marketId, question };
    if (isDryRun) return { outcome: 'valid', id: marketId, question };
  }
  const asked = draft ? { ...params, draft } : params;
  if (listAt !== undefined) {
    const { scheduleId, question } = await operator.scheduleMarket({ ...asked, listAt }, { reason });
    return { outcome: 'scheduled', id: scheduleId, question };
  }
  const { marketId, created } = await operator.createMarket(asked, { reason });
  return { outcome: created ? 'created' : 'already there', id: marketId };
}

function toRefusal(error: unknown): Done {
  if (error instanceof ApprovalPending) return { outcome: 'waits for approval', id: error.approval.approvalId };
  if (!(error instanceof PresageApiError)) throw error;
  // A rate limit or an outage would fail the following lines too.
  if (error.status === 429 || error.status >= 500) throw error;
  const { field, expected } = { field: undefined, expected: undefined, ...error.details };
  const detail = field === undefined ? error.message : `${error.message}: ${field} must be ${expected}`;
  return { outcome: 'refused', id: error.code, detail };
}
