// `presage owner`: transactions of the contracts' owner.
import { type Call, type CommandSpec, command, option, required } from '../command-spec.ts';
import type { OwnerOptions } from '../deploy/owner-actions.ts';

const OPTIONS = [
  required('--rpc <url>', 'URL of a node of the chain'),
  required('--key <source>', 'key that signs: env:NAME, file:/path or signer:URL#0xADDRESS'),
  option('--chain <id>', 'chain id (the first chain)'),
  option('--chains <file>', 'chains file, needed if no service runs yet and for quick markets'),
];
const TIMELOCK = 'with a timelock, the first call announces it, and the same command after the delay executes it';

type Actions = typeof import('../deploy/owner-actions.ts');

export const OWNER: CommandSpec = {
  name: 'owner',
  text: 'manage ownership and roles of the contracts as their owner; to stop and resume them see `settlement`',
  commands: [
    command(
      'accept',
      'accept offered ownership, or the offered role of the operator',
      run((actions) => actions.acceptOwnership),
      ...OPTIONS,
    ),
    command(
      'offer <address>',
      `offer ownership, which the new owner accepts; ${TIMELOCK}`,
      run((actions) => actions.offerOwnership),
      ...OPTIONS,
    ),
    command(
      'grant <role> <address>',
      `grant a role: operator, pauser, registrar, creator, event-creator or quick-creator; ${TIMELOCK}`,
      run((actions) => actions.changeRole('grant')),
      ...OPTIONS,
    ),
    command(
      'revoke <role> <address>',
      `revoke a role; ${TIMELOCK}`,
      run((actions) => actions.changeRole('revoke')),
      ...OPTIONS,
    ),
    command(
      'treasury <address>',
      `set the recipient of the fees; ${TIMELOCK}`,
      run((actions) => actions.nameTreasury),
      ...OPTIONS,
    ),
  ],
};

/** Loaded when needed: it brings the contracts along. */
function run(choose: (actions: Actions) => (call: Call<OwnerOptions>) => Promise<void>) {
  return async (call: Call<OwnerOptions>): Promise<void> => choose(await import('../deploy/owner-actions.ts'))(call);
}
