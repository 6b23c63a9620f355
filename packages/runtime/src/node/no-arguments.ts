// For programs configured only by the environment: refuses arguments, which would otherwise be ignored silently.

/** Exit code for an invalid command line. */
const EXIT_CODE = 2;

/** Exits if arguments were given, and says which settings to use instead. */
export function refuseArguments(given: readonly string[] = process.argv.slice(2)): void {
  const fault = argumentFault(given);
  if (fault === undefined) return;
  process.stderr.write(`${fault}\n`);
  process.exit(EXIT_CODE);
}

/** Undefined without arguments. Never quotes values: one may be a key, and this output may be kept. */
export function argumentFault(given: readonly string[]): string | undefined {
  if (given.length === 0) return undefined;
  const names = given.flatMap((each) => /^--([a-z][a-z-]*)(?:=|$)/i.exec(each)?.[1] ?? []);
  const settings = names.filter((name) => name !== 'help').map(toSetting);
  const remedy =
    settings.length === 0
      ? 'Its settings are in the environment, such as PRESAGE_PORT=8080'
      : `Set ${settings.join(' and ')} in the environment instead`;
  return `This program takes no arguments, but was started with ${given.length}. ${remedy}; docs/settings.md lists all.`;
}

/** A name that is no setting is refused later, when it is set. */
function toSetting(name: string): string {
  return `PRESAGE_${name.replaceAll('-', '_').toUpperCase()}`;
}
