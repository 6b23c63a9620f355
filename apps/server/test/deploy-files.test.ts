// The files of deploy/ say what the service is: unit, image, compose file and manifests run what exists, with settings that are read.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_SETTINGS } from '@presage/runtime/node';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { listGuides } from '../../../scripts/build-service-package.ts';
import { SETTING_NAMES } from '../src/config/setting-names.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
const isThere = (path: string) => existsSync(fileURLToPath(new URL(path, ROOT)));

/** Sections of `key=value` lines, as systemd reads them. */
function parseUnit(text: string): Record<string, [string, string][]> {
  const sections: Record<string, [string, string][]> = {};
  let current: [string, string][] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) sections[section] = current = [];
    else if (key !== undefined && value !== undefined) current.push([key, value]);
    else throw new Error(`not a line of a unit: ${line}`);
  }
  return sections;
}

/** Instructions with their continued lines joined. */
function parseContainerfile(text: string): [string, string][] {
  const joined = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      if (instruction === undefined || rest === undefined) throw new Error(`not an instruction: ${line}`);
      return [instruction, rest];
    });
}

const settings = new Set(SETTING_NAMES);
/** As the supervisor of `npm start` sets them. */
const ALLOCATOR = Object.entries(ALLOCATOR_SETTINGS).map(([name, value]) => `${name}=${value}`);

describe('the systemd unit', () => {
  it('starts the live service as a user of its own, and again when it ends', async () => {
    const { Unit, Service, Install } = parseUnit(await read('deploy/presage.service'));
    const service = Object.fromEntries(Service ?? []);
    expect(Unit?.length).toBeGreaterThan(0);
    expect(Install).toEqual([['WantedBy', 'multi-user.target']]);
    expect(service).toMatchObject({ User: 'presage', Restart: 'always', KillSignal: 'SIGTERM', UMask: '0077' });
    expect(service.ExecStart).toBe('/usr/bin/env presage serve');
    const set = (Service ?? []).filter(([key]) => key === 'Environment').map(([, value]) => value);
    expect(set).toEqual(expect.arrayContaining(ALLOCATOR));
    const names = set.filter((each) => !ALLOCATOR.includes(each)).map((each) => each.split('=')[0] ?? '');
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
  });

  it('may do little else: exposure of at most 3 by systemd itself', ({ skip }) => {
    const path = fileURLToPath(new URL('deploy/presage.service', ROOT));
    const { stdout, error } = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' });
    if (error !== undefined) skip('no systemd-analyze on this machine');
    const [, level] = /Overall exposure level for presage\.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(level)).toBeLessThanOrEqual(3);
  });
});

