import { concernTextMax } from '../../packages/core/src/concerns.ts';
import { AccountNameSchema, nameKey } from '../../packages/core/src/names/account-name.ts';
import { addressIn } from '../../packages/core/src/names/address.ts';
import { factNameSchema } from '../../packages/core/src/submission/check-names.ts';
import { SourceUrlSchema } from '../../packages/core/src/submission/source-url.ts';
import { NameSchema, proseSchema } from '../../packages/core/src/text.ts';
import { adminKey, createAccount } from '../support/server.ts';
import { hostileWords } from './words.ts';

const texts = hostileWords.map(({ text }) => text);
const kept = <T>(parse: (text: string) => { success: boolean; data?: T }): T[] => [
  ...new Set(texts.map((text) => parse(text).data).filter((data) => data !== undefined)),
];

/** Hostile texts as they are kept where a name may stand, in prose, and as an address of a source. */
export const names = kept((text) => NameSchema.safeParse(text)).filter((text) => addressIn(text) === null);
const engines = kept((text) => factNameSchema('engine').safeParse(text));
export const prose = kept((text) => proseSchema(2000).safeParse(text)).filter((text) => text.trim() !== '');
const sources = kept((text) => SourceUrlSchema.safeParse(text));

/** One of a list for each place, other ones for other uses: together all meet all. */
const pick = <T>(list: readonly T[], place: number, use: number): T => list[(place + use * 7) % list.length] as T;

/** A submission with other hostile text in each of its fields. */
export interface Planted {
  id: string;
  systemId: string;
  /** Texts that its page must show. */
  shown: string[];
  model: string;
}

/** A text as a page shows it: every stretch of blanks is one. */
export const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

const parallel = 4;

/** Works on all of a list, a few at a time; answers in its order. */
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

/** A native report with a hostile text wherever it takes text, and the catalogue's words where boards need them. */
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
      // One workload that all have, to be compared by, and one of its own.
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

/** Fills a service: a submission for each name, half of them on the boards at once, the others when they are reviewed. */
export async function plant(url: string): Promise<Planted[]> {
  // Where a text may not be the name of an account, or looks like one that is taken, the account has another.
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

/** Retracts a submission for as many reasons as fit. Answers the reason. */
export async function retract(url: string, { id }: Planted): Promise<string> {
  const reason = joined(prose, 1990);
  await post(url, `/v1/submissions/${id}/retract`, adminKey, { reason });
  return reason;
}

/** As many of these texts as fit, in one. */
const joined = (texts: readonly string[], lengthMax: number): string =>
  texts.reduce((all, text) => (all.length + text.length < lengthMax ? `${all} ${text}` : all), '');

/** A submission with a concern in hostile words, answered and decided in others. Answers its id and the words. */
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

/** Runs of endpoints with hostile names and facts. Answers the ids of the runs. */
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
    });
    const run = await post(url, '/v1/runs', key, {
      endpoint_id: endpoint.id,
      plan: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 } }],
    });
    return String(run.id);
  });
}
