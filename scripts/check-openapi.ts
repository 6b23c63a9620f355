// `npm run check:openapi`: the OpenAPI documents, public and for operators, by Redocly's recommended rules, made from the endpoints without a running service.
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
console.log(faults.length === 0 ? 'OpenAPI documents: all good' : `OpenAPI documents: ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
