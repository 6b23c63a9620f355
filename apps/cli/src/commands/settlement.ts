// `presage settlement`: stops settlement on chain with the pauser's key, and resumes it with the owner's.
import { type Call, type CommandSpec, command, option, required } from '../command-spec.ts';
import type { SwitchOptions } from '../deploy/settlement-switch.ts';

const OPTIONS = [
  required('--rpc <url>', 'URL of a node of the chain'),
  required('--key <source>', 'key that signs: env:NAME, file:/path or signer:URL#0xADDRESS'),
  option('--chain <id>', 'chain id if no market is given (the first chain)'),
];

export const SETTLEMENT: CommandSpec = {
  name: 'settlement',
  text: 'stop and resume settlement on chain, of one market or of all (docs/operations.md)',
  commands: [
    command('pause [market]', 'stop settlement at once, with the key of a pauser', switching('pause'), ...OPTIONS),
    command(
      'resume [market]',
      "resume settlement, with the owner's key; with a timelock, the first call announces it, and the same command after the delay executes it",
      switching('resume'),
      ...OPTIONS,
    ),
  ],
};

function switching(direction: 'pause' | 'resume') {
  return async (call: Call<SwitchOptions>): Promise<void> => {
    // Loaded when needed: it brings the contracts along.
    const { switchSettlement } = await import('../deploy/settlement-switch.ts');
    await switchSettlement(direction, call);
  };
}
