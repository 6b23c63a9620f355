// Lets a worker thread run TypeScript: Node 20 passes no loader on to threads, so this one brings its own.
import { register } from 'tsx/esm/api';

register();
await import('./signature-worker.ts');
