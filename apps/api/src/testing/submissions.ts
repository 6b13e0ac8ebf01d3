import { adminKey, answerOf, type TestApp } from './index.ts';

const facts = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'bf16' };

/** Helpers for tests that only need some submission. */
export interface TestSubmissions {
  /** Submits a new artifact with a single result; `more` are further query parameters. */
  post(more?: Record<string, string>): Promise<Response>;
  /** The same; returns its id. */
  make(more?: Record<string, string>): Promise<string>;
  /** POSTs an action such as `retract`. */
  change(id: string, action: string, body: unknown, headers?: Record<string, string>, key?: string): Promise<Response>;
  /** The entity tag of a GET response. */
  tagOf(path: string, headers?: Record<string, string>): Promise<string>;
}

/** Submits with the admin's key. */
export function useSubmissions(app: TestApp): TestSubmissions {
  let count = 0;
  const post: TestSubmissions['post'] = async (more = {}) => {
    count += 1;
    const line = {
      run_name: 'run1',
      batch_size: 1,
      input_len: 128,
      output_len: 64,
      latency: 0.51,
      output_throughput: 138.03 + count / 1e6,
      overall_throughput: 377.82,
    };
    return app.submit(JSON.stringify(line), { ...facts, ...more }, adminKey);
  };
  return {
    post,
    make: async (more) => (await answerOf(await post(more))).id,
    change: async (id, action, body, headers = {}, key = adminKey) =>
      app.request(`/v1/submissions/${id}/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    tagOf: async (path, headers = {}) => (await app.request(path, { headers })).headers.get('etag') ?? '',
  };
}
