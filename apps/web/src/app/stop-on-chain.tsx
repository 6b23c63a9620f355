// Stops all orders of the wallet on the chain, and undoes it. The chain enforces the stop even against the service.
import { useState } from 'react';
import { useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useAct } from '../state/use-act.ts';
import { ConfirmBox, type ConfirmProps } from '../ui/confirm-box.tsx';
import { Button } from '../ui/controls.tsx';
import type { OpenWallet } from '../wallet/wallets.ts';

export function StopOnChain({ wallet }: { readonly wallet: OpenWallet }) {
  const { halted, trading, reload } = useHalts(wallet);
  const [isAsking, setIsAsking] = useState(false);
  const { isBusy, run } = useAct('halt');
  if (halted === undefined) return null;
  const isHalted = halted.length > 0;
  const change = async () => {
    if (isHalted) for (const chainId of halted) await (await wallet.client.resumeTrading({ chainId })).wait();
    else for (const chainId of trading) await (await wallet.client.haltTrading({ chainId })).wait();
  };
  const act = async () => {
    const told = isHalted
      ? { doing: 'Resuming', done: 'You can trade again' }
      : { doing: 'Stopping your orders', done: 'All your orders are stopped' };
    await run(told, change);
    setIsAsking(false);
    reload();
  };
  if (isHalted) return <Stopped isBusy={isBusy} onResume={() => void act()} />;
  if (isAsking) return <Question isBusy={isBusy} onConfirm={() => void act()} onCancel={() => setIsAsking(false)} />;
  return (
    <Button look="line" testId="stop-on-chain" onClick={() => setIsAsking(true)}>
      Stop all my orders on chain
    </Button>
  );
}

/** Chains on which the wallet has halted trading, and those on which it has not; `halted` is undefined until all have answered. */
function useHalts({ client, address }: OpenWallet) {
  const { chains } = useConfig();
  const { value, reload } = useRemote(`halts ${address}`, (signal) =>
    Promise.all(
      chains.map(async ({ chainId }) => {
        const { settlement } = await client.getApprovals(address, { chain_id: chainId }, { signal });
        return { chainId, isHalted: settlement.haltEffectiveAfter !== null };
      }),
    ),
  );
  const idsOf = (isHalted: boolean) =>
    (value ?? []).filter((each) => each.isHalted === isHalted).map(({ chainId }) => chainId);
  return { halted: value && idsOf(true), trading: idsOf(false), reload };
}

function Question(asked: ConfirmProps) {
  const { chains } = useConfig();
  const grace = Math.max(...chains.map(({ settlementGraceSeconds }) => settlementGraceSeconds));
  return (
    <ConfirmBox testId="confirm-stop" yes="Yes, stop all my orders" busy="Stopping…" {...asked}>
      Your open orders are cancelled and new ones are refused. The chain then settles no new trade of yours, whoever
      asks; trades that matched before still settle for {Math.ceil(grace / 60)} minutes. Your money and shares stay
      yours, and only this wallet can undo it. One signature, no gas.
    </ConfirmBox>
  );
}

function Stopped({ isBusy, onResume }: { readonly isBusy: boolean; readonly onResume: () => void }) {
  return (
    <div className="confirm" data-testid="stopped-on-chain">
      <p className="sm">
        You have stopped all your orders on the chain. New orders are refused until you resume; those that were
        cancelled do not come back.
      </p>
      <div className="row acts">
        <Button look="main sm" testId="resume" aria-busy={isBusy} onClick={onResume}>
          {isBusy ? 'Resuming…' : 'Resume trading'}
        </Button>
      </div>
    </div>
  );
}
