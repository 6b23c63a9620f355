// The part of the test run's environment that programs started by tests inherit.

/**
 * Variables that are left out: settings of Presage and of the test runner, and extra certificates. Node reads those
 * certificates at every start, which takes longer than the rest of an empty program's start, and tests make no outside
 * requests.
 */
const OWN = /^(PRESAGE_|PORT$|VITEST|NODE_EXTRA_CA_CERTS$)/;

export function inheritedEnvironment(without?: RegExp): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !OWN.test(name) && !without?.test(name));
  return Object.fromEntries(inherited);
}
