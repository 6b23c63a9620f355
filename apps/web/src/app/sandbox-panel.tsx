// The sandbox's controls: test money, time travel, pinned prices, the market maker, new markets, and faults.
import { formatAmount, type SandboxFaults } from '@presage/sdk';
import { type FormEvent, type ReactNode, useState } from 'react';
import { readNumber } from '../lib/typed-number.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { navigate, toScreen, usePath } from './router.tsx';

type Act = (text: string, work: () => Promise<unknown>) => void;

const TIME_JUMPS = [
  { seconds: 60, text: '+1 minute' },
  { seconds: 900, text: '+15 minutes' },
  { seconds: 3_600, text: '+1 hour' },
  { seconds: 7_200, text: '+2 hours' },
  { seconds: 86_400, text: '+1 day' },
] as const;

const FAULTS: readonly { readonly text: string; readonly faults: SandboxFaults }[] = [
  { text: 'Chain down', faults: { chain: 'down' } },
  { text: 'Chain slow', faults: { chain: 'slow' } },
  { text: 'Chain up', faults: { chain: 'up' } },
  { text: 'Settlement reverts', faults: { settlement: 'revert' } },
  { text: 'Settlement normal', faults: { settlement: 'normal' } },
  { text: 'Reorg of 2 blocks', faults: { reorgDepth: 2 } },
  { text: 'Oracle stalled', faults: { oracle: 'stalled' } },
  { text: 'Oracle normal', faults: { oracle: 'normal' } },
];

export function SandboxPanel() {
  const { sandbox, account } = usePage();
  const [note, setNote] = useState('');
  const act: Act = (text, work) => {
    setNote(`${text}…`);
    work().then(
      () => {
        setNote(`${text}: done`);
        account.touch();
      },
      (error: unknown) => setNote(`${text}: ${toFailure(error).message}. ${toFailure(error).remedy ?? ''}`),
    );
  };
  return (
    <div className="pad stack" data-testid="sandbox-panel">
      <Money act={act} />
      <Group title="Time: moves the service and the chain together">
        {TIME_JUMPS.map(({ seconds, text }) => (
          <Button key={seconds} text={text} onClick={() => act(text, () => sandbox.advanceTime(seconds))} />
        ))}
      </Group>
      <PricePin act={act} say={setNote} />
      <Group title="Maker: keeps quotes on every book">
        <Button text="Start it" onClick={() => act('Market maker', () => sandbox.runMaker(true))} />
        <Button text="Stop it" onClick={() => act('Market maker', () => sandbox.runMaker(false))} />
      </Group>
      <NewMarket act={act} />
      <Disputes act={act} />
      <Group title="Faults: see how the exchange takes them">
        {FAULTS.map(({ text, faults }) => (
          <Button key={text} text={text} onClick={() => act(text, () => sandbox.setFaults(faults))} />
        ))}
      </Group>
      <p role="status" data-testid="sandbox-note">
        {note}
      </p>
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="group">
      <legend>{title}</legend>
      <div className="chips">{children}</div>
    </fieldset>
  );
}

function Button({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="btn btn-line" onClick={onClick}>
      {text}
    </button>
  );
}

function Money({ act }: { readonly act: Act }) {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  return (
    <Group title="Money: test stablecoin for your wallet">
      {wallet ? (
        ['100', '1000', '10000'].map((amount) => (
          <Button key={amount} text={`+$${amount}`} onClick={() => act(`$${amount}`, () => account.fund(amount))} />
        ))
      ) : (
        <span className="muted">Open a wallet first: test money needs somewhere to go.</span>
      )}
    </Group>
  );
}

interface PricePinProps {
  readonly act: Act;
  readonly say: (note: string) => void;
}

function PricePin({ act, say }: PricePinProps) {
  const { sandbox } = usePage();
  const { assets } = useConfig().quickMarkets;
  const [asset, setAsset] = useState(assets[0] ?? 'BTC');
  const [price, setPrice] = useState('');
  const pin = (event: FormEvent) => {
    event.preventDefault();
    const { units, problem } = readNumber(price, { unit: 'dollars', expected: 'Enter a price in dollars, above 0' });
    if (units === undefined) return say(`${problem}.`);
    const dollars = formatAmount(units);
    act(`${asset} at $${dollars}`, () => sandbox.pinPrice(asset, Number(dollars)));
  };
  return (
    <form onSubmit={pin}>
      <Group title="Prices: held until they are let go">
        <select aria-label="Asset" value={asset} onChange={(event) => setAsset(event.target.value)}>
          {(assets.length === 0 ? ['BTC', 'ETH'] : assets).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <input
          className="input"
          aria-label="Price in dollars"
          inputMode="decimal"
          size={10}
          value={price}
          onChange={(event) => setPrice(event.target.value)}
        />
        <button type="submit" className="btn btn-line">
          Hold it
        </button>
        <Button text="Let go" onClick={() => act(`${asset} let go`, () => sandbox.pinPrice(asset, null))} />
      </Group>
    </form>
  );
}

function NewMarket({ act }: { readonly act: Act }) {
  const { sandbox } = usePage();
  const [question, setQuestion] = useState('');
  const create = (event: FormEvent) => {
    event.preventDefault();
    act('New market', async () => navigate(`/m/${(await sandbox.createMarket({ question })).id}`));
  };
  return (
    <form onSubmit={create}>
      <Group title="A market of your own, open for a week">
        <input
          className="input"
          aria-label="Question"
          value={question}
          placeholder="Will it rain tomorrow?"
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button type="submit" className="btn btn-line">
          List it
        </button>
      </Group>
    </form>
  );
}

function Disputes({ act }: { readonly act: Act }) {
  const { sandbox } = usePage();
  const screen = toScreen(usePath());
  const marketId = screen.name === 'market' ? screen.marketId : undefined;
  if (marketId === undefined) return null;
  return (
    <Group title="Resolution of the market on the screen">
      <Button text="Dispute the proposal" onClick={() => act('Dispute', () => sandbox.dispute(marketId))} />
      <Button
        text="Arbitrate: it was true"
        onClick={() => act('Arbitration', () => sandbox.arbitrate(marketId, true))}
      />
      <Button
        text="Arbitrate: it was false"
        onClick={() => act('Arbitration', () => sandbox.arbitrate(marketId, false))}
      />
    </Group>
  );
}
