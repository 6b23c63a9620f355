// `presage doctor`: checks everything a working exchange needs, and says how to fix what is wrong.
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import type { Context } from '../context.ts';
import { type DoctorOptions, examine } from '../doctor-checks.ts';
import { UnsoundError } from '../exit-codes.ts';
import type { Finding } from '../finding.ts';
import type { Colors } from '../output.ts';
import { dataDirOption } from './journal.ts';

export function addDoctor(program: Command, act: Act): void {
  program
    .command('doctor')
    .description('check service, clock, chain, database, wallet, disk and chains file, and say what to do')
    .addOption(dataDirOption())
    .option('--chains <file>', 'the chains file of a live service, checked as at its start (PRESAGE_CHAINS)')
    .action(act<DoctorOptions>(doctor));
}

async function doctor({ context, options }: Call<DoctorOptions>): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examine(context, options)) findings.push(finding);
  const isSound = findings.every(({ verdict }) => verdict !== 'bad');
  context.output.show({ sound: isSound, url: context.url, checks: findings }, () => draw(findings, context));
  if (!isSound) throw new UnsoundError('something is wrong');
}

function draw(findings: readonly Finding[], { output }: Context): string {
  return findings
    .map(({ check, verdict, detail, remedy }) => {
      const line = `${sign(verdict, output.colors)} ${check.padEnd(9)} ${detail}`;
      return remedy === undefined ? line : `${line}\n${' '.repeat(13)}${output.colors.yellow(remedy)}`;
    })
    .join('\n');
}

function sign(verdict: Finding['verdict'], colors: Colors): string {
  if (verdict === 'good') return colors.green('ok ');
  return verdict === 'odd' ? colors.yellow('?  ') : colors.red('BAD');
}
