// The benchmark's modules in running order.
import type { Measure } from './measurement.ts';

export const MODULES: Readonly<Record<string, Measure>> = {
  engine: () => import('./engine.ts').then(({ measure }) => measure()),
  markets: () => inServer('markets'),
  admission: () => import('./admission.ts').then(({ measure }) => measure()),
  usual: () => inServer('usual'),
  receipts: () => inServer('receipts-http'),
  orders: () => import('./orders.ts').then(({ measure }) => measure()),
  fanout: () => import('./fanout.ts').then(({ measure }) => measure()),
  recovery: () => import('./recovery.ts').then(({ measure }) => measure()),
  view: () => inServer('view'),
  settlement: () => import('./settlement.ts').then(({ measure }) => measure()),
  restart: () => import('./restart.ts').then(({ measure }) => measure()),
  year: () => import('./year.ts').then(({ measure }) => measure()),
  idle: () => import('./idle.ts').then(({ measure }) => measure()),
  cluster: () => inServer('cluster'),
  'cluster-cost': () => inServer('cluster-cost'),
  'lanes-cost': () => inServer('lanes-cost'),
  gas: () => import('./gas.ts').then(({ measure }) => measure()),
};

/** Loads a benchmark of the server's internals by path, since no package imports an app. */
async function inServer(name: string): ReturnType<Measure> {
  const path = new URL(`../apps/server/bench/${name}.ts`, import.meta.url);
  const { measure }: { measure: Measure } = await import(path.href);
  return measure();
}
