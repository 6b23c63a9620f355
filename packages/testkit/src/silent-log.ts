// A log of the service that keeps nothing.
const ignore = () => undefined;

export const SILENT_LOG = { debug: ignore, info: ignore, warn: ignore, error: ignore };
