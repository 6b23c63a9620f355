// The benchmark's modules in the order they run: each is `bench/<name>.ts` and exports `measure`.
export const MODULES = [
  'engine',
  'admission',
  'orders',
  'recovery',

  'gas',
  'settlement',
  'idle',
  'restart',
] as const;
