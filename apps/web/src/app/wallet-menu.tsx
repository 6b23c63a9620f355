// The wallet menu: which wallet is connected, its balance, its one-click setup, and switching to another.
import { useState } from 'react';
import { money, shortHash } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { setPalette, switchZone, usePreferences } from '../state/preferences.ts';
import { useChain, useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { AccountState } from '../wallet/account.ts';
import { browserWallets, listBrowserWallets } from '../wallet/browser-wallets.ts';
import { StopOnChain } from './stop-on-chain.tsx';

const SETUPS: Readonly<Record<AccountState['setup'], string>> = {
  unknown: 'Looking at what is set up',
  working: 'Setting up: permit and approval, no gas',
  ready: 'Set up: orders settle without gas money',
  missing: 'Not set up yet',
};

export function WalletMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { account } = usePage();
  const state = useWatched(account.state);
  const [isOpen, setIsOpen] = useState(false);
  const { wallet, balances } = state;
  return (
    <>
      <button
        type="button"
        className={wallet ? 'purse' : 'btn btn-main'}
        data-testid="wallet"
        data-state={wallet ? wallet.kind : 'no-wallet'}
        onClick={() => setIsOpen(true)}
      >
        {wallet ? (
          <>
            <span className="sr">Wallet</span>
            {balances ? money(BigInt(balances.available)) : '…'}
            {wallet.kind === 'demo' && <span className="badge is-warn">Demo</span>}
          </>
        ) : (
          'Start trading'
        )}
      </button>
      <Dialog title="Wallet" isOpen={isOpen} onClose={() => setIsOpen(false)} testId="wallet-dialog">
        <div className="pad stack">
          {wallet ? <Current state={state} /> : <Choices />}
          <DisplayChoices
            onHelp={() => {
              setIsOpen(false);
              onHelp();
            }}
          />
          {state.failure && (
            <p role="alert" className="bad">
              {state.failure.message}. {state.failure.remedy}
            </p>
          )}
        </div>
      </Dialog>
    </>
  );
}

function DisplayChoices({ onHelp }: { readonly onHelp: () => void }) {
  const { palette, zone } = usePreferences();
  const isSafe = palette === 'colour-blind';
  return (
    <div className="row wrap-row">
      <button
        type="button"
        className="btn btn-line sm"
        aria-pressed={isSafe}
        data-testid="palette"
        onClick={() => setPalette(isSafe ? 'usual' : 'colour-blind')}
      >
        {isSafe ? 'Usual colours' : 'Colours for the colour-blind'}
      </button>
      <button
        type="button"
        className="btn btn-line sm"
        aria-pressed={zone === 'local'}
        data-testid="local-time"
        onClick={switchZone}
      >
        {zone === 'local' ? 'Times in UTC' : 'Times where you are'}
      </button>
      <button type="button" className="btn btn-quiet sm" onClick={onHelp}>
        Keys
      </button>
    </div>
  );
}

function Choices() {
  const { account } = usePage();
  const config = useConfig();
  useWatched(browserWallets);
  const wallets = listBrowserWallets();
  return (
    <>
      <p>Everything on this page can be read without a wallet. To trade, open one:</p>
      {config.sandbox && (
        <button
          type="button"
          className="btn btn-main"
          data-testid="open-demo"
          onClick={() => void account.open('demo', config)}
        >
          Start with $1,000 of demo money
        </button>
      )}
      {wallets.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className="btn btn-line"
          data-testid="open-injected"
          onClick={() => void account.open('injected', config, { walletId: id })}
        >
          {name}
        </button>
      ))}
      {wallets.length === 0 && <p className="sm t2">No wallet extension was found in this browser.</p>}
      {config.sandbox && (
        <p className="muted">The key of a demo wallet lies unprotected in this browser: for play money only.</p>
      )}
    </>
  );
}

function Current({ state }: { readonly state: AccountState }) {
  const { account } = usePage();
  const { wallet, balances, setup } = state;
  const { sandbox } = useConfig();
  const { stablecoin } = useChain();
  if (!wallet) return null;
  const amount = (text: string | undefined) =>
    text === undefined ? '…' : `${money(BigInt(text)).slice(1)} ${stablecoin.symbol}`;
  return (
    <>
      <p>
        {wallet.kind === 'demo' ? (
          <span className="badge">demo wallet, key in this browser</span>
        ) : (
          <span className="badge">{wallet.browserWallet?.name ?? 'browser wallet'}</span>
        )}{' '}
        <span title={wallet.address}>{shortHash(wallet.address)}</span>
      </p>
      <dl className="preview">
        <dt className="muted">Available</dt>
        <dd>{amount(balances?.available)}</dd>
        <dt className="muted">Reserved by orders</dt>
        <dd>{amount(balances?.reserved)}</dd>
      </dl>
      <p className="muted" data-testid="setup" data-state={setup}>
        {SETUPS[setup]}
      </p>
      {setup === 'missing' && (
        <button type="button" className="btn btn-main" data-testid="set-up" onClick={() => void account.setUp()}>
          Set up now, no gas
        </button>
      )}
      {sandbox && (
        <button type="button" className="btn btn-line" data-testid="faucet" onClick={() => void account.fund('1000')}>
          Get $1,000 of test money
        </button>
      )}
      <StopOnChain wallet={wallet} />
      <button type="button" className="btn btn-quiet" onClick={() => account.close()}>
        Close this wallet
      </button>
    </>
  );
}
