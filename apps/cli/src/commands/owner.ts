// `presage owner`: transactions of the contracts' owner.
import { type Call, type CommandSpec, command, option, required } from '../command-spec.ts';
import type { OwnerOptions } from '../deploy/owner-actions.ts';

const OPTIONS = [
  required('--rpc <url>', 'a node of the chain'),
  required('--key <source>', 'who signs: env:NAME, file:/path or signer:URL#0xADDRESS'),
  option('--chain <id>', 'on which chain (the first)'),
  option('--chains <file>', 'the chains file, needed if no service runs yet and for quick markets'),
];
const TIMELOCK = 'with a timelock, the first call announces it, and the same command after the delay executes it';

type Actions = typeof import('../deploy/owner-actions.ts');

export const OWNER: CommandSpec = {
  name: 'owner',
  text: 'ownership and roles of the contracts, by transactions of their owner; to stop and resume them see `settlement`',
  commands: [
    command(
      'accept',
      'accept ownership, or the role of the operator, that was offered',
      run((actions) => actions.acceptOwnership),
      ...OPTIONS,
    ),
    command(
      'offer <address>',
      `offer ownership, which the other side accepts; ${TIMELOCK}`,
      run((actions) => actions.offerOwnership),
      ...OPTIONS,
    ),
    command(
      'grant <role> <address>',
      `give a role: operator, pauser, registrar, creator or quick-creator; ${TIMELOCK}`,
      run((actions) => actions.changeRole('grant')),
      ...OPTIONS,
    ),
    command(
      'revoke <role> <address>',
      `take a role away; ${TIMELOCK}`,
      run((actions) => actions.changeRole('revoke')),
      ...OPTIONS,
    ),
    command(
      'treasury <address>',
      `name who gets the fees; ${TIMELOCK}`,
      run((actions) => actions.nameTreasury),
      ...OPTIONS,
    ),
  ],
};

/** Loaded when needed: it brings the contracts along. */
function run(choose: (actions: Actions) => (call: Call<OwnerOptions>) => Promise<void>) {
  return async (call: Call<OwnerOptions>): Promise<void> => choose(await import('../deploy/owner-actions.ts'))(call);
}
