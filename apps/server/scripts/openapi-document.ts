// The OpenAPI document of a sandbox, made from the endpoints alone: no chain, no database, no port.
import { stringifyJson } from '@presage/protocol';
import { listEndpoints, listOperatorEndpoints } from '../src/api/open.ts';
import { createDocument, OPERATOR_DOCUMENT } from '../src/api/openapi/document.ts';
import { VERSION } from '../src/api/status.ts';
import { OPERATIONS } from '../src/relayer/open.ts';

/** Stands for every port: what is documented of an endpoint depends on none of them. */
const NOTHING: never = new Proxy(() => undefined, { get: () => NOTHING, apply: () => NOTHING }) as never;

export function renderOpenApi(): string {
  const answerers = { priceStream: NOTHING, quickAnswers: NOTHING, stream: NOTHING };
  // Its name is part of the documentation.
  // Nothing of it is called.
  const publicJournal = {} as Parameters<typeof listEndpoints>[0]['publicJournal'];
  const proof = { publicJournal, anchors: NOTHING, dailyArchive: NOTHING };
  const ports = {
    ...answerers,
    ...proof,
    services: NOTHING,
    prices: NOTHING,
    sandbox: NOTHING,
    operations: OPERATIONS,
    symbols: ['USDC'],
    isPublic: false,
  };
  return stringifyJson(createDocument(VERSION, listEndpoints(ports)));
}

/** The document of the operator's endpoints, which every profile has. */
export function renderOperatorApi(): string {
  const operators = { service: NOTHING, approvals: NOTHING, audit: NOTHING, webhooks: NOTHING };
  return stringifyJson(createDocument(VERSION, listOperatorEndpoints(operators, NOTHING), OPERATOR_DOCUMENT));
}
