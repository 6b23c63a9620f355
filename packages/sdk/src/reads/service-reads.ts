// What the service publishes about itself.
import type { CallOptions, Http } from '../http.ts';
import type { ServiceConfig, ServiceStatus, ServiceTime } from '../types.ts';

export function serviceReads(http: Http) {
  return {
    /** Everything a client needs in order to sign: chains, contracts, limits, whether keys are needed. */
    getConfig: (options?: CallOptions) => http.get<ServiceConfig>('/api/v1/config', {}, options),

    /** The service's clock, which expiry is measured with. */
    getTime: (options?: CallOptions) => http.get<ServiceTime>('/api/v1/time', {}, options),

    /** Dependencies, queues, rates: the operator's screen. */
    getStatus: (options?: CallOptions) => http.get<ServiceStatus>('/api/v1/status', {}, options),
  };
}
