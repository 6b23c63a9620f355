import { setTimeout as sleep } from 'node:timers/promises';
import { execSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { withExchange } from './exchange.ts';
import { postOrders, signOrders } from './http-load.ts';
import { readTree } from './process-tree.ts';
const rate = Number(process.env.RATE ?? 1500);
const med = (x: number[]) => x.toSorted((a, b) => a - b)[Math.floor(x.length / 2)]!;
const variants: Record<string, Record<string, string>> = { g0: { GATHER: '0' }, g1: { GATHER: '1' }, g2: { GATHER: '2' } };
const out: Record<string, { peak: number[]; p50: number[]; p99: number[] }> = {};
for (let turn = 0; turn < Number(process.env.TURNS ?? 2); turn++)
  for (const name of (process.env.VARIANTS ?? Object.keys(variants).join(',')).split(',')) {
    const env = variants[name]!;
    await withExchange(async ({ domain, marketId, url, sandbox }) => {
      const res = (out[name] ??= { peak: [], p50: [], p99: [] });
      const all = env.ALL;
      const renice = () => {
        if (!all) return;
        for (const pid of execSync("pgrep -f 'postgres|devchain' || true").toString().trim().split('\n')) try { setPriority(Number(pid), Number(all)); writeFileSync(`/proc/${pid}/autogroup`, all); } catch {}
      };
      const go = async (count: number, perSecond?: number) => {
        const bodies = await signOrders({ count, domain, marketId, mix: 'resting', batch: 1 });
        renice();
        return postOrders({ url: url('/api/v1/orders'), bodies, connections: 64, limitMs: 15000, ...(perSecond && { perSecond }) });
      };
      for (let i = 0; i < 5; i++) { const r = await go(3000); if (i > 1) res.peak.push(r.okPerSecond); }
      await sleep(3000);
      const pid = execSync("pgrep -f 'run.mjs .*apps/server/src/main.ts'").toString().trim().split('\n').map(Number).filter((p) => readTree(sandbox.pid).some?.((x: any) => (x.pid ?? x) === p) ?? true).at(-1)!;
      const waitMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
      const runMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      for (let i = 0; i < 5; i++) { const [w, u] = [waitMs(), runMs()]; const r = await go(3000, rate); console.log('   main waits', (waitMs() - w).toFixed(0), 'runs', (runMs() - u).toFixed(0), 'p99', r.latencyMs.p99.toFixed(1)); if (i > 0) { res.p50.push(r.latencyMs.p50); res.p99.push(r.latencyMs.p99); } }
      console.log(name, res.peak.map((x) => x.toFixed(0)).join(' '), '| p50', res.p50.map((x) => x.toFixed(1)).join(' '), '| p99', res.p99.map((x) => x.toFixed(0)).join(' '));
    }, { env: { NODE_OPTIONS: '--import /tmp/p99/probe.mjs', NO_LOOP: '1', ...env } });
  }
for (const [name, r] of Object.entries(out)) console.log(name, 'peak', med(r.peak).toFixed(0), 'p50', med(r.p50).toFixed(2), 'p99', med(r.p99).toFixed(1));
