import { concernTextMax } from '../../packages/core/src/concerns.ts';
import { AccountNameSchema, nameKey } from '../../packages/core/src/names/account-name.ts';
import { addressIn } from '../../packages/core/src/names/address.ts';
import { factNameSchema } from '../../packages/core/src/submission/resolve/check-names.ts';
import { SourceUrlSchema } from '../../packages/core/src/submission/source-url.ts';
import { NameSchema, proseSchema } from '../../packages/core/src/text/text.ts';
import { adminKey, createAccount } from '../support/server.ts';
import { hostileWords } from './words.ts';

const texts = hostileWords.map(({ text }) => text);
const kept = <T>(parse: (text: string) => { success: boolean; data?: T }): T[] => [
  ...new Set(texts.map((text) => parse(text).data).filter((data) => data !== undefined)),
];

/** Hostile texts as stored in names, in prose, and in source URLs. */
export const names = kept((text) => NameSchema.safeParse(text)).filter((text) => addressIn(text) === null);
const engines = kept((text) => factNameSchema('engine').safeParse(text));
export const prose = kept((text) => proseSchema(2000).safeParse(text)).filter((text) => text.trim() !== '');
const sources = kept((text) => SourceUrlSchema.safeParse(text));

/** Draws from a list with a different offset for each use, so that together all uses cover all texts. */
const pick = <T>(list: readonly T[], place: number, use: number): T => list[(place + use * 7) % list.length] as T;

/** A submission with different hostile text in each field. */
export interface Planted {
  id: string;
  systemId: string;
  /** Texts that its page must show. */
  shown: string[];
  model: string;
}

/** A text as a page renders it, with whitespace collapsed. */
export const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

const parallel = 4;

/** Processes a list with limited concurrency; returns the results in order. */
export async function each<T, R>(list: readonly T[], work: (item: T, place: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++) results[at] = await work(list[at] as T, at);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}

async function post(url: string, path: string, key: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  if (response.status >= 300) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** A native report with hostile text in every text field, and catalogue names where boards need them. */
function reportOf(place: number, known: boolean) {
  const of = (use: number) => pick(names, place, use);
  const system = known
    ? { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'bf16' }
    : { model: of(0), gpu: of(1), quantization: of(2) };
  const engine = pick(engines, place, 3);
  const texts = [engine, of(4), of(6), of(7), pick(prose, place, 1), pick(prose, place, 2)];
  return {
    shown: known ? texts.slice(0, 1) : [system.model, engine],
    body: {
      schema: 'inferboard/v1',
      tool: { name: of(6), version: of(7) },
      system: { ...system, gpu_count: 1, engine: { name: engine, version: of(4) }, features: { remark: of(5) } },
      // One shared workload for comparisons and one separate workload.
      results: [
        { input_tokens: 100, output_tokens: 100 },
        { input_tokens: 200, output_tokens: 100, dataset: of(8) },
      ].map((scenario) => ({
        scenario,
        load: { mode: 'concurrency', level: 8 },
        metrics: { output_tok_s: 800 + place, ttft_ms_mean: 200 },
        notes: pick(prose, place, 1),
      })),
      notes: pick(prose, place, 2),
      ...(sources.length > 0 && { source_url: pick(sources, place, 0) }),
    },
  };
}

/** Fills a service: one submission for each name, half of them on the boards at once, the others after their review. */
export async function plant(url: string): Promise<Planted[]> {
  // If the text is not allowed as an account name, or resembles an existing one, the account has another name.
  const taken = new Set<string>();
  const owners = names.map((text, place) => {
    const isFree = AccountNameSchema.safeParse(text).success && !taken.has(nameKey(text));
    if (isFree) taken.add(nameKey(text));
    return isFree ? text : `account ${place}`;
  });
  const accounts = await each(owners, (name) => createAccount(url, name));
  return each(owners, async (name, place) => {
    const { body, shown } = reportOf(place, place % 2 === 0);
    const submission = await post(url, '/v1/submissions', accounts[place] ?? '', body);
    const id = String(submission.id);
    const note = pick(prose, place, 3);
    if (submission.status === 'quarantined')
      await post(url, `/v1/submissions/${id}/review`, adminKey, { decision: 'clear', note });
    const results = submission.results as { system: { id: string; model: { name: string } } }[];
    return {
      id,
      systemId: results[0]?.system.id ?? '',
      shown: [...shown, name, ...(submission.status === 'quarantined' ? [note] : [])],
      model: results[0]?.system.model.name ?? '',
    };
  });
}

/** Retracts a submission with hostile texts as the reason. Returns the reason. */
export async function retract(url: string, { id }: Planted): Promise<string> {
  const reason = joined(prose, 1990);
  await post(url, `/v1/submissions/${id}/retract`, adminKey, { reason });
  return reason;
}

/** As many of these texts as fit, concatenated. */
const joined = (texts: readonly string[], lengthMax: number): string =>
  texts.reduce((all, text) => (all.length + text.length < lengthMax ? `${all} ${text}` : all), '');

/** A submission with a concern, a reply and a decision in hostile words. Returns its id and the words. */
export async function plantConcern(url: string): Promise<{ id: string; said: string[] }> {
  const submission = await post(url, '/v1/submissions', adminKey, reportOf(0, true).body);
  const [text = '', answer = '', note = ''] = [0, 1, 2].map((part) =>
    joined(
      prose.filter((_, at) => at % 3 === part),
      concernTextMax,
    ),
  );
  const reported = { reason: 'other', text };
  const concern = await post(url, `/v1/submissions/${submission.id}/concerns`, adminKey, reported);
  await post(url, `/v1/concerns/${concern.id}/answer`, adminKey, { text: answer });
  await post(url, `/v1/concerns/${concern.id}/decision`, adminKey, { decision: 'upheld', note });
  return { id: String(submission.id), said: [text.normalize('NFC'), answer.normalize('NFC'), note] };
}

/** Runs of endpoints with hostile names and facts. Returns the ids of the runs. */
export async function plantRuns(url: string, count: number): Promise<string[]> {
  const key = await createAccount(url, 'runner');
  return each(names.slice(0, count), async (_, place) => {
    const of = (use: number) => pick(names, place * 5, use);
    const endpoint = await post(url, '/v1/endpoints', key, {
      name: names[place],
      base_url: 'http://127.0.0.1:64998/v1',
      model: of(1),
      gpu: of(2),
      quantization: of(3),
      engine: pick(engines, place, 4),
      engine_version: of(5),
      unknown_facts: 'keep',
    });
    const run = await post(url, '/v1/runs', key, {
      endpoint_id: endpoint.id,
      plan: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 } }],
    });
    return String(run.id);
  });
}
