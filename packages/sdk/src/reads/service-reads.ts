// What the service publishes about itself.
import type { CallOptions, Http } from '../http.ts';
import type { JournalAnchors, JournalHead, ServiceConfig, ServiceStatus, ServiceTime, Solvency } from '../types.ts';

export function serviceReads(http: Http) {
  return {
    /** Everything a client needs in order to sign: chains, contracts, limits, whether keys are needed. */
    getConfig: (options?: CallOptions): Promise<ServiceConfig> => http.get('/api/v1/config', {}, options),

    /** The service's clock, which expiry is measured with. */
    getTime: (options?: CallOptions): Promise<ServiceTime> => http.get('/api/v1/time', {}, options),

    /** Dependencies, queues, rates: the operator's screen. */
    getStatus: (options?: CallOptions): Promise<ServiceStatus> => http.get('/api/v1/status', {}, options),

    /** The shares of every market against the stablecoin that the chains hold for them. */
    getSolvency: (options?: CallOptions): Promise<Solvency> => http.get('/api/v1/solvency', {}, options),

    /** The newest frame of every partition of the journal, signed by the operator. */
    getJournalHead: (options?: CallOptions): Promise<JournalHead> => http.get('/api/v1/journal/head', {}, options),

    /** What was anchored on a chain, newest first; on the service's first chain when none is named. */
    listAnchors: (query: { chain_id?: number; limit?: number } = {}, options?: CallOptions): Promise<JournalAnchors> =>
      http.get('/api/v1/journal/anchors', query, options),
  };
}
