// The wallet menu: which wallet is connected, its balance, its one-click setup, and switching to another.
import { useState } from 'react';
import { money, shortHash } from '../lib/format.ts';
import type { AccountState } from '../state/account.ts';
import { usePage } from '../state/page-context.ts';
import { useChain, useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { injectedProvider } from '../state/wallets.ts';
import { Dialog } from './dialog.tsx';

const SETUPS: Readonly<Record<AccountState['setup'], string>> = {
  unknown: 'Looking at what is set up',
  working: 'Setting up: permit and approval, no gas',
  ready: 'Set up: orders settle without gas money',
  missing: 'Not set up yet',
};

export function WalletMenu() {
  const { account } = usePage();
  const state = useWatched(account.state);
  const { stablecoin } = useChain();
  const [isOpen, setIsOpen] = useState(false);
  const { wallet, balances } = state;
  return (
    <>
      <button
        type="button"
        className="btn wallet"
        data-testid="wallet"
        data-state={wallet ? wallet.kind : 'no-wallet'}
        onClick={() => setIsOpen(true)}
      >
        {wallet?.kind === 'demo' && <span className="badge">demo</span>}
        {wallet
          ? `${balances ? money(balances.available === undefined ? 0n : BigInt(balances.available)).slice(1) : '…'} ${stablecoin.symbol}`
          : 'Wallet'}
      </button>
      <Dialog title="Wallet" isOpen={isOpen} onClose={() => setIsOpen(false)} testId="wallet-dialog">
        <div className="pad stack">
          {wallet ? <Current state={state} /> : <Choices />}
          {state.failure && (
            <p role="alert" className="no">
              {state.failure.message}. {state.failure.remedy}
            </p>
          )}
        </div>
      </Dialog>
    </>
  );
}

function Choices() {
  const { account } = usePage();
  const config = useConfig();
  const hasInjected = injectedProvider() !== undefined;
  return (
    <>
      <p>Everything on this page can be read without a wallet. To trade, open one:</p>
      {config.sandbox && (
        <button type="button" className="btn" data-testid="open-demo" onClick={() => void account.open('demo', config)}>
          Demo wallet: a key in this browser
        </button>
      )}
      <button
        type="button"
        className="btn"
        data-testid="open-injected"
        disabled={!hasInjected}
        onClick={() => void account.open('injected', config)}
      >
        {hasInjected ? 'Wallet of this browser' : 'No wallet extension found'}
      </button>
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
          <span className="badge">browser wallet</span>
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
        <button type="button" className="btn" data-testid="set-up" onClick={() => void account.setUp()}>
          Set up now, no gas
        </button>
      )}
      {sandbox && (
        <button type="button" className="btn" data-testid="faucet" onClick={() => void account.fund('1000')}>
          Get $1,000 of test money
        </button>
      )}
      <button type="button" className="btn" onClick={() => account.close()}>
        Close this wallet
      </button>
    </>
  );
}
