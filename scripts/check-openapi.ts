// `npm run check:openapi`: the OpenAPI document by Redocly's recommended rules, made from the endpoints without a running service.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { renderOpenApi } from '../apps/server/scripts/openapi-document.ts';

const config = await createConfig({ extends: ['recommended-strict'] });
const faults = await lintFromString({ source: renderOpenApi(), absoluteRef: 'openapi.json', config });
for (const { ruleId, severity, message, location } of faults) {
  console.error(`${severity} ${ruleId}: ${message}\n  at ${location[0]?.pointer ?? '#/'}`);
}
console.log(faults.length === 0 ? 'OpenAPI document: all good' : `OpenAPI document: ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
