// The button that verifies the exchange in this browser, its progress, and the verdict.

import { useReceipts } from '../state/kept-receipts.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import type { PageVerdict } from './messages.ts';
import { findingsOf, plural } from './verdict.ts';
import type { VerificationState } from './verification.ts';

export function VerifyPanel() {
  const { verification } = usePage();
  const state = useWatched(verification.state);
  const receipts = useReceipts();
  const isRunning = state.name === 'running';
  return (
    <section
      className="panel proof-pad proof-verify"
      aria-labelledby="h-verify"
      data-testid="verify-panel"
      data-state={stateName(state)}
    >
      <div className="proof-hero" role="status">
        <span className={`seal ${SEALS[stateName(state)] ?? ''}`} aria-hidden="true">
          {isRunning ? (
            <span className="spin" />
          ) : (
            <Icon name={stateName(state) === 'unsound' ? 'cross' : 'check'} size={26} />
          )}
        </span>
        <div className="grow">
          <h2 id="h-verify" className="fig" data-testid="verdict">
            {headlineOf(state)}
          </h2>
          <p className="t2">{sublineOf(state)}</p>
        </div>
        <button
          type="button"
          className={isRunning ? 'btn btn-line' : 'btn btn-main'}
          data-testid="verify"
          onClick={() => (isRunning ? verification.stop() : verification.start(receipts))}
        >
          {isRunning ? 'Stop' : state.name === 'idle' ? 'Check it now' : 'Check again'}
        </button>
      </div>
      {isRunning && <ProgressBar state={state} />}
      {state.name === 'done' && <Verdict verdict={state.verdict} receipts={state.receipts} />}
    </section>
  );
}

const SEALS: Readonly<Record<string, string>> = { sound: 'is-good', unsound: 'is-bad', failed: 'is-warn' };

function stateName(state: VerificationState): string {
  if (state.name === 'done') return state.verdict.sound ? 'sound' : 'unsound';
  return state.name;
}

function headlineOf(state: VerificationState): string {
  switch (state.name) {
    case 'idle':
      return 'Do not trust. Check.';
    case 'running':
      return 'Checking';
    case 'failed':
      return 'Not checked';
    case 'done':
      return state.verdict.sound ? 'Everything checks out' : 'A rule was broken';
  }
}

function sublineOf(state: VerificationState): string {
  switch (state.name) {
    case 'idle':
      return 'Your browser reads every order and trade of this exchange and decides each of them again.';
    case 'running':
      return state.progress === undefined
        ? 'Loading the records'
        : `${state.progress.records.toLocaleString('en-US')} of ${plural(state.progress.total, 'record')}`;
    case 'failed':
      return `Nothing was found out: ${state.text}.`;
    case 'done':
      return `${plural(state.verdict.counts.records, 'record')}, ${state.verdict.seconds.toFixed(1)} s.`;
  }
}

function ProgressBar({ state }: { readonly state: Extract<VerificationState, { name: 'running' }> }) {
  const { records = 0, total = 0 } = state.progress ?? {};
  return (
    <progress aria-label="How much is checked" max={Math.max(total, 1)} value={records} data-testid="verify-progress" />
  );
}

function Verdict({ verdict, receipts }: { readonly verdict: PageVerdict; readonly receipts: number }) {
  const { violation } = verdict;
  if (violation !== undefined) {
    return (
      <div className="proof-violation" role="alert" data-testid="violation">
        <p>
          <strong>{capitalise(violation.meaning)}.</strong>
          {violation.seq !== undefined && ` At record ${violation.seq} of ${violation.partition ?? 'the journal'}.`}
        </p>
        <p className="sm t2">{violation.detail}</p>
        <p className="sm t2">Keep your receipts: together with the published records they prove it to anyone.</p>
      </div>
    );
  }
  return (
    <ul className="findings" data-testid="findings">
      {findingsOf(verdict, receipts).map(({ title, text }) => (
        <li key={title}>
          <Icon name="check" />
          <div>
            <b>{title}</b>
            <p className="sm t2">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
