// `presage keys`: the wallet's API keys at a service that requires them.
import { type ApiKeyList, createTradingClient } from '@presage/sdk';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';

type ListedKey = ApiKeyList['apiKeys'][number];

const COLUMNS: readonly Column<ListedKey>[] = [
  { title: 'ID', cell: ({ api_key_id }) => api_key_id },
  { title: 'NAME', cell: ({ name }) => plain(name) },
  { title: 'MADE (UTC)', cell: ({ createdAt }) => drawTime(createdAt) },
  { title: 'ENDS (UTC)', cell: ({ expiresAt }) => (expiresAt === null ? '-' : drawTime(expiresAt)) },
  { title: 'ACTIVE', cell: ({ active }) => (active ? 'yes' : 'no') },
];

export const KEYS: CommandSpec = {
  name: 'keys',
  text: 'manage the API keys of the wallet, for services that require them',
  commands: [
    command(
      'create',
      'register a key with a signature of the wallet, and use it from now on',
      createKey,
      option('--name <name>', 'name of the key, shown in lists'),
    ),
    command('list', 'list the keys of the wallet', listKeys),
    command('revoke <id>', 'revoke a key', revokeKey),
  ],
};

async function createKey({ context, options: { name } }: Call<{ readonly name?: string }>): Promise<void> {
  const { account } = await context.wallet();
  const client = createTradingClient({ url: context.url, account });
  const params = { signal: context.signal, ...(name !== undefined && { keyName: name }) };
  const apiKey = await client.createApiKey(params);
  await context.keyFiles.writeApiKey(context.url, account.address, apiKey);
  const made = { api_key_id: apiKey.id, address: account.address, path: context.keyFiles.dir };
  context.output.showFacts(made, { key: apiKey.id, 'kept in': made.path });
}

async function listKeys({ context }: Call): Promise<void> {
  const { client } = await keyHolder(context);
  const list = await client.listApiKeys({ signal: context.signal });
  context.output.showTable(list, { columns: COLUMNS, rows: list.apiKeys, empty: 'no keys' });
}

async function revokeKey({ context, args: [id = ''] }: Call): Promise<void> {
  const { client, keyId } = await keyHolder(context);
  const revoked = await client.revokeApiKey(id, { signal: context.signal });
  if (id === keyId) await context.keyFiles.writeApiKey(context.url, client.address, undefined);
  context.output.show(revoked, () => `${plain(id)} is revoked`);
}

async function keyHolder(context: Context) {
  const { account } = await context.wallet();
  const apiKey = await context.keyFiles.readApiKey(context.url, account.address);
  if (apiKey === undefined) {
    throw new UsageError('this wallet has no API key here', 'Create one with `presage keys create`.');
  }
  return { client: createTradingClient({ url: context.url, account, apiKey }), keyId: apiKey.id };
}
