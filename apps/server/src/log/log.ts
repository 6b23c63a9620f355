// What every module of the service logs through.

/** `message` names the event; `details` hold what belongs to this one. */
type Write = (details: object, message: string) => void;

export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>;
