import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isMetadata, isPublic, parseAddress } from '../../packages/outbound/src/address.ts';
import {
  isPinned,
  isSetting,
  kubernetesBase,
  listAddresses,
  listManifests,
  type Manifest,
  read,
  readYaml,
  root,
} from '../support/infra/infra.ts';

const manifests = listManifests();
const ofKind = (kind: string) =>
  manifests.filter(({ manifest }) => manifest.kind === kind).map((found) => found.manifest);
const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const podOf = (workload: Manifest) => workload.spec.template.spec;
const containerOf = (workload: Manifest) => podOf(workload).containers[0];
const deployments = ofKind('Deployment').map((manifest) => [manifest.metadata.name, manifest] as const);
const [kustomization] = readYaml(`${kubernetesBase}/kustomization.yaml`);

/** Modules of the schemas use the names of the Kubernetes API groups. */
const moduleOf = (apiVersion: string) => `kubernetes-models/${apiVersion}`;

describe('infra/kubernetes', () => {
  test.each(manifests)(
    '$file: $manifest.kind $manifest.metadata.name is valid against the schema of its kind',
    async ({ manifest }) => {
      const models = (await import(moduleOf(manifest.apiVersion))) as Record<
        string,
        new (
          data: unknown,
        ) => { validate(): void }
      >;
      const Model = models[manifest.kind];
      if (Model === undefined) throw new Error(`${manifest.apiVersion} has no ${manifest.kind}`);
      expect(() => new Model(manifest).validate()).not.toThrow();
    },
  );

  // The schemas allow unknown fields; the types of the same schemas do not.
  test('has no misspelt fields', () => {
    const folder = fileURLToPath(new URL('node_modules/.cache/inferboard-manifests/', root));
    mkdirSync(folder, { recursive: true });
    const lines = manifests.flatMap(({ manifest: { kind, apiVersion }, manifest }, index) => [
      `import type { I${kind} as K${index} } from '${moduleOf(apiVersion)}';`,
      `export const m${index}: K${index} = ${JSON.stringify(manifest, null, 2)};`,
    ]);
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
    let said = '';
    try {
      execFileSync('npx', ['tsc', ...options, 'manifests.ts'], { cwd: folder, stdio: 'pipe' });
    } catch (error) {
      said = String((error as { stdout?: Buffer }).stdout ?? error);
    }
    expect(said).toBe('');
  });

  test('the base has every file, and the overlay changes existing objects', () => {
    const files = readdirSync(new URL(kubernetesBase, root)).filter((file) => file !== 'kustomization.yaml');
    expect(kustomization?.resources.toSorted()).toEqual(files.toSorted());
    const [overlay] = readYaml('infra/kubernetes/overlays/example/kustomization.yaml');
    for (const { target } of overlay?.patches ?? []) expect(named(target.kind, target.name), target.name).toBeDefined();
    for (const { name, newTag } of [...(overlay?.images ?? []), ...(kustomization?.images ?? [])]) {
      expect(name).toBe('inferboard');
      expect(isPinned(`${name}:${newTag}`)).toBe(true);
    }
  });

  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s has no unnecessary permissions',
    (_, workload) => {
      const pod = podOf(workload);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(999);
      for (const { securityContext, resources, image } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        for (const kind of ['requests', 'limits'])
          expect(Object.keys(resources[kind]).toSorted()).toEqual(['cpu', 'memory']);
        // The release is named in one place of the overlay and the base.
        expect(image).toBe('inferboard');
      }
    },
  );

  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s has only existing settings, and secrets by reference',
    (_, workload) => {
      const { env = [], envFrom = [] } = containerOf(workload);
      for (const { configMapRef } of envFrom) {
        const settings = named('ConfigMap', configMapRef.name);
        expect(Object.keys(settings?.data).filter((name) => !isSetting(name))).toEqual([]);
      }
      for (const { name, value, valueFrom } of env) {
        expect(isSetting(name), name).toBe(true);
        if (valueFrom === undefined) expect(value).toBeTypeOf('string');
        else expect(read(`${kubernetesBase}/settings.yaml`)).toContain(valueFrom.secretKeyRef.key);
      }
    },
  );

  test.each(deployments)('%s is probed at existing ports, and drains before it stops', (name, deployment) => {
    const container = containerOf(deployment);
    const ports = Object.fromEntries(
      container.ports.map(({ name: port, containerPort }: { name: string; containerPort: number }) => [
        port,
        containerPort,
      ]),
    );
    const [, port, probePort] = /PORT=(\d+) PROBE_PORT=(\d+)/.exec(read('infra/Dockerfile')) ?? [];
    expect(ports.probes).toBe(Number(probePort));
    if (name !== 'inferboard-worker') expect(ports.http).toBe(Number(port));
    const paths = { startupProbe: '/healthz', readinessProbe: '/readyz', livenessProbe: '/healthz' };
    for (const [probe, path] of Object.entries(paths))
      expect(container[probe].httpGet).toEqual({ path, port: 'probes' });
    const drain_s = Number(named('ConfigMap', 'inferboard-settings')?.data.DRAIN_S);
    // Requests in progress can take 8 s more.
    expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(drain_s + 8);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(named('PodDisruptionBudget', name)?.spec.selector).toEqual(deployment.spec.selector);
    expect(named('HorizontalPodAutoscaler', name)?.spec).toMatchObject({
      scaleTargetRef: { name },
      minReplicas: deployment.spec.replicas,
    });
  });
});

