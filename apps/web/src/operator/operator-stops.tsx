// Stops of operators: all trading, one market, one wallet; and the stops that are in force.
import type { Market, TradingControls } from '@presage/sdk';
import type { OperatorClient } from '@presage/sdk/operator';
import { useState } from 'react';
import { shortHash } from '../lib/format.ts';
import { useRemote } from '../state/remote.ts';
import { type RunAction, useOperatorAct } from '../state/use-act.ts';
import { Button, Select, TextInput } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useOperator } from './operator-access.tsx';

interface StopsProps {
  readonly markets: readonly Market[];
  readonly onDone: () => void;
}

interface PartProps {
  readonly client: OperatorClient;
  readonly controls: TradingControls;
  readonly run: RunAction;
  readonly reason: string;
}

export function OperatorStops({ markets, onDone }: StopsProps) {
  const reading = useOperator('read');
  const trading = useOperator('trading');
  const wallets = useOperator('wallets');
  const { run: act, isBusy } = useOperatorAct();
  const [reason, setReason] = useState('');
  const { value: controls, reload } = useRemote(
    reading === undefined ? '' : 'controls',
    (signal) => reading!.getTradingControls({ signal }),
    { everyMs: 5_000 },
  );
  if (controls === undefined) {
    // The skeleton is as tall as the content that replaces it.
    return (
      reading && (
        <div className="panel o-pad o-third">
          <Skeleton rows={14} />
        </div>
      )
    );
  }
  const run: RunAction = async (done, work) => {
    const isDone = await act(done, work);
    reload();
    onDone();
    return isDone;
  };
  const part = { controls, run, reason };
  return (
    <Panel
      id="stops"
      title="Stop and resume"
      aside={
        <span className={controls.halted ? 'badge is-bad' : 'badge is-good'} data-testid="trading-state">
          {controls.halted ? 'Halted' : 'Trading'}
        </span>
      }
      className="o-pad o-third"
      head="row between"
      testId="operator-stops"
      isBusy={isBusy}
    >
      <label className="o-label" htmlFor="stop-reason">
        Reason, for the log
        <TextInput id="stop-reason" className="input" value={reason} maxLength={500} onText={setReason} />
      </label>
      {trading && <Halt client={trading} {...part} />}
      {trading && <Pauses client={trading} markets={markets} {...part} />}
      {wallets && <Blocks client={wallets} {...part} />}
      <p className="sm t2">Cancels, settlement and redemption continue in every case.</p>
    </Panel>
  );
}

/** Halts all trading; asks for confirmation in place, because it affects every user. */
function Halt({ client, controls, run, reason }: PartProps) {
  const [isAsked, setIsAsked] = useState(false);
  const set = (isHalted: boolean) => {
    setIsAsked(false);
    const done = isHalted ? 'Trading is halted' : 'Trading resumed';
    void run(done, () => client.haltTrading(isHalted, { reason }));
  };
  if (controls.halted) {
    return (
      <Button look="main" testId="resume-trading" onClick={() => set(false)}>
        Resume trading
      </Button>
    );
  }
  if (!isAsked) {
    return (
      <Button look="line" testId="halt-trading" onClick={() => setIsAsked(true)}>
        Halt all trading
      </Button>
    );
  }
  return (
    <div className="row acts">
      <Button look="main sm" testId="confirm-halt" onClick={() => set(true)}>
        Yes, halt trading
      </Button>
      <Button look="line sm" onClick={() => setIsAsked(false)}>
        Not now
      </Button>
    </div>
  );
}

function Pauses({ client, controls, run, reason, markets }: PartProps & { readonly markets: readonly Market[] }) {
  const [chosen, setChosen] = useState('');
  const open = markets.filter(({ kind, status, paused }) => kind === 'standard' && status === 'open' && !paused);
  const pause = () => {
    if (chosen !== '') void run('The market is paused', () => client.pauseMarket(chosen, true, { reason }));
    setChosen('');
  };
  const options = [
    { value: '', text: 'Pause a market…' },
    ...open.map(({ id, question }) => ({ value: id, text: question })),
  ];
  const onChain = controls.pausedMarkets.filter((market) => market.onChain);
  const ours = controls.pausedMarkets.filter((market) => !market.onChain);
  const paused = ours.map(({ marketId, question }) => ({
    id: marketId,
    text: question,
    name: question,
    done: 'The market takes orders',
    work: () => client.pauseMarket(marketId, false, { reason }),
  }));
  return (
    <>
      <div className="o-line">
        <Select className="input" aria-label="Market to pause" value={chosen} options={options} onPick={setChosen} />
        <Button look="line sm" testId="pause-market" aria-disabled={chosen === ''} onClick={pause}>
          Pause
        </Button>
      </div>
      <StoppedList label="Paused markets" verb="Resume" stopped={paused} run={run} />
      {onChain.map(({ marketId, question }) => (
        <p key={marketId} className="sm t2">
          Paused on chain, until the owner of the contracts resumes it: {question}
        </p>
      ))}
    </>
  );
}

function Blocks({ client, controls, run, reason }: PartProps) {
  const [address, setAddress] = useState('');
  const block = async () => {
    if (await run('The wallet is blocked', () => client.blockWallet(address.trim(), true, { reason }))) setAddress('');
  };
  const blocked = controls.blockedWallets.map((wallet) => ({
    id: wallet.address,
    text: shortHash(wallet.address),
    name: wallet.address,
    done: 'The wallet may trade',
    work: () => client.blockWallet(wallet.address, false, { reason }),
  }));
  return (
    <>
      <div className="o-line">
        <TextInput
          className="input"
          aria-label="Wallet to block"
          placeholder="0x… wallet"
          spellCheck={false}
          value={address}
          onText={setAddress}
        />
        <Button look="line sm" testId="block-wallet" onClick={() => void block()}>
          Block
        </Button>
      </div>
      <StoppedList label="Blocked wallets" verb="Unblock" stopped={blocked} run={run} />
    </>
  );
}

interface StoppedListProps {
  readonly label: string;
  readonly verb: string;
  readonly stopped: readonly { id: string; text: string; name: string; done: string; work: () => Promise<unknown> }[];
  readonly run: RunAction;
}

function StoppedList({ label, verb, stopped, run }: StoppedListProps) {
  return (
    <ul className="o-stopped" aria-label={label}>
      {stopped.map(({ id, text, name, done, work }) => (
        <li key={id}>
          <span className="grow">{text}</span>
          <Button look="line sm" onClick={() => void run(done, work)}>
            {verb}
            <span className="sr"> {name}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
