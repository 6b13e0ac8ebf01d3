import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownSystem, report } from '../../attack/reports.ts';
import { type Account, World } from '../../attack/world.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { wordsOf } from '../../support/site/browser.ts';

// A page must not call a submission accepted and on the boards if no board counts it.

let server: TestServer;
let world: World;

beforeAll(async () => {
  server = await startTestServer({ REGISTRATION: 'open' });
  world = new World({ url: server.url, adminKey, seed: 21 });
});
afterAll(() => server?.dispose());

/** The notice at the top of a submission's page. */
async function verdictOf(id: string): Promise<string> {
  const html = await world.get(`/submissions/${id}`);
  return wordsOf(/<section class="notice verdict[\s\S]*?<\/section>/.exec(String(html))?.[0] ?? '').trim();
}

const send = async (account: Account, artifact: string, parameters: Record<string, string> = {}) =>
  (await world.stored(account, artifact, parameters)).id as string;

const rows = (...rates: number[]) => rates.map((output_tok_s) => ({ metrics: { output_tok_s } }));

test('shows "Accepted" for systems with all facts that boards need', async () => {
  const id = await send(await world.vouched(), report(ownSystem(world, 'named'), rows(5000)));
  expect(await verdictOf(id)).toBe('Accepted 1 result ranks on the boards.');
});

test('shows "compared within the account" for systems with an unspecified fact', async () => {
  const system = { ...ownSystem(world, 'unnamed'), model: 'unspecified' };
  const id = await send(await world.vouched(), report(system, rows(5000)));
  expect(await verdictOf(id)).toBe(
    'Accepted 1 result leaves its model, GPU or quantization unspecified, so it is compared only with results of the same account.',
  );
});

test('shows "provisional" for a new account, and its links lead to its data', async () => {
  const system = ownSystem(world, 'new');
  const id = await send(await world.stranger(), report(system, rows(5000)));
  expect(await verdictOf(id)).toBe(
    'Provisional 1 result ranks once its account is established, or an admin vouches for it. How an account is established',
  );
  const html = String(await world.get(`/submissions/${id}`));
  const [, csv = ''] = /href="(\/v1\/results\.csv[^"]*)"/.exec(html) ?? [];
  expect(
    String(await world.get(csv.replaceAll('&amp;', '&')))
      .trimEnd()
      .split('\n'),
  ).toHaveLength(2);
  const [, page = ''] = /href="(\/systems\/[^"#]+)"/.exec(html) ?? [];
  expect(wordsOf(String(await world.get(page)))).toContain('5,000');
});

test('shows "no repetitions" with the different figures', async () => {
  const id = await send(await world.vouched(), report(ownSystem(world, 'unlike'), rows(2000, 5000)));
  expect(await verdictOf(id)).toMatch(
    /^Not repetitions 2 results differ too much to be repetitions of each other, so none of them ranks\. .*2,?000.*5,?000/,
  );
});

test("shows a copy of another account's result", async () => {
  const { data } = await world.get('/v1/submissions?limit=100');
  const sample = data.find(({ tool }: { tool: { name: string } }) => tool.name === 'llama-bench');
  const artifact = String(await world.get(`/v1/submissions/${sample.id}/artifact`));
  const { parameters } = await world.get(`/v1/submissions/${sample.id}`);
  const id = await send(await world.vouched(), `${artifact}\n`, parameters ?? {});
  expect(await verdictOf(id)).toMatch(
    /^Copied \d results repeat figures that were submitted before, so they do not count\./,
  );
});
