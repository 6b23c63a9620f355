// Ports that the handlers of endpoints use.
import type { ApiKeyService } from '../auth/api-key-service.ts';
import type { Clock } from '../clock.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Approvals } from '../operator/approvals.ts';
import type { OperatorService } from '../operator/operator-service.ts';
import type { OperatorState } from '../operator/operator-state.ts';
import type { AuditLog } from '../projections/audit/audit-log.ts';
import type { Views } from '../projections/views.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { ServedChains } from './chain-probe.ts';
import type { OrderService } from './order-service.ts';
import type { StatusService } from './status.ts';

export interface ApiServices {
  readonly clock: Clock;
  /** Reads that follow durable frames only. */
  readonly reads: MarketReads;
  readonly views: Views;
  readonly orders: OrderService;
  readonly chains: ServedChains;
  readonly service: StatusService;
  readonly keys: ApiKeyService;
  /** Operators' presentation of markets: texts, categories, featured and paused markets. */
  readonly presentation: Pick<OperatorState, 'textsOf' | 'questionOf' | 'isFeatured' | 'isPaused' | 'categories'>;
}

/** Ports of the operator's endpoints. */
export interface OperatorPorts {
  readonly service: OperatorService;
  readonly approvals: Approvals;
  readonly audit: Pick<AuditLog, 'list' | 'listFrom'>;
  /** Webhooks; undefined if no receiver is set. */
  readonly webhooks: Pick<Webhooks, 'deadLetters' | 'retryDeadLetters'> | undefined;
}
