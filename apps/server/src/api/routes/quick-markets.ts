// Quick markets: the one that runs, and those that are over.
import { parseAsset } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { invalidField } from '../query-values.ts';
import type { QuickAnswers } from '../quick-answers.ts';

type AssetPath = { Params: { asset: string } };

export function quickMarketRoutes(answers: QuickAnswers) {
  return (server: FastifyInstance): void => {
    server.get<AssetPath>('/api/v1/quick-markets/:asset', async ({ params }) => answers.active(assetOf(params.asset)));
    server.get<AssetPath>('/api/v1/quick-markets/:asset/history', async ({ params }) => {
      return answers.history(assetOf(params.asset));
    });
  };
}

function assetOf(text: string): string {
  const asset = parseAsset(text);
  if (asset === undefined) throw invalidField('asset', 'a symbol of 1 to 16 letters and digits');
  return asset;
}
