// An admission hook: refuses listed wallets and limits all others. Use it as a module, or run it as an HTTP endpoint.
//
//   PRESAGE_ADMISSION_HOOK=examples/operator/admission-hook.mjs npm start
//
//   HOOK_PORT=9090 node examples/operator/admission-hook.mjs
//   PRESAGE_ADMISSION_HOOK=http://127.0.0.1:9090 npm start
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const refused = new Set((process.env.HOOK_REFUSED ?? '').toLowerCase().split(',').filter(Boolean));

/** Called once for each wallet, and again when the verdict is older than `seconds`. Amounts are in millionths. */
export default function admit({ wallet }) {
  if (refused.has(wallet.toLowerCase())) return { admit: false, reason: 'this wallet has not passed our checks' };
  return {
    admit: true,
    seconds: 60,
    limits: {
      openOrders: 200,
      dailyVolume: 10_000_000_000, // $10,000 traded and offered in 24 hours
      market: { position: 2_000_000_000 }, // 2,000 shares at stake in any one market
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(admit(JSON.parse(body))));
  });
  server.listen(Number(process.env.HOOK_PORT ?? 9090), '127.0.0.1', () => console.log('the hook listens'));
}
