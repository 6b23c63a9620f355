// The benchmark's modules in the order they run.
import type { Measure } from './measurement.ts';

export const MODULES: Readonly<Record<string, Measure>> = {
  engine: () => import('./engine.ts').then(({ measure }) => measure()),
  admission: () => import('./admission.ts').then(({ measure }) => measure()),
  orders: () => import('./orders.ts').then(({ measure }) => measure()),
  recovery: () => import('./recovery.ts').then(({ measure }) => measure()),
  settlement: () => import('./settlement.ts').then(({ measure }) => measure()),
  idle: () => import('./idle.ts').then(({ measure }) => measure()),
  gas: () => import('./gas.ts').then(({ measure }) => measure()),
};
