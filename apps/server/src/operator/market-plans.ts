// State prepared by operators: market templates, scheduled markets, and keys under which markets and events were created.
import type { Bytes32, MarketTemplate, OperatorActed, OperatorAction } from '@presage/protocol';

type ActionOf<K extends OperatorAction['kind']> = Extract<OperatorAction, { readonly kind: K }>;
export type CreatedMarket = ActionOf<'create-market'>;
export type CreatedEvent = ActionOf<'create-event'>;

export interface ScheduledMarket extends Omit<ActionOf<'schedule-market'>, 'kind'> {
  /** Id of the requesting key. */
  readonly actor: string;
  readonly reason: string;
}

export class MarketPlans {
  readonly #templates = new Map<string, MarketTemplate>();
  readonly #scheduled = new Map<string, ScheduledMarket>();
  readonly #created = new Map<string, CreatedMarket>();
  /** Events by key, or by id if they have no key. */
  readonly #events = new Map<string, CreatedEvent>();

  /** Applies a durable action of operators, at recovery and live. */
  follow({ action, actor, reason }: OperatorActed): void {
    switch (action.kind) {
      case 'define-template':
        this.#templates.set(action.templateId, action.template);
        return;
      case 'remove-template':
        this.#templates.delete(action.templateId);
        return;
      case 'schedule-market': {
        const { kind: _, ...market } = action;
        this.#scheduled.set(action.scheduleId, { ...market, actor, reason });
        return;
      }
      case 'cancel-schedule':
        this.#scheduled.delete(action.scheduleId);
        return;
      case 'create-market':
        if (action.key === undefined) return;
        this.#created.set(action.key, action);
        this.#scheduled.delete(action.key);
        return;
      case 'create-event':
        this.#events.set(action.key ?? action.eventId, action);
    }
  }

  template(templateId: string): MarketTemplate | undefined {
    return this.#templates.get(templateId);
  }

  templates(): [templateId: string, template: MarketTemplate][] {
    return [...this.#templates];
  }

  scheduled(): ScheduledMarket[] {
    return [...this.#scheduled.values()];
  }

  findScheduled(scheduleId: string): ScheduledMarket | undefined {
    return this.#scheduled.get(scheduleId);
  }

  /** Markets created under a key, by key. */
  allCreated(): ReadonlyMap<string, CreatedMarket> {
    return this.#created;
  }

  /** All events created by operators. */
  allEvents(): Iterable<CreatedEvent> {
    return this.#events.values();
  }

  findEvent(eventId: Bytes32): CreatedEvent | undefined {
    return [...this.#events.values()].find((event) => event.eventId === eventId);
  }

  /** Event created under a key. */
  createdEvent(key: string): CreatedEvent | undefined {
    return this.#events.get(key);
  }

  /** Market created under a key. */
  created(key: string): CreatedMarket | undefined {
    return this.#created.get(key);
  }
}
