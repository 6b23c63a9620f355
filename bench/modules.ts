// The benchmark's modules in the order they run: each is `bench/<name>.ts` and exports `measure`.
export const MODULES = [
  'engine',
  'admission',
  'orders',
  'recovery',
  'stream',
  'gas',
  'settlement',
  'idle',
  'restart',
] as const;
