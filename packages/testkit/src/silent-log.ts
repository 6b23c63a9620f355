// A log that discards everything.
const ignore = () => undefined;

export const SILENT_LOG = { debug: ignore, info: ignore, warn: ignore, error: ignore };
