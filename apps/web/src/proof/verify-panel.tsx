// The button that verifies the exchange in this browser, its progress, and the verdict.

import { plural } from '../lib/format.ts';
import { useReceipts } from '../state/kept-receipts.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import type { PageVerdict } from './messages.ts';
import { findingsOf } from './verdict.ts';
import type { VerificationState } from './verification.ts';

export function VerifyPanel() {
  const { verification, clock } = usePage();
  const state = useWatched(verification.state);
  const receipts = useReceipts();
  const isRunning = state.name === 'running';
  const name = state.name === 'done' ? (state.verdict.sound ? 'sound' : 'unsound') : state.name;
  // Redraws every second, so that the time counts before the first record arrives.
  useWatched(clock.seconds);
  const [headline, subline] = textsOf(state);
  return (
    <section
      className="panel proof-pad proof-verify"
      aria-labelledby="h-verify"
      data-testid="verify-panel"
      data-state={name}
    >
      <div className="proof-hero" role="status">
        <span className={`seal ${SEALS[name] ?? ''}`} aria-hidden="true">
          {isRunning ? <span className="spin" /> : <Icon name={name === 'unsound' ? 'cross' : 'check'} size={26} />}
        </span>
        <div className="grow">
          <h2 id="h-verify" className="fig" data-testid="verdict">
            {headline}
          </h2>
          <p className="t2">{subline}</p>
        </div>
        <Button
          look={isRunning ? 'line' : 'main'}
          testId="verify"
          onClick={() => (isRunning ? verification.stop() : verification.start(receipts))}
        >
          {isRunning ? 'Stop' : state.name === 'idle' ? 'Check it now' : 'Check again'}
        </Button>
      </div>
      {isRunning && <ProgressBar state={state} />}
      {state.name === 'done' && <Verdict verdict={state.verdict} receipts={state.receipts} />}
    </section>
  );
}

const SEALS: Readonly<Record<string, string>> = { sound: 'is-good', unsound: 'is-bad', failed: 'is-warn' };

function textsOf(state: VerificationState): readonly [headline: string, subline: string] {
  switch (state.name) {
    case 'idle':
      return [
        'Do not trust. Check.',
        'Your browser reads every order and trade of this exchange and decides each of them again.',
      ];
    case 'running': {
      const { records, total } = state.progress ?? {};
      const seconds = Math.max(0, Math.floor((Date.now() - state.sinceMs) / 1_000));
      if (records === undefined || total === undefined) return ['Checking', `Loading the records, ${seconds} s`];
      return ['Checking', `${records.toLocaleString('en-US')} of ${plural(total, 'record')}`];
    }
    case 'failed':
      return ['Not checked', `The check did not finish: ${state.text}.`];
    case 'done': {
      const { sound, counts, seconds } = state.verdict;
      const pace = `${plural(counts.records, 'record')}, ${seconds.toFixed(1)} s.`;
      return [sound ? 'Everything checks out' : 'A rule was broken', pace];
    }
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
