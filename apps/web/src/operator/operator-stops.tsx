// What operators stop: all trading, one market, one wallet; and what is stopped now.
import type { Market, TradingControls } from '@presage/sdk';
import type { OperatorClient } from '@presage/sdk/operator';
import { useState } from 'react';
import { shortHash } from '../lib/format.ts';
import { useRemote } from '../state/remote.ts';
import { type RunAction, useOperatorAct } from '../state/use-act.ts';
import { Skeleton } from '../ui/states.tsx';
import { useOperator } from './use-operator.ts';

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
  if (controls === undefined) return reading && <Placeholder />;
  const run: RunAction = async (done, work) => {
    const isDone = await act(done, work);
    reload();
    onDone();
    return isDone;
  };
  const part = { controls, run, reason };
  return (
    <section className="panel o-pad o-third" aria-labelledby="h-stops" aria-busy={isBusy} data-testid="operator-stops">
      <div className="row between">
        <h2 id="h-stops">Stop and resume</h2>
        <span className={controls.halted ? 'badge is-bad' : 'badge is-good'} data-testid="trading-state">
          {controls.halted ? 'Halted' : 'Trading'}
        </span>
      </div>
      <label className="o-label">
        Reason, for the log
        <input className="input" value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
      {trading && <Halt client={trading} {...part} />}
      {trading && <Pauses client={trading} markets={markets} {...part} />}
      {wallets && <Blocks client={wallets} {...part} />}
      <p className="sm t2">Cancels, settlement and redemption go on in every case.</p>
    </section>
  );
}

/** As tall as the content that replaces it. */
function Placeholder() {
  return (
    <div className="panel o-pad o-third">
      <Skeleton rows={14} />
    </div>
  );
}

/** Asks once more in place: it concerns everybody. */
function Halt({ client, controls, run, reason }: PartProps) {
  const [isAsked, setIsAsked] = useState(false);
  if (controls.halted) {
    const resume = () => void run('Trading resumed', () => client.haltTrading(false, { reason }));
    return (
      <button type="button" className="btn btn-main" data-testid="resume-trading" onClick={resume}>
        Resume trading
      </button>
    );
  }
  if (!isAsked) {
    return (
      <button type="button" className="btn btn-line" data-testid="halt-trading" onClick={() => setIsAsked(true)}>
        Halt all trading
      </button>
    );
  }
  const halt = () => {
    setIsAsked(false);
    void run('Trading is halted', () => client.haltTrading(true, { reason }));
  };
  return (
    <div className="row acts">
      <button type="button" className="btn btn-main sm" data-testid="confirm-halt" onClick={halt}>
        Yes, take no orders
      </button>
      <button type="button" className="btn btn-line sm" onClick={() => setIsAsked(false)}>
        Not now
      </button>
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
  return (
    <>
      <div className="o-line">
        <select
          className="input"
          aria-label="Market to pause"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">Pause a market…</option>
          {open.map(({ id, question }) => (
            <option key={id} value={id}>
              {question}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="btn btn-line sm"
          data-testid="pause-market"
          aria-disabled={chosen === ''}
          onClick={pause}
        >
          Pause
        </button>
      </div>
      <ul className="o-stopped" aria-label="Paused markets">
        {controls.pausedMarkets.map(({ marketId, question }) => (
          <li key={marketId}>
            <span className="grow">{question}</span>
            <button
              type="button"
              className="btn btn-line sm"
              onClick={() => void run('The market takes orders', () => client.pauseMarket(marketId, false, { reason }))}
            >
              Resume<span className="sr"> {question}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Blocks({ client, controls, run, reason }: PartProps) {
  const [address, setAddress] = useState('');
  const block = async () => {
    if (await run('The wallet is blocked', () => client.blockWallet(address.trim(), true, { reason }))) setAddress('');
  };
  return (
    <>
      <div className="o-line">
        <input
          className="input"
          aria-label="Wallet to block"
          placeholder="0x… wallet"
          spellCheck={false}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        <button type="button" className="btn btn-line sm" data-testid="block-wallet" onClick={() => void block()}>
          Block
        </button>
      </div>
      <ul className="o-stopped" aria-label="Blocked wallets">
        {controls.blockedWallets.map((wallet) => (
          <li key={wallet.address}>
            <span className="grow">{shortHash(wallet.address)}</span>
            <button
              type="button"
              className="btn btn-line sm"
              onClick={() =>
                void run('The wallet may trade', () => client.blockWallet(wallet.address, false, { reason }))
              }
            >
              Unblock<span className="sr"> {wallet.address}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
