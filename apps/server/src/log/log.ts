// The logging interface of all modules of the service.

/** Writes a line: `message` names the event, `details` holds the fields of this occurrence. */
type Write = (details: object, message: string) => void;

export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>;
