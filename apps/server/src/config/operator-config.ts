// Configuration of operators: their listener, their permanent keys and approvals.
import { APPROVABLE_ACTIONS, type ApprovableAction, OPERATOR_RIGHTS, type OperatorRight } from '@presage/protocol';
import { isSoundPublicKey } from '@presage/protocol/sound-public-key';
import type { SettingsReader } from './settings-reader.ts';

interface OperatorKeyConfig {
  readonly name: string;
  /** Public key, 64 hex digits. */
  readonly publicKey: string;
  readonly rights: readonly OperatorRight[];
}

const DEFAULT_PORT = 8_081;

/** Reads the admin listener. A sandbox has none by default, so that several sandboxes can run side by side. */
export function readAdminListener(read: SettingsReader, profile: 'sandbox' | 'live') {
  if (profile === 'sandbox' && read.optional('PRESAGE_ADMIN_PORT') === undefined) return undefined;
  return {
    host: read.text('PRESAGE_ADMIN_HOST', '127.0.0.1'),
    port: read.port(['PRESAGE_ADMIN_PORT'], DEFAULT_PORT),
  };
}

const ENTRY = /^([^=:,]{1,100})=([0-9a-f]{64})(?::([a-z+]+))?$/i;

/** Reads keys such as `alice=<public key>,bob=<public key>:read+trading`; a key without rights has all of them. */
export function readOperatorKeys(read: SettingsReader): readonly OperatorKeyConfig[] {
  const keys = read.list('PRESAGE_OPERATOR_KEYS').flatMap((entry) => readOperatorKey(read, entry) ?? []);
  for (const [index, { name, publicKey }] of keys.entries()) {
    const first = keys.findIndex((each) => each.publicKey === publicKey);
    if (first === index) continue;
    read.faults.push(
      `PRESAGE_OPERATOR_KEYS: "${name}" has the key of "${keys[first]?.name}": each has one of their own`,
    );
  }
  return keys;
}

function readOperatorKey(read: SettingsReader, entry: string): OperatorKeyConfig | undefined {
  const [, name = '', publicKey = '', named] = ENTRY.exec(entry) ?? [];
  if (publicKey === '') {
    const form = 'NAME=PUBLIC_KEY or NAME=PUBLIC_KEY:right+right, the key as 64 hex digits';
    read.faults.push(`PRESAGE_OPERATOR_KEYS: "${entry.split('=')[0]}": write ${form}`);
    return undefined;
  }
  if (!isSoundPublicKey(publicKey)) {
    read.faults.push(
      `PRESAGE_OPERATOR_KEYS: the key of "${name}" is no sound Ed25519 key: make one with \`presage admin keys new\``,
    );
    return undefined;
  }
  const asked = named?.split('+') ?? OPERATOR_RIGHTS;
  const rights = OPERATOR_RIGHTS.filter((right) => asked.includes(right));
  const unknown = asked.filter((right) => !OPERATOR_RIGHTS.some((known) => known === right));
  if (unknown.length > 0) {
    const expected = OPERATOR_RIGHTS.join(', ');
    read.faults.push(`PRESAGE_OPERATOR_KEYS: "${name}" has no right ${unknown.join(', ')}; use some of ${expected}`);
  }
  return { name, publicKey: publicKey.toLowerCase(), rights };
}

export interface ApprovalConfig {
  /** Actions that need the confirmation of a second operator. */
  readonly actions: readonly ApprovableAction[];
  readonly minutes: number;
}

/** Actions that always need approval once any does: an operator who could add a key alone could confirm alone. */
const ALWAYS: readonly ApprovableAction[] = ['add-key', 'revoke-key'];
/** Minimum of configured keys for approvals. One in a sandbox, which has a built-in key besides. */
const LEAST_KEYS = { sandbox: 1, live: 2 } as const;

export function readApprovals(read: SettingsReader, profile: 'sandbox' | 'live', keys: number): ApprovalConfig {
  const named = read.list('PRESAGE_APPROVAL_ACTIONS');
  const minutes = read.integer('PRESAGE_APPROVAL_MINUTES', [1, 10_080], 60);
  const unknown = named.filter((name) => !APPROVABLE_ACTIONS.some((known) => known === name));
  if (unknown.length > 0) {
    const expected = APPROVABLE_ACTIONS.join(', ');
    read.faults.push(`PRESAGE_APPROVAL_ACTIONS: ${unknown.join(', ')}: use some of ${expected}`);
  }
  if (named.length === 0) return { actions: [], minutes };
  if (keys < LEAST_KEYS[profile]) {
    read.faults.push('PRESAGE_APPROVAL_ACTIONS: nobody could confirm; set two keys in PRESAGE_OPERATOR_KEYS');
  }
  const actions = APPROVABLE_ACTIONS.filter((action) => named.includes(action) || ALWAYS.includes(action));
  return { actions, minutes };
}
