// Whether every share is backed: what the chain holds against what the shares of all markets need, chain by chain.
import type { Solvency } from '@presage/sdk';
import { money } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { Icon } from '../ui/icon.tsx';
import { Failed, Skeleton } from '../ui/states.tsx';
import { plural } from './verdict.ts';

type ChainSolvency = Solvency['chains'][number];

const BEAT_MS = 10_000;

export function useSolvency(): Remote<Solvency> {
  const { reader } = usePage();
  return useRemote('solvency', (signal) => reader.getSolvency({ signal }), { everyMs: BEAT_MS });
}

interface SolvencyPanelProps {
  readonly solvency: Remote<Solvency>;
  readonly className?: string;
}

export function SolvencyPanel({ solvency, className = 'panel proof-pad' }: SolvencyPanelProps) {
  const { chains } = useConfig();
  const { value } = solvency;
  return (
    <section className={className} aria-labelledby="h-solvency" data-testid="solvency" data-state={solvency.state}>
      <h2 id="h-solvency">Every share is backed</h2>
      {solvency.state === 'loading' && <Skeleton rows={6} />}
      {solvency.state === 'error' && <Failed what="The sums" failure={solvency.failure} onRetry={solvency.reload} />}
      {value?.chains.map((chain) => (
        <Backing key={chain.chain_id} chain={chain} name={chains.length > 1 ? `Chain ${chain.chain_id}` : undefined} />
      ))}
    </section>
  );
}

function Backing({ chain, name }: { readonly chain: ChainSolvency; readonly name: string | undefined }) {
  const { collateral, drift, bonds, block } = chain;
  return (
    <div className="backing" data-chain={chain.chain_id}>
      {name !== undefined && <h3>{name}</h3>}
      <p className="row between">
        <span className="fig-md" data-testid="collateral">
          {collateral === null ? '–' : money(collateral)}
        </span>
        <BackingBadge chain={chain} />
      </p>
      <dl className="o-lines">
        <Line term="Held on chain" text={collateral === null ? 'cannot be read now' : money(collateral)} />
        <Line term={`Needed by ${plural(chain.markets, 'market')}`} text={money(chain.locked)} testId="locked" />
        <Line term="Difference" text={drift === null ? 'not known' : differenceText(chain)} testId="drift" />
        <Line term="Bonds of open proposals" text={bonds === null ? 'not known' : money(bonds)} />
        <Line term="As of block" text={block === null ? 'none yet' : String(block)} />
      </dl>
    </div>
  );
}

function Line({ term, text, testId }: { readonly term: string; readonly text: string; readonly testId?: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd data-testid={testId}>{text}</dd>
    </div>
  );
}

function BackingBadge({ chain: { drift, unsettled_trades: unsettled } }: { readonly chain: ChainSolvency }) {
  if (drift === null) return <span className="badge">Chain not reached</span>;
  if (Number(drift) >= 0) {
    return (
      <span className="badge is-good">
        <Icon name="check" size={12} />
        Backed
      </span>
    );
  }
  const isUnderWay = unsettled > 0;
  return (
    <span className={isUnderWay ? 'badge is-warn' : 'badge is-bad'}>
      <Icon name={isUnderWay ? 'clock' : 'cross'} size={12} />
      {isUnderWay ? 'Settling' : 'Short'}
    </span>
  );
}

function differenceText({ drift, unsettled_trades: unsettled }: ChainSolvency): string {
  if (drift === null || Number(drift) === 0) return money(drift ?? 0);
  const why = Number(drift) > 0 ? 'shares made elsewhere' : `${plural(unsettled, 'trade')} on the way`;
  return `${money(drift)} (${why})`;
}
