// For programs that read the environment alone: an argument that changes nothing must not go unnoticed.

/** Exit code of a command that was not understood. */
const EXIT_CODE = 2;

/** Ends a process that was given arguments, and says what to set instead. */
export function refuseArguments(given: readonly string[] = process.argv.slice(2)): void {
  const fault = argumentFault(given);
  if (fault === undefined) return;
  process.stderr.write(`${fault}\n`);
  process.exit(EXIT_CODE);
}

/** Undefined without arguments. Names no values: one may be a key, and what is written here may be kept. */
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

/** A name that is no setting is refused when it is set. */
function toSetting(name: string): string {
  return `PRESAGE_${name.replaceAll('-', '_').toUpperCase()}`;
}
