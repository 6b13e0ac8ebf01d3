import { nativeReport } from '../support/hostile.ts';
import { createAccount } from '../support/server.ts';
import { type Operation, queryOf } from './document.ts';
import { ask, type Keys, post } from './service.ts';

/** A page with a next page: the query and the returned cursor. */
export interface Page {
  operationId: string;
  query: [string, string][];
  cursor: string;
}

/** Existing data of the running service, for requests that succeed. */
export interface Harvest {
  /** Values by parameter, such as the known models. */
  values: Record<string, string[]>;
  /** Ids by noun, such as `systems`. */
  ids: Record<string, string[]>;
  pages: Page[];
  /** Submissions that need a decision. */
  quarantined: string[];
  /** Concerns that need a decision. */
  openConcerns: string[];
  /** Artifacts that were accepted. */
  artifacts: Buffer[];
}

interface Listed {
  id: string;
  account?: { id: string; name: string };
  model?: { name: string };
  engine?: { version: string | null };
}

const listOf = async <T = Listed>(url: string) => (await ask<{ data: T[] }>(url)).data;

/** Submissions and keys that tests can retract, review and revoke, because no other test uses them. */
async function makeDisposable(url: string, keys: Keys): Promise<string[]> {
  for (let i = 0; i < 12; i += 1) {
    const gpu = i % 2 === 0 ? 'h100-sxm' : `Engineering Sample ${i}`;
    const report = nativeReport({ system: { gpu }, scenario: { input_tokens: 300 + i, output_tokens: 20 } });
    await ask(`${url}/v1/submissions`, post(keys.submit, JSON.parse(report)));
  }
  const ids: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const key = await createAccount(url, `to revoke ${i}`);
    ids.push((await ask<{ id: string }>(`${url}/v1/keys`, post(key, {}))).id);
  }
  return ids;
}

/** Endpoints that tests can delete, check and approve. No server listens at their URL, which no setting allows. */
const makeEndpoints = (url: string, keys: Keys): Promise<string[]> =>
  makeMany(`${url}/v1/endpoints`, keys, 12, (index) => ({
    ...{ name: `node ${index}`, base_url: `https://llm-${index}.invalid/v1`, model: 'tiny', gpu: 'h100-sxm' },
  }));

/** Sends a body several times and returns the created ids. */
async function makeMany(url: string, { run }: Keys, times: number, body: (index: number) => object): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < times; i += 1) ids.push((await ask<{ id: string }>(url, post(run, body(i)))).id);
  return ids;
}

/** Finished runs, so that their event streams end. No worker executes other runs here. */
async function makeRuns(url: string, keys: Keys, endpointIds: readonly string[]): Promise<Record<string, string[]>> {
  const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 2 }];
  const run = (index: number) => ({ endpoint_id: endpointIds[index % endpointIds.length], plan });
  const runs = await makeMany(`${url}/v1/runs`, keys, 6, run);
  for (const id of runs) await ask(`${url}/v1/runs/${id}/cancel`, post(keys.run, {}));
  const schedule = (index: number) => ({ ...run(index), cron: `${index} 3 * * *` });
  const schedules = await makeMany(`${url}/v1/schedules`, keys, 12, schedule);
  const hook = (index: number) => ({ url: `https://ci-${index}.invalid/hook`, events: ['run.ended'] });
  const webhooks = await makeMany(`${url}/v1/webhooks`, keys, 12, hook);
  const deliveries: string[] = [];
  for (const id of webhooks)
    deliveries.push((await ask<{ id: string }>(`${url}/v1/webhooks/${id}/test`, post(keys.run, {}))).id);
  return { runs, schedules, webhooks, deliveries };
}

/** Unused entries that admins added. */
async function makeAdditions(url: string, { admin }: Keys): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    const body = { kind: 'engine', id: `fuzz-engine-${i}`, facts: { name: `Fuzz Engine ${i}` } };
    ids.push((await ask<{ id: string }>(`${url}/v1/admin/catalogue`, post(admin, body))).id);
  }
  return ids;
}

/** Concerns about the admin's submissions, which can leave the boards: a decided one and pending ones. */
async function makeConcerns(url: string, { admin }: Keys): Promise<{ decided: string; open: string[] }> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    const report = nativeReport({ scenario: { input_tokens: 400 + i, output_tokens: 20 } });
    const { id } = await ask<{ id: string }>(`${url}/v1/submissions`, post(admin, JSON.parse(report)));
    const body = { reason: 'other', text: `concern ${i}` };
    ids.push((await ask<{ id: string }>(`${url}/v1/submissions/${id}/concerns`, post(admin, body))).id);
  }
  const [decided = '', ...open] = ids;
  await ask(`${url}/v1/concerns/${decided}/decision`, post(admin, { decision: 'dismissed', note: 'It is right.' }));
  return { decided, open };
}