describe('the Containerfile', () => {
  it('copies what exists, runs as no root, and keeps the data in a volume', async () => {
    const instructions = parseContainerfile(await read('deploy/Containerfile'));
    const all = (name: string) => instructions.filter(([each]) => each === name).map(([, rest]) => rest);
    const copied = all('COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(copied.filter((path) => !isThere(path))).toEqual([]);
    const { workspaces } = JSON.parse(await read('package.json')) as { workspaces: string[] };
    expect(workspaces.map((path) => path.split('/')[0]).filter((dir) => !copied.includes(dir ?? ''))).toEqual([]);
    const isCopied = (path: string) => copied.some((each) => path === each || path.startsWith(`${each}/`));
    expect(listGuides().filter((path) => !isCopied(path))).toEqual([]);
    expect(all('USER')).toEqual(['node']);
    expect(all('VOLUME')).toEqual(['/var/lib/presage']);
    expect(all('CMD')).toEqual(['["presage", "serve"]']);
    const environment = all('ENV').join(' ');
    expect(environment.split(' ')).toEqual(expect.arrayContaining(ALLOCATOR));
    const set = environment.match(/PRESAGE_[A-Z_]+/g) ?? [];
    expect(set.filter((name) => !settings.has(name))).toEqual([]);
  });
});

const unknownOf = (names: readonly string[]) =>
  names.filter((name) => name.startsWith('PRESAGE_') && !settings.has(name));
const ROLES = ['gateway', 'engine', 'settler'];
const [HTTP_PORT, ADMIN_PORT] = [8080, 8081];

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

describe('the compose file', async () => {
  const text = await read('deploy/compose.yaml');
  const { services, volumes, networks } = parse(text, { merge: true }) as ComposeFile;
  const nodes = Object.entries(services).filter(([, { environment }]) => environment?.PRESAGE_ROLES !== undefined);

  it('runs nodes of every role, each under its own name, from the image of this repository', () => {
    expect(new Set(nodes.map(([, { environment }]) => environment?.PRESAGE_ROLES))).toEqual(new Set(ROLES));
    for (const [name, { image, environment = {}, healthcheck }] of nodes) {
      expect(image).toBe('localhost/presage:latest');
      for (const host of ['PRESAGE_HOST', 'PRESAGE_ADMIN_HOST', 'PRESAGE_CLUSTER_HOST'])
        expect(environment[host]).toBe(name);
      expect(environment.PRESAGE_TRUSTED_PROXIES).toBe(networks.default.ipam.config[0]?.subnet);
      expect(healthcheck?.test.join(' ')).toContain(`:${HTTP_PORT}/health`);
    }
  });

  it('names volumes, services and files that are there', async () => {
    const mounts = Object.values(services).flatMap(({ volumes: mounted = [] }) =>
      mounted.map((each) => each.split(':')[0] ?? ''),
    );
    const named = mounts.filter((each) => !each.startsWith('.'));
    expect(named.filter((each) => !Object.hasOwn(volumes, each))).toEqual([]);
    // The chains file and the settings are the operator's.
    expect(
      mounts.filter((each) => each.startsWith('.') && each !== './chains.json' && !isThere(`deploy/${each}`)),
    ).toEqual([]);
    const needed = Object.values(services).flatMap(({ depends_on = [] }) =>
      Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
    );
    expect(needed.filter((each) => !Object.hasOwn(services, each))).toEqual([]);
    const balanced = [...(await read('deploy/haproxy.cfg')).matchAll(/^\s+server (\S+) (\S+):(\d+)$/gm)];
    const gateways = nodes
      .filter(([, { environment }]) => environment?.PRESAGE_ROLES === 'gateway')
      .map(([name]) => name);
    expect(balanced.map(([, , host]) => host)).toEqual(gateways);
    expect(balanced.every(([, , , port]) => Number(port) === HTTP_PORT)).toBe(true);
  });

  it('sets what the service reads, and its head names what else it needs', () => {
    expect(unknownOf(nodes.flatMap(([, { environment = {} }]) => Object.keys(environment)))).toEqual([]);
    expect(unknownOf(text.match(/PRESAGE_[A-Z_]+/g) ?? [])).toEqual([]);
  });
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Labels {
  readonly matchLabels: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly resources?: readonly string[];
  readonly spec: {
    readonly selector: Labels;
    readonly replicas: number;
    readonly ports: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly enableServiceLinks?: boolean;
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
  };
}

describe('the Kubernetes manifests', async () => {
  const folder = 'deploy/kubernetes/';
  const readManifests = async (name: string): Promise<Manifest[]> => {
    const documents = parseAllDocuments(await read(folder + name));
    return documents.map((document) => {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]?.message}`);
      return document.toJS() as Manifest;
    });
  };
  const [kustomization] = await readManifests('kustomization.yaml');
  const secrets = await readManifests('secret.example.yaml');
  const all = (await Promise.all((kustomization?.resources ?? []).map(readManifests))).flat();
  const ofKind = (...kinds: string[]) => all.filter(({ kind }) => kinds.includes(kind));
  const workloads = ofKind('Deployment', 'StatefulSet');

  it('list every file of their folder but the example of a secret', async () => {
    const others = ['kustomization.yaml', 'secret.example.yaml'];
    const files = (await readdir(new URL(folder, ROOT))).filter((name) => !others.includes(name));
    expect(files.sort()).toEqual([...(kustomization?.resources ?? [])].sort());
    expect(all.filter(({ apiVersion, kind, metadata }) => !apiVersion || !kind || !metadata.name)).toEqual([]);
  });

  it('run each role twice, with probes that the service answers and a budget for disruptions', async () => {
    expect(workloads.map(({ spec }) => spec.template.spec.containers[0].name).sort()).toEqual([...ROLES].sort());
    const routes = await read('apps/server/src/api/routes/service.ts');
    for (const { spec } of workloads) {
      const { labels } = spec.template.metadata;
      const { startupProbe, livenessProbe, readinessProbe, ports, name, env } = spec.template.spec.containers[0];
      expect(spec.replicas).toBe(2);
      expect(labels).toEqual(spec.selector.matchLabels);
      const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
      expect(probes.map(({ path }) => path)).toEqual(['/health', '/health', '/ready']);
      for (const { path, port } of probes) {
        expect(routes).toContain(`path: '${path}'`);
        expect(port).toBe('http');
      }
      const cluster = Number(all.find(({ data }) => data !== undefined)?.data?.PRESAGE_CLUSTER_PORT);
      expect(ports.map(({ containerPort }) => containerPort)).toEqual([HTTP_PORT, ADMIN_PORT, cluster]);
      expect(env.find(({ name: each }) => each === 'PRESAGE_ROLES')?.value).toBe(name);
      const budgets = ofKind('PodDisruptionBudget').map(({ spec: { selector } }) => selector.matchLabels);
      expect(budgets).toContainEqual(labels);
    }
  });

  it('let no Service of their namespace set PRESAGE_PORT, which Kubernetes does for one named presage', () => {
    expect(workloads.map(({ spec }) => spec.template.spec.enableServiceLinks)).toEqual([false, false, false]);
  });

  it('give the keys to settlers only', () => {
    const withKeys = workloads.filter(({ spec }) =>
      spec.template.spec.containers[0].envFrom.some(({ secretRef }) => secretRef?.name === 'presage-keys'),
    );
    expect(withKeys.map(({ metadata }) => metadata.name).sort()).toEqual(['presage-settler']);
  });

  it('mount, import and select only what is there', () => {
    const given = new Set([
      ...ofKind('ConfigMap').map(({ metadata }) => metadata.name),
      ...secrets.map(({ metadata }) => metadata.name),
    ]);
    for (const { spec } of workloads) {
      const [container] = spec.template.spec.containers;
      const sources = container.envFrom.map(({ configMapRef, secretRef }) => (configMapRef ?? secretRef)?.name);
      expect(sources.filter((name) => !given.has(name ?? ''))).toEqual([]);
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
      const volumes = [...claims, ...(spec.template.spec.volumes ?? []).map(({ name }) => name)];
      expect(container.volumeMounts.map(({ name }) => name).filter((name) => !volumes.includes(name))).toEqual([]);
    }
    const labelled = workloads.map(({ spec }) => JSON.stringify(spec.template.metadata.labels));
    for (const { spec } of ofKind('Service')) expect(labelled).toContain(JSON.stringify(spec.selector));
  });

  it('set what the service reads', () => {
    const shared = [
      ...ofKind('ConfigMap').flatMap(({ data = {} }) => Object.keys(data)),
      ...secrets.flatMap(({ stringData = {} }) => Object.keys(stringData)),
    ];
    const own = workloads.flatMap(({ spec }) => spec.template.spec.containers[0].env.map(({ name }) => name));
    expect(unknownOf([...shared, ...own])).toEqual([]);
  });
});
