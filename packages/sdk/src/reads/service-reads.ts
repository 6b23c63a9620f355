// Reads of what the service publishes about itself.
import type { CallOptions, Http } from '../http.ts';
import type { JournalAnchors, JournalHead, ServiceConfig, ServiceStatus, ServiceTime, Solvency } from '../types.ts';

export function serviceReads(http: Http) {
  return {
    /** Everything a client needs in order to sign: chains, contracts, limits, whether keys are needed. */
    getConfig: http.reader<ServiceConfig>('/api/v1/config'),
    /** The service's clock, which decides when orders expire. */
    getTime: http.reader<ServiceTime>('/api/v1/time'),
    /** Dependencies, queues and rates, as on the operator's screen. */
    getStatus: http.reader<ServiceStatus>('/api/v1/status'),
    /** The shares of every market against the stablecoin that the chains hold for them. */
    getSolvency: http.reader<Solvency>('/api/v1/solvency'),
    /** The newest frame of every partition of the journal, signed by the operator. */
    getJournalHead: http.reader<JournalHead>('/api/v1/journal/head'),
    /** Anchors on a chain, newest first; on the service's first chain by default. */
    listAnchors: (query: { chain_id?: number; limit?: number } = {}, options?: CallOptions): Promise<JournalAnchors> =>
      http.get('/api/v1/journal/anchors', query, options),
  };
}
