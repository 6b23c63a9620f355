// The page's entry point.
import './styles/tokens.css';
import './styles/fonts.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/landing.css';
import './styles/market.css';
import './styles/ticket.css';
import './styles/messages.css';
import './styles/additions.css';
import './styles/portfolio.css';
import './styles/quick.css';
import './styles/resolved.css';
import './styles/operator.css';
import './styles/proof.css';
import './styles/event.css';
import './styles/phone.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { createPage, PageContext } from './state/page-context.ts';

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no place for the page');
createRoot(container).render(
  <PageContext value={createPage(location.origin)}>
    <App />
  </PageContext>,
);
