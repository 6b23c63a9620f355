// The context shared by all components: clients, clock, connection, account and ticket.
import { createPublicClient, createSandboxClient } from '@presage/sdk';
import { createContext, useContext } from 'react';
import { Verification } from '../proof/verification.ts';
import { TicketStore } from '../ticket/ticket-store.ts';
import { Account } from '../wallet/account.ts';
import { Connection } from './connection.ts';
import { announceInterrupted } from './interrupted.ts';
import { Notices } from './notices.ts';
import { OrderTracker } from './order-tracker.ts';
import { PageClock } from './service-clock.ts';
import { Store } from './store.ts';
import { Toasts } from './toasts.ts';

export type Page = ReturnType<typeof createPage>;

export function createPage(url: string) {
  const reader = createPublicClient({ url });
  const clock = new PageClock();
  const connection = new Connection(clock);
  const account = new Account({ reader, connection, url });
  const toasts = new Toasts();
  const notices = new Notices(toasts);
  announceInterrupted(toasts);
  return {
    reader,
    clock,
    connection,
    account,
    sandbox: createSandboxClient({ url }),
    orderTracker: new OrderTracker(account, toasts),
    ticket: new TicketStore(),
    toasts,
    notices,
    verification: new Verification(url),
    /** Text of the search field, which filters the landing page. */
    search: new Store(''),
  };
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('outside of the page');
  return page;
}
