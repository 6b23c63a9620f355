// Shows whether every share is backed: the collateral on each chain against the need of all markets' shares.
import type { Solvency } from '@presage/sdk';
import { money, plural } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { Icon } from '../ui/icon.tsx';
import { Fact, Panel } from '../ui/panel.tsx';
import { Failed, Skeleton } from '../ui/states.tsx';

type ChainSolvency = Solvency['chains'][number];

const BEAT_MS = 10_000;
const TITLE = 'Every share is backed';

export function useSolvency(): Remote<Solvency> {
  const { reader } = usePage();
  return useRemote('solvency', (signal) => reader.getSolvency({ signal }), { everyMs: BEAT_MS });
}

interface SolvencyPanelProps {
  readonly solvency: Remote<Solvency>;
  readonly className?: string;
}

export function SolvencyPanel({ solvency, className = 'proof-pad' }: SolvencyPanelProps) {
  const { chains } = useConfig();
  const { value } = solvency;
  return (
    <Panel id="solvency" title={TITLE} className={className} head="" testId="solvency" state={solvency.state}>
      {solvency.state === 'loading' && <Skeleton rows={6} />}
      {solvency.state === 'error' && <Failed what="The sums" of={solvency} />}
      {value?.chains.map((chain) => (
        <Backing key={chain.chain_id} chain={chain} name={chains.length > 1 ? `Chain ${chain.chain_id}` : undefined} />
      ))}
    </Panel>
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
        <Fact name="Held on chain">{collateral === null ? 'cannot be read now' : money(collateral)}</Fact>
        <Fact name={`Needed by ${plural(chain.markets, 'market')}`} testId="locked">
          {money(chain.locked)}
        </Fact>
        <Fact name="Difference" testId="drift">
          {drift === null ? 'not known' : differenceText(chain)}
        </Fact>
        <Fact name="Bonds of open proposals">{bonds === null ? 'not known' : money(bonds)}</Fact>
        <Fact name="As of block">{block ?? 'none yet'}</Fact>
      </dl>
    </div>
  );
}

function BackingBadge({ chain }: { readonly chain: ChainSolvency }) {
  const { collateral, drift, unsettled_trades: unsettled } = chain;
  if (drift === null) return <span className="badge">{collateral === null ? 'Chain not reached' : 'Catching up'}</span>;
  const [tone, icon, text] =
    Number(drift) >= 0
      ? (['is-good', 'check', 'Backed'] as const)
      : unsettled > 0
        ? (['is-warn', 'clock', 'Settling'] as const)
        : (['is-bad', 'cross', 'Short'] as const);
  return (
    <span className={`badge ${tone}`}>
      <Icon name={icon} size={12} />
      {text}
    </span>
  );
}

function differenceText({ drift, unsettled_trades: unsettled }: ChainSolvency): string {
  if (drift === null || Number(drift) === 0) return money(drift ?? 0);
  const why = Number(drift) > 0 ? 'shares minted elsewhere' : `${plural(unsettled, 'trade')} on the way`;
  return `${money(drift)} (${why})`;
}
