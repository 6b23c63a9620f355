// Actions that wait for a second operator: what was requested, by whom and why, with buttons to approve and reject.
import type { Approval } from '@presage/sdk';
import { clockTime } from '../lib/times.ts';
import { useRemote } from '../state/remote.ts';
import { useOperatorAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { useOperator } from './operator-access.tsx';

/** Renders nothing if no action waits. */
export function OperatorApprovals() {
  const client = useOperator('read');
  const { run, isBusy } = useOperatorAct();
  const { value, reload } = useRemote(
    client === undefined ? '' : 'approvals',
    (signal) => client!.listApprovals({ signal }),
    { everyMs: 5_000 },
  );
  if (client === undefined || value === undefined || value.count === 0) return null;
  const answer = async (done: string, work: () => Promise<unknown>) => {
    await run(done, work);
    reload();
  };
  return (
    <Panel id="approvals" title="To be confirmed" className="o-desk" testId="approvals" isBusy={isBusy}>
      <ul className="desk">
        {value.approvals.map((approval) => (
          <li key={approval.approvalId}>
            <Asked approval={approval} />
            <div className="row acts">
              <Button
                look="main sm"
                testId="approve"
                onClick={() => void answer('Confirmed and done', () => client.confirmApproval(approval.approvalId))}
              >
                Confirm
              </Button>
              <Button
                look="line sm"
                testId="reject"
                onClick={() => void answer('Rejected', () => client.rejectApproval(approval.approvalId))}
              >
                Reject
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Asked({
  approval: { action, params, body, requestedBy, requestedByName, reason, expiresAt },
}: {
  readonly approval: Approval;
}) {
  const given = Object.entries({ ...params, ...body }).filter(([name]) => name !== 'reason');
  return (
    <div className="grow">
      <p>
        <b>{action.replaceAll('-', ' ')}</b>{' '}
        <span className="t2">{given.map(([name, value]) => `${name} ${String(value)}`).join(', ')}</span>
      </p>
      <p className="sm t2">
        {requestedByName ?? requestedBy}, until {clockTime(expiresAt)}
        {reason !== '' && `: ${reason}`}
      </p>
    </div>
  );
}
