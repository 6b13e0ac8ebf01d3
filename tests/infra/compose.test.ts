import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { DCLinter } from 'dclint';
import { describe, expect, test } from 'vitest';
import { settingsInFiles } from '../../apps/api/src/startup/env.ts';
import { type ComposeService, composeFile, readCompose } from '../support/infra/compose.ts';
import { isPinned, isSetting, read } from '../support/infra/infra.ts';

const compose = readCompose({ PUBLIC_URL: 'https://bench.example.org' });
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image?.startsWith('inferboard:'));
const networksOf = ({ networks }: ComposeService) => (Array.isArray(networks) ? networks : Object.keys(networks));
const addressOf = (name: string) => {
  const networks = compose.services[name]?.networks;
  return networks === undefined || Array.isArray(networks) ? undefined : networks.front?.ipv4_address;
};

/** The library's types are `any`. */
interface Linted {
  messages: { line: number; rule: string; message: string }[];
}

describe('infra/compose/compose.yaml', () => {
  test('is valid against the Compose schema', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('dclint'));
    const { $schema: _, ...schema } = JSON.parse(readFileSync(join(folder, '../schemas/compose.schema.json'), 'utf8'));
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  test('passes its linter', () => {
    const off = [
      'no-build-and-image',
      'service-keys-order',
      'services-alphabetical-order',
      'top-level-properties-order',
    ];
    const order = ['service-dependencies-alphabetical-order', 'service-ports-alphabetical-order'];
    const rules = Object.fromEntries([...off, ...order].map((name) => [name, 0 as const]));
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
    const results: Linted[] = linter.lintFiles([fileURLToPath(composeFile)], false);
    const found = results.flatMap(({ messages }) => messages);
    expect(found.map(({ line, rule, message }) => `${line}: ${rule}: ${message}`)).toEqual([]);
  });

  test.each(services)('%s is pinned, hardened and limited', (_, service) => {
    expect(isPinned(service.image ?? ''), service.image).toBe(true);
    const [user] = (service.user ?? '0').split(':').map(Number);
    expect(user).toBeGreaterThan(0);
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {};
    for (const limit of [cpus, memory, pids]) expect(limit).toBeDefined();
  });

  test.each(services)('%s has a health check', (name, { image, healthcheck }) => {
    // Our image has a health check; containers that exit have none.
    if (name === 'migrate') expect(healthcheck?.disable).toBe(true);
    else expect(healthcheck?.test !== undefined || image?.startsWith('inferboard:')).toBe(true);
  });

  test.each(ours)('%s has only existing settings', (_, { environment = {} }) => {
    expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
    // Secrets are in files, because anyone who can inspect a container can read its environment.
    expect(Object.keys(environment).filter((name) => settingsInFiles.includes(name))).toEqual([]);
  });

  test('passes only generated secrets, and only where they are used', () => {
    const script = read('infra/compose/make-secrets.sh');
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./secrets/${name}`);
      expect(script, name).toMatch(new RegExp(`>${name}\\b|out ${name}\\b|keyout ${name}\\b`));
    }
    for (const [name, { secrets = [], environment = {} }] of services) {
      const used = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? []);
      expect(used.toSorted(), name).toEqual(secrets.toSorted());
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
    }
    expect(read('infra/compose/.gitignore')).toContain('secrets/');
  });

  test('runs two of each role, which start after the migration', () => {
    const count = (role: string) =>
      ours
        .filter(([, { environment }]) => environment?.ROLES === role)
        .reduce((sum, [, { deploy }]) => sum + (deploy?.replicas ?? 1), 0);
    expect([count('api'), count('worker'), count('site')]).toEqual([2, 2, 2]);
    for (const [name, { environment, depends_on }] of ours) {
      if (environment?.ROLES !== 'api' && environment?.ROLES !== 'worker') continue;
      expect(depends_on?.migrate?.condition, name).toBe('service_completed_successfully');
      expect(depends_on?.postgres?.condition, name).toBe('service_healthy');
    }
  });

  test('the proxy reaches every process, and only the proxy is public', () => {
    const port = /PORT=(\d+) PROBE_PORT/.exec(read('infra/Dockerfile'))?.[1];
    const proxy = compose.services.proxy?.environment ?? {};
    const { API_1, API_2, SITE_1, SITE_2, INTERNAL_LISTEN } = proxy;
    expect([API_1, API_2]).toEqual(['api-1', 'api-2'].map((name) => `${addressOf(name)}:${port}`));
    expect([SITE_1, SITE_2]).toEqual(['site-1', 'site-2'].map((name) => `${addressOf(name)}:${port}`));
    for (const name of ['site-1', 'site-2'])
      expect(compose.services[name]?.environment?.API_URL).toBe(`http://${INTERNAL_LISTEN}`);
    for (const [name, { environment, ports }] of services) {
      expect(ports === undefined, name).toBe(name !== 'proxy');
      if (environment?.TRUSTED_PROXIES !== undefined)
        expect(environment.TRUSTED_PROXIES).toBe(`${addressOf('proxy')}/32`);
    }
    const template = read('infra/nginx/templates/inferboard.conf.template');
    const variables = [...template.matchAll(/\$\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
    expect(variables.filter((name) => !(name in proxy))).toEqual([]);
  });

  test('only the services that need the database can reach it, without outgoing access', () => {
    expect(compose.networks.data?.internal).toBe(true);
    expect(compose.networks.front?.internal).toBe(true);
    const inData = services.filter(([, service]) => networksOf(service).includes('data')).map(([name]) => name);
    expect(inData.toSorted()).toEqual(['api-1', 'api-2', 'migrate', 'postgres', 'worker']);
    expect(networksOf(compose.services.postgres ?? { networks: [] })).toEqual(['data']);
    // The site needs neither the internet nor the database.
    expect(networksOf(compose.services['site-1'] ?? { networks: [] })).toEqual(['front']);
  });
});
