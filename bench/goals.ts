// Every key of the benchmark's table: its text, its unit and its goal.

export interface Goal {
  readonly key: string;
  readonly what: string;
  readonly unit: '' | 's' | ' us' | '%' | 'bytes' | '/s';
  readonly reach: { readonly atLeast: number } | { readonly atMost: number };
}

const atLeast = (value: number) => ({ atLeast: value });
const atMost = (value: number) => ({ atMost: value });

export const GOALS: readonly Goal[] = [
  {
    key: 'settlement.vs.chain',
    what: 'fills/s end to end / the same batches into the bare chain',
    unit: '',
    reach: atLeast(0.5),
  },
  {
    key: 'settlement.vs.chain.simulated',
    what: 'the same with every batch simulated before it is sent, as live',
    unit: '',
    reach: atLeast(0.35),
  },
  {
    key: 'settlement.vs.matching',
    what: 'fills/s settled / trades/s matched, defaults',
    unit: '',
    reach: atLeast(0.5),
  },
  { key: 'settlement.maker', what: 'settled/s, one wallet in every trade / in none', unit: '', reach: atLeast(0.8) },
  {
    key: 'restart.growth',
    what: 'time to ready after kill -9 with history / when empty',
    unit: '',
    reach: atMost(1.6),
  },
  {
    key: 'restart.flat',
    what: 'the same with four times the history / with the history',
    unit: '',
    reach: atMost(1.2),
  },
  {
    key: 'year.memory',
    what: 'resident bytes of the service, a year of quick markets with trades - empty',
    unit: 'bytes',
    reach: atMost(150_000_000),
  },
  {
    key: 'year.restart',
    what: 'time to ready after kill -9 with that year / when empty',
    unit: '',
    reach: atMost(1.3),
  },
  { key: 'idle.cpu', what: 'all processes over 60 s without clients', unit: '%', reach: atMost(3) },
  { key: 'memory.order', what: 'resident bytes per open order, whole service', unit: 'bytes', reach: atMost(900) },
  { key: 'memory.order.later', what: 'the same a minute after the load', unit: 'bytes', reach: atMost(600) },
  { key: 'disk.order.archived', what: 'journal bytes per order, compressed', unit: 'bytes', reach: atMost(150) },
  { key: 'disk.order.live', what: 'journal bytes per order, as written', unit: 'bytes', reach: atMost(600) },
  {
    key: 'admission.vs.bare',
    what: 'orders/s over HTTP / bare node:http that recovers once',
    unit: '',
    reach: atLeast(0.75),
  },
  { key: 'admission.crossing', what: 'crossing orders/s / resting orders/s', unit: '', reach: atLeast(0.8) },
  {
    key: 'admission.batch.vs.recover',
    what: 'orders/s in batches / raw recoveries of the same cores',
    unit: '',
    reach: atLeast(0.5),
  },
  { key: 'admission.vs.usual', what: 'orders/s / fastify, viem and one INSERT an order', unit: '', reach: atLeast(10) },
  {
    key: 'receipts.orders',
    what: 'orders over HTTP with receipts and public journal / without',
    unit: '',
    reach: atLeast(0.97),
  },
  { key: 'latency.p99', what: 'p99 of accept at half of peak / of the bare server', unit: '', reach: atMost(2) },
  {
    key: 'engine.vs.nodejs-order-book.mixed',
    what: 'whole engine / the peer, mixed flow',
    unit: '',
    reach: atLeast(6),
  },
  { key: 'engine.vs.nodejs-order-book.busy', what: 'whole engine / the peer, busy flow', unit: '', reach: atLeast(3) },
  {
    key: 'engine.flat',
    what: 'cost per operation at 1,000,000 resting orders / at 1,000',
    unit: '',
    reach: atMost(1.5),
  },
  { key: 'recovery.events', what: 'a journal of 1,000,000 events to ready', unit: 's', reach: atMost(3.5) },
  { key: 'view.rate', what: 'records/s into the view while it catches up', unit: '/s', reach: atLeast(30_000) },
  { key: 'view.rate.long', what: 'the same with ten times the history', unit: '/s', reach: atLeast(30_000) },
  {
    key: 'stream.fanout',
    what: 'book messages/s to 1,000 readers / bare ws with the same bytes',
    unit: '',
    reach: atLeast(0.7),
  },
  { key: 'markets.10000', what: 'orders/s with 10,000 open markets / with 10', unit: '', reach: atLeast(0.9) },
  {
    key: 'cluster.orders',
    what: 'orders/s through two gateways and two engines / through one process with files, same machine',
    unit: '',
    reach: atLeast(0.5),
  },
  {
    key: 'cluster.gateway',
    what: 'processor time of a gateway for an order / of the one process that does everything',
    unit: '',
    reach: atMost(1),
  },
  {
    key: 'cluster.journal',
    what: 'records/s into PostgreSQL with a synchronous standby / into files',
    unit: '',
    reach: atLeast(0.1),
  },
  {
    key: 'cluster.cost',
    what: 'processor time of all processes of a cluster for an order / of one process',
    unit: '',
    reach: atMost(1.8),
  },
  {
    key: 'cluster.cost.follower',
    what: 'processor time of a gateway for an order that another one took',
    unit: ' us',
    reach: atMost(60),
  },
  {
    key: 'cluster.cost.engine',
    what: 'processor time of the engines for an order',
    unit: ' us',
    reach: atMost(120),
  },
  {
    key: 'lanes.cost.resting',
    what: 'processor time of a service with two lanes for an order that rests / without lanes',
    unit: '',
    reach: atMost(1.8),
  },
  {
    key: 'lanes.cost.crossing',
    what: 'the same for an order that trades',
    unit: '',
    reach: atMost(1.8),
  },
  { key: 'settlement.gas.one', what: 'gas per fill / V2, one trade', unit: '', reach: atMost(0.58) },
  { key: 'settlement.gas.100', what: 'gas per fill / V2, 100 independent trades', unit: '', reach: atMost(0.41) },
  { key: 'settlement.gas.10-makers', what: 'gas per fill / V2, one taker and 10 makers', unit: '', reach: atMost(0.6) },
  {
    key: 'settlement.gas.100-makers',
    what: 'gas per fill / V2, one taker and 100 makers',
    unit: '',
    reach: atMost(0.64),
  },
  { key: 'settlement.gas.dear.one', what: 'the same with a token like USDC, one trade', unit: '', reach: atMost(0.6) },
  { key: 'settlement.gas.dear.100', what: '... 100 independent trades', unit: '', reach: atMost(0.36) },
  { key: 'settlement.gas.dear.10-makers', what: '... 10 makers with deposits', unit: '', reach: atMost(0.58) },
  { key: 'settlement.gas.dear.100-makers', what: '... 100 makers with deposits', unit: '', reach: atMost(0.58) },
];

export function isMet({ reach }: Goal, value: number): boolean {
  // Compared as printed: a third digit is not reproducible on this machine.
  const shown = Number(value.toFixed(2));
  return 'atLeast' in reach ? shown >= reach.atLeast : shown <= reach.atMost;
}
