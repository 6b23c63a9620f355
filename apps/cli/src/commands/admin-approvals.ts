// `presage admin approvals|approve|reject`: actions that need a second operator.
import type { Approval } from '@presage/sdk';
import { type Call, type CommandSpec, command, REASON, type Reasoned } from '../command-spec.ts';
import { drawTime } from '../durations.ts';
import { openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';

const APPROVALS: readonly Column<Approval>[] = [
  { title: 'ID', cell: ({ approvalId }) => approvalId },
  { title: 'WHO', cell: ({ requestedBy, requestedByName }) => plain(requestedByName ?? requestedBy) },
  { title: 'WHAT', cell: ({ action }) => action },
  { title: 'ON', cell: ({ params, body }) => plain(subjectOf({ ...body, ...params })).slice(0, 40) },
  { title: 'WHY', cell: ({ reason }) => plain(reason) },
  { title: 'UNTIL (UTC)', cell: ({ expiresAt }) => drawTime(expiresAt) },
];

export const APPROVAL_COMMANDS: readonly CommandSpec[] = [
  command('approvals', 'list the actions that wait for a second operator', listApprovals),
  command('approve <id>', 'confirm an action that another operator requested, and carry it out', approve),
  command('reject <id>', 'reject an action that an operator requested', reject, REASON),
];

function subjectOf(given: Readonly<Record<string, unknown>>): string {
  const { id, keyId, address, question, key, name } = given;
  const subject = [id, keyId, address, question, key, name].find((each) => typeof each === 'string');
  return typeof subject === 'string' ? subject : '-';
}

async function listApprovals({ context }: Call): Promise<void> {
  const list = await (await openOperator(context)).listApprovals({ signal: context.signal });
  context.output.showTable(list, { columns: APPROVALS, rows: list.approvals, empty: 'no action waits for approval' });
}

async function approve({ context, args: [id = ''] }: Call): Promise<void> {
  const done = await (await openOperator(context)).confirmApproval(id, { signal: context.signal });
  context.output.show(done, () => `${done.action} is done`);
}

async function reject({ context, args: [id = ''], options: { reason } }: Call<Reasoned>): Promise<void> {
  const answer = await (await openOperator(context)).rejectApproval(id, { reason, signal: context.signal });
  context.output.show(answer, () => `${answer.approvalId} is rejected`);
}
