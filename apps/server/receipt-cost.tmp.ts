import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal } from '@presage/journal';
import { stringifyJson } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { createOrderBuilders, ManualClock, marketFacts } from '@presage/testkit';
import { Host } from './src/host/host.ts';
import { HostCommands } from './src/host/host-commands.ts';
import { PartitionLog } from './src/host/partition-log.ts';
import { Receipts } from './src/proof/receipts.ts';
import { toSubmitAnswer } from './src/api/mappers/order.ts';

const COUNT = Number(process.argv[2] ?? 20000), AT_ONCE = Number(process.argv[3] ?? 64);
async function run(withReceipts: boolean): Promise<{ rate: number; cpu: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'presage-rc-'));
  const clock = new ManualClock();
  const nowMs = () => clock.nowMs;
  let late = 0, frames = 0;
  const key = openSigningKey('07'.repeat(32));
  const receipts = new Receipts({ ...key, sign: (m) => { late++; return key.sign(m); } });
  const onSealed = (frame: any) => { frames++; if (withReceipts) receipts.prepare(frame); };
  const journal = await FileJournal.open({ dir, partition: 'm0', onSealed });
  const log = await PartitionLog.open({ journal, nowMs, onFatal: (e) => { throw e; } });
  const host = await Host.open({ log, nowMs });
  const commands = withReceipts ? new HostCommands(host, receipts) : new HostCommands(host);
  await commands.listMarket(marketFacts());
  const traders = createOrderBuilders(clock);
  const orders = Array.from({ length: COUNT }, (_, i) => i % 2 ? traders.aliceBuysYes({ price: `0.${10 + (i % 60)}`, size: '10' }) : traders.bobSellsYes({ price: `0.${20 + (i % 70)}`, size: '7' }));
  let next = 0, bytes = 0;
  const start = performance.now();
  const cpu0 = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (next < COUNT) {
      const { answer, receipt } = await commands.placeOrder(orders[next++]!) as any;
      bytes += stringifyJson(toSubmitAnswer(answer, receipt)).length;
    }
  }));
  const rate = COUNT / (performance.now() - start) * 1000;
  const used = process.cpuUsage(cpu0);
  const cpu = (used.user + used.system) / COUNT;
  await log.close(); rmSync(dir, { recursive: true });
  console.log(withReceipts ? 'with   ' : 'without', Math.round(rate), 'orders/s', frames, 'frames', late, 'signed late', Math.round(bytes / COUNT), 'bytes an answer', cpu.toFixed(1), 'us cpu/order');
  return { rate, cpu };
}
const sums = { with: [] as number[], without: [] as number[], cw: [] as number[], co: [] as number[] };
await run(false); await run(true);
for (let i = 0; i < 7; i++) { const a = await run(false), b = await run(true); sums.without.push(a.rate); sums.with.push(b.rate); sums.co.push(a.cpu); sums.cw.push(b.cpu); }
const median = (x: number[]) => x.sort((a, b) => a - b)[x.length >> 1]!;
console.log('median ratio orders/s', (median(sums.with) / median(sums.without)).toFixed(3), 'cpu/order us', median(sums.co).toFixed(1), '->', median(sums.cw).toFixed(1), 'at once', AT_ONCE);
