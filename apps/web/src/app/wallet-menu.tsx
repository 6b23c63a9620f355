// The wallet menu: which wallet is connected, its balance, its one-click setup, and switching to another.
import { useState } from 'react';
import { money, shortHash } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { setPalette, switchZone, usePreferences } from '../state/preferences.ts';
import { useChain, useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { actOnWallet } from '../state/use-act.ts';
import { AutoClaimSwitch } from '../ui/auto-claim-switch.tsx';
import { ChainAway } from '../ui/chain-away.tsx';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { AccountState } from '../wallet/account.ts';
import { browserWallets, listBrowserWallets } from '../wallet/browser-wallets.ts';
import { StopOnChain } from './stop-on-chain.tsx';

const SETUPS: Readonly<Record<AccountState['setup'], string>> = {
  unknown: 'Checking the setup',
  working: 'Setting up: permit and approval, no gas',
  ready: 'Set up: orders settle without gas',
  missing: 'Not set up yet',
};

export function WalletMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { account } = usePage();
  const state = useWatched(account.state);
  const [isOpen, setIsOpen] = useState(false);
  const { wallet, balances } = state;
  const help = () => {
    setIsOpen(false);
    onHelp();
  };
  return (
    <>
      <Button
        className={wallet ? 'purse' : 'btn btn-main'}
        testId="wallet"
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
      </Button>
      <Dialog title="Wallet" isOpen={isOpen} onClose={() => setIsOpen(false)} testId="wallet-dialog">
        <div className="pad stack">
          {wallet ? <Current state={state} /> : <Choices />}
          <DisplayChoices onHelp={help} />
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
  const isLocal = zone === 'local';
  const setSafe = () => setPalette(isSafe ? 'usual' : 'colour-blind');
  return (
    <div className="row wrap-row">
      <Button look="line sm" role="switch" aria-checked={isSafe} testId="palette" onClick={setSafe}>
        Colours for the colour-blind: {isSafe ? 'on' : 'off'}
      </Button>
      <Button look="line sm" role="switch" aria-checked={isLocal} testId="local-time" onClick={switchZone}>
        Times in your zone: {isLocal ? 'on' : 'off'}
      </Button>
      <Button look="quiet sm" onClick={onHelp}>
        Keyboard shortcuts
      </Button>
    </div>
  );
}

function Choices() {
  const { account } = usePage();
  const config = useConfig();
  useWatched(browserWallets);
  const wallets = listBrowserWallets();
  const open = (walletId: string) => account.open('injected', config, { walletId });
  return (
    <>
      <p>Everything on this page can be read without a wallet. To trade, open one:</p>
      {config.sandbox && (
        <Button look="main" testId="open-demo" onClick={() => void account.open('demo', config)}>
          Start with $1,000 of demo money
        </Button>
      )}
      {wallets.map(({ id, name }) => (
        <Button key={id} look="line" testId="open-injected" onClick={() => void open(id)}>
          {name}
        </Button>
      ))}
      {wallets.length === 0 && <p className="sm t2">No wallet extension was found in this browser.</p>}
      {config.sandbox && (
        <p className="muted">The key of a demo wallet is unprotected in this browser: use it for play money only.</p>
      )}
    </>
  );
}

function Current({ state }: { readonly state: AccountState }) {
  const page = usePage();
  const { account } = page;
  const fund = () => account.fund('1000');
  const { wallet, balances, setup } = state;
  const { sandbox } = useConfig();
  const { stablecoin } = useChain(undefined);
  if (!wallet) return null;
  const amount = (text: string | undefined) =>
    text === undefined ? '…' : `${money(BigInt(text)).slice(1)} ${stablecoin.symbol}`;
  return (
    <>
      <p>
        <span className="badge">
          {wallet.kind === 'demo'
            ? 'demo wallet, key in this browser'
            : (wallet.browserWallet?.name ?? 'browser wallet')}
        </span>{' '}
        <span title={wallet.address}>{shortHash(wallet.address)}</span>
      </p>
      <ChainAway what="Balances" since={state.balancesSince} />
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
        <Button look="main" testId="set-up" onClick={() => void account.setUp()}>
          Set up now, no gas
        </Button>
      )}
      {sandbox && (
        <Button look="line" testId="faucet" onClick={() => void actOnWallet(page, 'No money was added', fund)}>
          Get $1,000 of test money
        </Button>
      )}
      <AutoClaimSwitch look="line" />
      <StopOnChain wallet={wallet} />
      <Button look="quiet" onClick={() => account.close()}>
        Disconnect
      </Button>
    </>
  );
}
