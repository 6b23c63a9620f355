// `npm run check:openapi`: checks the public and operators' OpenAPI documents against Redocly's recommended rules,
// generated from the endpoints without a running service; every public operation must have an example.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { renderOpenApi, renderOperatorApi } from '../apps/server/scripts/openapi-document.ts';

const config = await createConfig({ extends: ['recommended-strict'] });
const documents = { 'openapi.json': renderOpenApi(), 'admin/openapi.json': renderOperatorApi() };
const linted = await Promise.all(
  Object.entries(documents).map(([absoluteRef, source]) => lintFromString({ source, absoluteRef, config })),
);
const faults = linted.flat();
for (const { ruleId, severity, message, location } of faults) {
  console.error(`${severity} ${ruleId}: ${message}\n  at ${location[0]?.pointer ?? '#/'}`);
}
const bare = withoutExample(JSON.parse(documents['openapi.json']));
for (const id of bare)
  console.error(
    `${id} has no example: add a step to apps/server/test/openapi/record-exchanges.ts, then npm run record:openapi`,
  );
const count = faults.length + bare.length;
console.log(count === 0 ? 'OpenAPI documents: all good' : `OpenAPI documents: ${count} faults`);
process.exitCode = count === 0 ? 0 : 1;

interface Media {
  readonly content?: { readonly 'application/json'?: { readonly examples?: object } };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media>>;
}

/** Ids of operations with a JSON body or answer and no example. */
function withoutExample({ paths }: { readonly paths: Record<string, Record<string, Operation>> }): string[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const isBare = (media?: Media) => {
    const json = media?.content?.['application/json'];
    return json !== undefined && Object.keys(json.examples ?? {}).length === 0;
  };
  // An operation that needs data which a fresh sandbox lacks may show a refusal instead.
  const showsAnswer = (responses: Operation['responses']) =>
    !isBare(responses[200]) || Object.entries(responses).some(([status, media]) => status !== '200' && !isBare(media));
  return operations
    .filter(({ requestBody, responses }) => isBare(requestBody) || !showsAnswer(responses))
    .map(({ operationId }) => operationId);
}
