// Reads settings from the environment and collects faults.
import { meantSetting, type SettingName } from './setting-names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings; collects faults, so that one start reports them all. */
export class SettingsReader {
  readonly faults: string[] = [];
  readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** Reports misspelled names, which would otherwise be ignored. */
  refuseTypos(): void {
    for (const [name, value] of Object.entries(this.environment)) {
      const meant = value ? meantSetting(name) : undefined;
      if (meant !== undefined) this.faults.push(`${name}: there is no such setting; ${meant} is the nearest`);
    }
  }

  text(name: SettingName, fallback: string): string {
    return this.environment[name] || fallback;
  }

  optional(name: SettingName): string | undefined {
    return this.environment[name] || undefined;
  }

  /** Checks a URL that the service calls over HTTP; a user and password in it would fail every call. */
  checkHttpUrl(name: SettingName, text: string): void {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) this.faults.push(`${name}: use an http or https URL`);
    else if (url.username !== '' || url.password !== '') {
      this.faults.push(`${name}: leave out user and password; calls cannot send them`);
    }
  }

  choice<T extends string>(name: SettingName, choices: readonly T[], fallback: T): T {
    const value = this.environment[name];
    if (!value) return fallback;
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return chosen;
    this.faults.push(`${name}=${value}: use one of ${choices.join(', ')}`);
    return fallback;
  }

  /** Reads a comma-separated list. */
  list(name: SettingName): string[] {
    const parts = (this.environment[name] ?? '').split(',');
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  isOn(name: SettingName, fallback: boolean): boolean {
    return this.choice(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
  }

  /** Reads a whole number within a range. */
  integer(name: SettingName, range: readonly [number, number], fallback: number): number {
    return this.#number(name, range, fallback, /^\d+$/, 'a whole number');
  }

  /** Reads a number within a range, with or without a fraction. */
  decimal(name: SettingName, range: readonly [number, number], fallback: number): number {
    return this.#number(name, range, fallback, /^\d+(\.\d{1,3})?$/, 'a number');
  }

  #number(name: SettingName, range: readonly [number, number], fallback: number, form: RegExp, kind: string): number {
    const [least, most] = range;
    const text = this.environment[name];
    if (!text) return fallback;
    const value = Number(text);
    if (form.test(text) && value >= least && value <= most) return value;
    this.faults.push(`${name}=${text}: use ${kind} from ${least} to ${most}`);
    return fallback;
  }

  port(names: readonly SettingName[], fallback: number): number {
    const name = names.find((candidate) => this.environment[candidate]);
    if (name === undefined) return fallback;
    const value = Number(this.environment[name]);
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
    this.faults.push(`${name}=${this.environment[name]}: use a port from 0 to 65535${this.#whoSetPort(name)}`);
    return fallback;
  }

  /** Hint for a port set by Kubernetes, which sets values of this form for its services. */
  #whoSetPort(name: SettingName): string {
    const isServiceLink = this.environment[name]?.startsWith('tcp://') ?? false;
    return isServiceLink ? '; Kubernetes sets it after a Service of this name: enableServiceLinks: false' : '';
  }
}
