import { concernExamples } from '../reviews/concern-schema.ts';
import { adminKey, answerOf, type TestApp } from './index.ts';

/** The fields of a concern or a refusal that tests check. */
export interface Concern {
  id: string;
  code: string;
  submission_id: string;
  reason: string;
  text: string;
  state: string;
  answer: { text: string; at: string } | null;
  decision: { note: string; action: string; by: string; at: string } | null;
  reporter: string | null;
  errors: { pointer: string; code: string; message: string; hint?: string }[];
}

/** The client: its key and its address. */
export interface Asker {
  key?: string;
  from?: string;
  headers?: Record<string, string>;
}

export interface Seen {
  status: number;
  headers: Headers;
  body: Concern;
}

/** Actions of readers, owners and admins on concerns. */
export function useConcerns(app: TestApp) {
  const init = ({ key, headers }: Asker): Record<string, string> => ({
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...headers,
  });
  const post = async (path: string, body: unknown, asker: Asker): Promise<Seen> => {
    const headers = { 'content-type': 'application/json', ...init(asker) };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await app.request(path, request, asker.from);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Concern };
  };
  const get = (path: string, asker: Asker = {}) => app.request(path, { headers: init(asker) }, asker.from);
  const report = (submission: string, asker: Asker = {}, body: unknown = concernExamples.reported) =>
    post(`/v1/submissions/${submission}/concerns`, body, asker);
  let [submissions, readers] = [0, 0];
  /** Addresses from a network reserved for examples, a different reader each time. */
  const stranger = () => {
    readers += 1;
    return { from: `203.0.113.${readers}` };
  };
  return {
    stranger,
    /** A submission of an account, on a separate board for its engine version. */
    submit: async (key: string): Promise<{ id: string; version: string }> => {
      submissions += 1;
      const version = `c${submissions}`;
      const artifact = {
        schema: 'inferboard/v1',
        system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', engine: { name: 'vllm', version } },
        scenario: 'chatbot',
        results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 } }],
      };
      const { id } = await answerOf(await app.submit(JSON.stringify(artifact), {}, key));
      return { id, version };
    },
    report,
    /** Reports a concern without a key; returns its id. */
    reported: async (submission: string): Promise<string> => (await report(submission, stranger())).body.id,
    answer: (id: string, asker: Asker, body: unknown = concernExamples.answered) =>
      post(`/v1/concerns/${id}/answer`, body, asker),
    decide: (id: string, body: unknown, asker: Asker = { key: adminKey }) =>
      post(`/v1/concerns/${id}/decision`, body, asker),
    get,
    /** The concerns in a list, as this client sees them. */
    list: async (path: string, asker: Asker = {}): Promise<Concern[]> => {
      const response = await get(path, asker);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { data: Concern[] }).data;
    },
  };
}
