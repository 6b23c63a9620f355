// What a program that a test starts gets of the test run's own environment.

/**
 * Not the settings of Presage and of the test runner. Nor further certificates: a Node process that is told of some reads all of them
 * when it starts, which takes longer than everything else in the start of an empty one, and nothing here asks anybody outside.
 */
const OWN = /^(PRESAGE_|PORT$|VITEST|NODE_EXTRA_CA_CERTS$)/;

export function inheritedEnvironment(without?: RegExp): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !OWN.test(name) && !without?.test(name));
  return Object.fromEntries(inherited);
}
