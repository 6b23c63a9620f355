// What tests of every package are made with.
export { waitFor } from '@presage/runtime';
export * from './accounts.ts';
export * from './chain-process.ts';
export * from './clock.ts';
export { inheritedEnvironment } from './inherited-environment.ts';
export * from './ladder.ts';
export * from './millionths.ts';
export * from './order-builders.ts';
export { PostgresNode } from './postgres-node.ts';
export { PostgresPair } from './postgres-pair.ts';
export * from './runner.ts';
export * from './sandbox-process.ts';
export * from './seeded-random.ts';
export * from './service-node.ts';
export { SILENT_LOG } from './silent-log.ts';
export { dropTemplateDatabases } from './slim-database.ts';
export * from './test-client.ts';
export * from './test-run.ts';
