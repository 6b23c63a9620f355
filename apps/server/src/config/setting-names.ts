// Names of all settings: reading another name does not compile, and a misspelled name in the environment is refused.

const READ_HERE = [
  'PRESAGE_ADMIN_HOST',
  'PRESAGE_ADMIN_PORT',
  'PRESAGE_ADMISSION_HOOK',
  'PRESAGE_ADMISSION_HOOK_FAILURE',
  'PRESAGE_ADMISSION_HOOK_SECONDS',
  'PRESAGE_ADMISSION_HOOK_TIMEOUT_MS',
  'PRESAGE_ALLOWED_HOSTS',
  'PRESAGE_ANCHOR_MINUTES',
  'PRESAGE_APPROVAL_ACTIONS',
  'PRESAGE_APPROVAL_MINUTES',
  'PRESAGE_ARCHIVE_DAYS',
  'PRESAGE_AUTH',
  'PRESAGE_BINANCE_URL',
  'PRESAGE_BLOCKED_ADDRESSES',
  'PRESAGE_BLOCKED_COUNTRIES',
  'PRESAGE_CHAINS',
  'PRESAGE_CLUSTER_HOST',
  'PRESAGE_CLUSTER_PORT',
  'PRESAGE_CLUSTER_SECRET',
  'PRESAGE_COINBASE_URL',
  'PRESAGE_COLLATERAL_CHECK',
  'PRESAGE_CORS_ORIGINS',
  'PRESAGE_COUNTRY_HEADER',
  'PRESAGE_DAILY_DIR',
  'PRESAGE_DATABASE_URL',
  'PRESAGE_DATA_DIR',
  'PRESAGE_DEMO',
  'PRESAGE_DRAIN_SECONDS',
  'PRESAGE_FORWARDED_HEADER',
  'PRESAGE_HOST',
  'PRESAGE_JOURNAL_DELAY',
  'PRESAGE_JOURNAL_URL',
  'PRESAGE_KEEPER',
  'PRESAGE_LANE',
  'PRESAGE_LANES',
  'PRESAGE_LEASE_SECONDS',
  'PRESAGE_LOG_LEVEL',
  'PRESAGE_MARKET_LIMITS',
  'PRESAGE_MARKET_FEES',
  'PRESAGE_OPERATOR_KEYS',
  'PRESAGE_PARTITIONS',
  'PRESAGE_PORT',
  'PRESAGE_PRICE_FEEDS',
  'PRESAGE_PROFILE',
  'PRESAGE_PYTH_KEY',
  'PRESAGE_PYTH_URL',
  'PRESAGE_QUICK_ASSETS',
  'PRESAGE_RATE_LIMITS',
  'PRESAGE_RECEIPT_KEY',
  'PRESAGE_ROLES',
  'PRESAGE_SANDBOX_AUTOFUND',
  'PRESAGE_SANDBOX_PUBLIC',
  'PRESAGE_SERVICE_NAME',
  'PRESAGE_STANDBY_AWAY',
  'PRESAGE_TRUSTED_PROXIES',
  'PRESAGE_WALLET_LIMITS',
  'PRESAGE_WEBHOOK_HOURS',
  'PRESAGE_WEBHOOK_SECRET',
  'PRESAGE_WEBHOOK_TOPICS',
  'PRESAGE_WEBHOOK_URL',
] as const;

/** Name of a setting. `PORT` is set by many hosting platforms. */
export type SettingName = (typeof READ_HERE)[number] | 'PORT';

/** Settings of the supervisor and of the command line, which share the service's environment. */
const READ_ELSEWHERE = [
  'PRESAGE_SANDBOX_CHAINS',
  'PRESAGE_SANDBOX_SIMULATION',
  'PRESAGE_OPERATOR_KEY',
  'PRESAGE_PARENT_PID',
];

export const SETTING_NAMES: readonly string[] = [...READ_HERE, ...READ_ELSEWHERE];

/** Maximum edits of a typo; names that differ more are meant for other programs. */
const MOST_SLIPS = 2;

/** Suffix that tells the kind of a setting's value. */
const KIND = /_(DIR|URL|SECONDS|HOURS|DAYS)$/;

/** The setting meant by a misspelled name, or by one without its suffix such as `PRESAGE_DATA`. */
export function meantSetting(name: string): string | undefined {
  if (!name.toUpperCase().startsWith('PRESAGE_') || SETTING_NAMES.includes(name)) return undefined;
  const typed = name.toUpperCase();
  const unended = SETTING_NAMES.find((known) => known.replace(KIND, '') === typed);
  if (unended !== undefined) return unended;
  const [nearest] = SETTING_NAMES.map((known) => ({ known, slips: countSlips(typed, known) })).sort(
    (a, b) => a.slips - b.slips,
  );
  return nearest !== undefined && nearest.slips <= MOST_SLIPS ? nearest.known : undefined;
}

/** Edit distance (Levenshtein): characters left out, added or exchanged. */
function countSlips(typed: string, known: string): number {
  let row = Array.from({ length: known.length + 1 }, (_, index) => index);
  for (const [place, letter] of [...typed].entries()) {
    const next = [place + 1];
    for (let column = 1; column <= known.length; column++) {
      const same = row[column - 1]! + (known[column - 1] === letter ? 0 : 1);
      next.push(Math.min(same, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[known.length]!;
}