describe('the ingress', () => {
  test('routes every path of the API to the API, and pages to the site', () => {
    const [ingress] = ofKind('Ingress');
    const paths: { path: string; pathType: string; backend: { service: { name: string } } }[] =
      ingress?.spec.rules[0].http.paths;
    // Kubernetes path matching: an exact match first, then the longest prefix, by whole segments.
    const lead = (address: string) =>
      paths.find(({ path, pathType }) => pathType === 'Exact' && path === address) ??
      paths
        .filter(
          ({ path, pathType }) => pathType === 'Prefix' && `${address}/`.startsWith(path === '/' ? '/' : `${path}/`),
        )
        .toSorted((a, b) => b.path.length - a.path.length)[0];
    const { api, site } = listAddresses();
    for (const address of api) expect(lead(address)?.backend.service.name, address).toBe('inferboard-api');
    for (const address of site) expect(lead(address)?.backend.service.name, address).toBe('inferboard-site');
    for (const { backend } of paths) expect(named('Service', backend.service.name)).toBeDefined();
  });
});

describe('outgoing connections', () => {
  const outbound = named('NetworkPolicy', 'inferboard-outbound')?.spec.egress[0];
  const blocks: { cidr: string; except: string[] }[] = outbound.to.map(({ ipBlock }: { ipBlock: unknown }) => ipBlock);
  const listOf = (cidrs: string[]) => {
    const list = new BlockList();
    for (const cidr of cidrs) {
      const [address = '', bits] = cidr.split('/');
      list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
    }
    return list;
  };
  const kind = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const isOpen = (address: string) =>
    blocks.some(
      ({ cidr, except }) =>
        listOf([cidr]).check(address, kind(address)) && !listOf(except).check(address, kind(address)),
    );
  const allowedByService = (address: string) => {
    const parsed = parseAddress(address);
    return parsed !== null && isPublic(parsed) && !isMetadata(parsed);
  };

  test.each([
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.254',
      '192.168.1.1',
      '127.0.0.1',
      '0.0.0.0',
      '100.64.0.1',
      '169.254.169.254',
    ],
    ...[
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '192.80.8.124',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      'fd00:ec2::254',
      'fe80::1',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '2001:db8::1',
      'ff02::1',
    ],
  ])('exclude %s, which the service also rejects', (address) => {
    expect(allowedByService(address)).toBe(false);
    expect(isOpen(address)).toBe(false);
  });

  test('include the internet', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111']) {
      expect(allowedByService(address), address).toBe(true);
      expect(isOpen(address), address).toBe(true);
    }
  });

  test('exclude no address that the service accepts', () => {
    for (const { except } of blocks)
      for (const cidr of except) expect(allowedByService(cidr.split('/')[0] ?? ''), cidr).toBe(false);
  });

  test('are limited to the services that measure and check, and the database to those that store', () => {
    const labelsOf = (name: string) => named('Deployment', `inferboard-${name}`)?.spec.template.metadata.labels;
    for (const name of ['api', 'worker'])
      expect(labelsOf(name)).toMatchObject({ 'inferboard/outbound': 'true', 'inferboard/database': 'true' });
    expect(Object.keys(labelsOf('site'))).toEqual(['app.kubernetes.io/name']);
    expect(named('NetworkPolicy', 'inferboard-nothing')?.spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
  });
});
