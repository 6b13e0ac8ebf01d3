import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { documentFile } from './committed.ts';
import type { ApiDocument, Operation } from './types.ts';

// Lints the document as its readers do: with Redocly's recommended rules and Spectral's rules for OpenAPI.

const text = readFileSync(documentFile, 'utf8');

const redocly = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-server-example.com': 'off', // The committed document has the default URL; a service writes its PUBLIC_URL.
  },
});

const spectral = new spectralCore.Spectral();
spectral.setRuleset({
  // The library's types do not accept its own ruleset.
  extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
  rules: {
    'oas3-operation-security-defined': 'off', // It rejects role names, which OpenAPI 3.1 allows for bearer keys. Redocly's security-defined checks the keys.
    'oas3-valid-media-example': 'off', // It takes 20 s. openapi.test.ts checks all examples with stricter schemas.
  },
});

async function redoclyFaults(source: string): Promise<string[]> {
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config: redocly });
  return problems.map(({ ruleId, severity, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`);
}

async function spectralFaults(source: string): Promise<string[]> {
  const results = await spectral.run(JSON.parse(source) as Record<string, unknown>);
  return results.map(({ code, severity, path }) => `${severity} ${code} ${path.join('/')}`);
}

it("has no errors or warnings from Redocly's recommended rules", async () => {
  expect(await redoclyFaults(text)).toEqual([]);
});

it("has no errors or warnings from Spectral's OpenAPI rules", async () => {
  expect(await spectralFaults(text)).toEqual([]);
});

const omit = (value: object | undefined, name: string) => Reflect.deleteProperty(value ?? {}, name);

/** A document of one operation, so that each run is fast. */
function damaged(damage: (operation: Operation, document: ApiDocument & { info: object }) => unknown): string {
  const document = JSON.parse(text) as ApiDocument & { info: object };
  const path = '/healthz';
  const operation = document.paths[path]?.get;
  if (operation === undefined) throw new Error(`the document lacks ${path}`);
  document.paths = { [path]: { get: operation } };
  omit(document, 'webhooks');
  damage(operation, document);
  return JSON.stringify(document);
}

// Guards against linters that accept everything.
it.each<[string, Parameters<typeof damaged>[0], (source: string) => Promise<string[]>, string]>([
  ['no license', (_, { info }) => omit(info, 'license'), redoclyFaults, 'warn info-license #/info'],
  ['no summary', (one) => omit(one, 'summary'), redoclyFaults, 'error operation-summary #/paths/~1healthz/get/summary'],
  [
    'a reference to an unknown security scheme',
    (one) => Object.assign(one, { security: [{ password: [] }] }),
    redoclyFaults,
    'error security-defined #/paths/~1healthz/get/security/0/password',
  ],
  ['no contact', (_, { info }) => omit(info, 'contact'), spectralFaults, '1 info-contact info'],
  [
    'a tag outside of all groups',
    (one) => Object.assign(one, { tags: ['None'] }),
    spectralFaults,
    '1 operation-tag-defined paths//healthz/get/tags/0',
  ],
])('has a warning with %s', async (_, damage, faultsOf, expected) => {
  expect(await faultsOf(damaged(damage))).toContain(expected);
});
