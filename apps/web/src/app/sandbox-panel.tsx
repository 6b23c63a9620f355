// The sandbox's controls: test money, time travel, pinned prices, the market maker, new markets, and faults.
import { formatAmount, type SandboxFaults } from '@presage/sdk';
import { type FormEvent, type ReactNode, useState } from 'react';
import { readNumber } from '../lib/typed-number.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Button, Select, TextInput } from '../ui/controls.tsx';
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
          <Line key={seconds} text={text} act={act} work={() => sandbox.advanceTime(seconds)} />
        ))}
      </Group>
      <PricePin act={act} say={setNote} />
      <Group title="Maker: keeps quotes on every book">
        <Line text="Start it" name="Market maker" act={act} work={() => sandbox.runMaker(true)} />
        <Line text="Stop it" name="Market maker" act={act} work={() => sandbox.runMaker(false)} />
      </Group>
      <NewMarket act={act} />
      <Disputes act={act} />
      <Group title="Faults: see how the exchange handles them">
        {FAULTS.map(({ text, faults }) => (
          <Line key={text} text={text} act={act} work={() => sandbox.setFaults(faults)} />
        ))}
      </Group>
      <p role="status" data-testid="sandbox-note">
        {note}
      </p>
    </div>
  );
}

interface LineProps {
  readonly text: string;
  readonly act: Act;
  /** Name of the action in the note; the button's text by default. */
  readonly name?: string;
  readonly work: () => Promise<unknown>;
}

function Line({ text, act, name = text, work }: LineProps) {
  return (
    <Button look="line" onClick={() => act(name, work)}>
      {text}
    </Button>
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

function Money({ act }: { readonly act: Act }) {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  return (
    <Group title="Money: test stablecoin for your wallet">
      {wallet ? (
        ['100', '1000', '10000'].map((amount) => (
          <Line key={amount} text={`+$${amount}`} name={`$${amount}`} act={act} work={() => account.fund(amount)} />
        ))
      ) : (
        <span className="muted">Open a wallet first: test money is sent to it.</span>
      )}
    </Group>
  );
}

function PricePin({ act, say }: { readonly act: Act; readonly say: (note: string) => void }) {
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
  const options = (assets.length === 0 ? ['BTC', 'ETH'] : assets).map((value) => ({ value, text: value }));
  return (
    <form onSubmit={pin}>
      <Group title="Prices: a held price stays until you release it">
        <Select aria-label="Asset" value={asset} options={options} onPick={setAsset} />
        <TextInput
          className="input"
          aria-label="Price in dollars"
          inputMode="decimal"
          size={10}
          value={price}
          onText={setPrice}
        />
        <Button look="line" type="submit">
          Hold it
        </Button>
        <Line text="Release" name={`${asset} released`} act={act} work={() => sandbox.pinPrice(asset, null)} />
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
        <TextInput
          className="input"
          aria-label="Question"
          value={question}
          placeholder="Will it rain tomorrow?"
          onText={setQuestion}
        />
        <Button look="line" type="submit">
          List it
        </Button>
      </Group>
    </form>
  );
}

function Disputes({ act }: { readonly act: Act }) {
  const { sandbox } = usePage();
  const screen = toScreen(usePath());
  if (screen.name !== 'market') return null;
  const { marketId } = screen;
  const arbitrate = (isTrue: boolean) => () => sandbox.arbitrate(marketId, isTrue);
  return (
    <Group title="Resolution of the market on the screen">
      <Line text="Dispute the proposal" name="Dispute" act={act} work={() => sandbox.dispute(marketId)} />
      <Line text="Arbitrate: it was true" name="Arbitration" act={act} work={arbitrate(true)} />
      <Line text="Arbitrate: it was false" name="Arbitration" act={act} work={arbitrate(false)} />
    </Group>
  );
}