/** The entries of each catalogue, by the parameter that takes them: `gpus` for `gpu`. */
async function readCatalogue(url: string, operations: readonly Operation[]): Promise<Record<string, string[]>> {
  const catalogue = operations.find(({ operationId }) => operationId === 'listCatalogue');
  const kinds = (catalogue?.parameters[0]?.schema.enum ?? []) as string[];
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const items = await listOf<{ id: string; family?: string }>(`${url}/v1/catalogue/${kind}`);
      return [kind.replace(/s$/, ''), items] as const;
    }),
  );
  const families = lists.flatMap(([, items]) => items.flatMap(({ family }) => (family === undefined ? [] : [family])));
  const values = Object.fromEntries(lists.map(([name, items]) => [name, items.map(({ id }) => id)]));
  return { ...values, model_family: [...new Set(families)] };
}

/** Required parameters, with values that exist. */
export function requiredPairs(operation: Operation, values: Harvest['values']): [string, string][] {
  // A trend needs one of four parameters, which the document can only say in words.
  const isNeeded = ({ name }: { name: string }) => operation.operationId === 'getTrend' && name === 'model';
  const required = queryOf(operation).filter((parameter) => parameter.required || isNeeded(parameter));
  return required.flatMap(({ name, schema, example }) => {
    const known = values[name] ?? [String(example ?? schema.example)];
    return known.slice(0, schema.minItems ?? 1).map((value): [string, string] => [name, value]);
  });
}

/** The first page of every list with a second page, in two versions. */
async function readPages(
  url: string,
  operations: readonly Operation[],
  values: Harvest['values'],
  keys: Keys,
): Promise<Page[]> {
  const pages: Page[] = [];
  const lists = operations.filter(
    (one) => queryOf(one).some(({ name }) => name === 'cursor') && !one.path.includes('{'),
  );
  for (const operation of lists) {
    const { operationId, path, parameters, scopes } = operation;
    const key = scopes?.includes('admin') ? keys.admin : keys.run;
    const init = scopes === null ? {} : { headers: { authorization: `Bearer ${key}` } };
    const required = requiredPairs(operation, values);
    const narrowed: [string, string][] = parameters.some(({ name }) => name === 'include')
      ? [['include', 'quarantined']]
      : [];
    for (const query of [required, [...required, ...narrowed]]) {
      const asked = new URLSearchParams([...query, ['limit', '2']]);
      const { next_cursor: cursor } = await ask<{ next_cursor: string | null }>(`${url}${path}?${asked}`, init);
      if (cursor !== null) pages.push({ operationId, query, cursor });
    }
  }
  return pages;
}

const unique = (texts: (string | null | undefined)[]) => [...new Set(texts.filter((text) => typeof text === 'string'))];

export async function harvest(url: string, operations: readonly Operation[], keys: Keys): Promise<Harvest> {
  const keyIds = await makeDisposable(url, keys);
  const endpointIds = await makeEndpoints(url, keys);
  const systems = await listOf(`${url}/v1/systems?limit=40`);
  const submissions = await listOf(`${url}/v1/submissions?limit=60`);
  const accounts = submissions.flatMap(({ account }) => (account === undefined ? [] : [account.id, account.name]));
  const own = await listOf(`${url}/v1/submissions?account=fuzz&limit=200`);
  const artifacts = await Promise.all(
    submissions.map(async ({ id }) =>
      Buffer.from(await (await fetch(`${url}/v1/submissions/${id}/artifact`)).arrayBuffer()),
    ),
  );
  const quarantined = await listOf(`${url}/v1/submissions?account=fuzz&status=quarantined`);
  const systemIds = systems.map(({ id }) => id);
  const concerns = await makeConcerns(url, keys);
  const values = {
    ...(await readCatalogue(url, operations)),
    account: unique(accounts),
    system: systemIds,
    engine_version: unique(systems.map(({ engine }) => engine?.version)),
  };
  return {
    values,
    ids: {
      submissions: [...submissions.slice(0, 20), ...own].map(({ id }) => id),
      systems: systemIds,
      results: (await listOf(`${url}/v1/results?limit=40`)).map(({ id }) => id),
      accounts: unique(submissions.map(({ account }) => account?.id)),
      keys: keyIds,
      concerns: [concerns.decided, ...concerns.open],
      endpoints: endpointIds,
      catalogue: await makeAdditions(url, keys),
      ...(await makeRuns(url, keys, endpointIds)),
    },
    pages: await readPages(url, operations, values, keys),
    quarantined: quarantined.map(({ id }) => id),
    openConcerns: concerns.open,
    artifacts: artifacts.filter(({ length }) => length < 20_000).slice(0, 20),
  };
}
