// Ed25519 public keys for which signatures prove nothing, or for which programs disagree.

/** The neutral point, one of order 2, one of order 4, one of order 8, a sound key with a point of order 2 added, and no point at all. */
export const UNSOUND_KEYS = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '03b5939c1d63adf5410aaf84ecd13a066ab889514141846dbde11596ebb92dd3',
  '0200000000000000000000000000000000000000000000000000000000000000',
] as const;
