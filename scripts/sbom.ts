// `npm run sbom`: writes software bills of materials (CycloneDX) into dist/sbom, one of a full install and one of what is shipped.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './import-graph.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly purl: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
}

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** Reads the lock file alone, which has the hash of every package; leaves out fields that differ between runs. */
export function readBill(): Bill {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { serialNumber: _serial, metadata, ...bill } = JSON.parse(text) as Bill;
  const { timestamp: _time, component, ...rest } = metadata;
  // npm names the component after its folder.
  return { ...bill, metadata: { ...rest, component: { ...component, name: 'presage' } } };
}

/**
 * Uses the marks of the lock file: `npm sbom --omit dev` also leaves out packages that both a test and a program need.
 */
export function keepShipped(bill: Bill): Bill {
  const shipped = new Set(readShipped());
  const components = bill.components.filter((component) => shipped.has(component['bom-ref']));
  const kept = new Set([bill.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  return { ...bill, components, dependencies };
}

/** `name@version` of each package that is not only for development. */
function readShipped(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages).flatMap(([path, { version, dev, devOptional }]) => {
    const name = /.*node_modules\/(.+)$/.exec(path)?.[1];
    return name === undefined || version === undefined || dev || devOptional ? [] : [`${name}@${version}`];
  });
}

function main(): void {
  const folder = join(ROOT, 'dist', 'sbom');
  mkdirSync(folder, { recursive: true });
  const everything = readBill();
  const bills = { 'everything.cdx.json': everything, 'shipped.cdx.json': keepShipped(everything) };
  for (const [file, bill] of Object.entries(bills)) {
    writeFileSync(join(folder, file), `${JSON.stringify(bill, null, 2)}\n`);
    console.log(`dist/sbom/${file}: ${bill.components.length} components`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
