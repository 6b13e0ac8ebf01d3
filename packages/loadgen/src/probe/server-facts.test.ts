import { expect, test } from 'vitest';
import { readServerFacts } from './server-facts.ts';

// Builds from an archive or a shallow clone would otherwise share the version b0 or b1, and rank as one engine.
test.each([
  ['b6789-0123abc', 'b6789'],
  ['b0-unknown', null],
  ['b1-0123abc', null],
  ['6789 (0123abc)', '6789 (0123abc)'],
])('reads the build of llama.cpp from %s', async (build, version) => {
  const documents: Record<string, object> = {
    '/v1/models': { data: [{ id: 'm', owned_by: 'llamacpp' }] },
    '/props': { build_info: build },
  };
  const facts = await readServerFacts(async (path) => JSON.stringify(documents[path] ?? {}), 'm');
  expect(facts).toMatchObject({ engine: 'llama.cpp', engineVersion: version });
});
