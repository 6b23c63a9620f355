// A wallet's short address, linked to its public page.
import { Link } from '../app/router.tsx';
import { shortHash } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';

export function WalletLink({ address }: { readonly address: string }) {
  const own = usePart(usePage().account.state, ({ wallet }) => wallet?.address.toLowerCase());
  return (
    <Link className="mono" href={`/wallet/${address}`} title={address}>
      {own === address.toLowerCase() ? <b>you</b> : shortHash(address)}
    </Link>
  );
}
