import { expect } from 'vitest';

/** One response, read to its end. */
export interface Seen {
  status: number;
  headers: Headers;
  text: string;
  /** CPU time of this process during the request, ms; excludes time waiting for a shared core. */
  cpuMs: number;
}

interface Item {
  code: string;
  message: string;
  hint?: string;
  pointer?: string;
  parameter?: string;
  line?: number;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: Item[];
}

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

export async function see(ask: Ask, path: string, init?: RequestInit): Promise<Seen> {
  const before = process.cpuUsage();
  const response = await ask(path, init);
  const text = await response.text();
  const { user } = process.cpuUsage(before);
  return {
    status: response.status,
    headers: response.headers,
    text,
    cpuMs: user / 1000,
  };
}

export function problemOf(seen: Seen): Problem {
  return JSON.parse(seen.text) as Problem;
}

/** Patterns that no response can contain: source code, SQL and paths of the service. */
const inside = /node_modules|\bat async\b|Failed query|file:\/\/\/|\bselect exists\b|PostgresError|ZodError/;

/**
 * CPU time in which a service answers a single request on any machine. Only work that grows with the square of the input takes
 * longer; `npm run bench:adapters` and `npm run bench:service` measure speed.
 */
const defaultSlowestMs = 10_000;

/**
 * Checks the rules for any input: no 5xx, a problem document with the error for every rejection, no internals, no secrets, and a
 * limited duration.
 */
export function expectRule(seen: Seen, options: { secrets?: readonly string[]; slowestMs?: number } = {}): void {
  const shown = `${seen.status} ${seen.text.slice(0, 300)}`;
  expect(seen.status, shown).toBeLessThan(500);
  expect(seen.text).not.toMatch(inside);
  for (const secret of options.secrets ?? []) expect(seen.text.includes(secret), 'repeats a secret').toBe(false);
  expect(seen.cpuMs).toBeLessThan(options.slowestMs ?? defaultSlowestMs);
  if (seen.status < 400) return;
  expect(seen.headers.get('content-type'), shown).toMatch(/^application\/problem\+json/);
  const problem = problemOf(seen);
  expect(problem).toMatchObject({ status: seen.status, code: expect.stringMatching(/^[a-z_]+$/) });
  for (const field of ['type', 'title', 'detail', 'request_id'] as const) expect(problem[field]).toBeTruthy();
  if (seen.status === 422) expect(problem.errors?.length ?? 0, `no errors: ${shown}`).toBeGreaterThan(0);
  for (const item of problem.errors ?? []) {
    expect(item.code).toMatch(/^[a-z0-9_]+$/);
    expect(item.message.length).toBeGreaterThan(0);
    // Default messages of libraries do not help users.
    expect(item.message).not.toMatch(/expected string, received|Invalid option: expected one of|received undefined/);
  }
}

export const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** A native report of one result; `system`, `scenario`, `result` and `document` override the defaults. */
export function nativeReport(
  over: {
    system?: Record<string, unknown>;
    scenario?: Record<string, unknown>;
    result?: Record<string, unknown>;
    results?: unknown[];
    document?: Record<string, unknown>;
  } = {},
): string {
  return JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'unspecified', gpu: 'unspecified', quantization: 'bf16', ...over.system },
    scenario: over.scenario ?? { input_tokens: 100, output_tokens: 100 },
    results: over.results ?? [
      { load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 800 }, ...over.result },
    ],
    ...over.document,
  });
}

/** A line of SGLang's bench_one_batch_server; `i` makes it unique. */
export function sglangLine(i = 0, over: Record<string, unknown> = {}): string {
  return JSON.stringify({
    run_name: 'original_base_run1',
    batch_size: 1,
    input_len: 128,
    output_len: 64,
    latency: 0.51,
    output_throughput: 138.03 + i / 1e6,
    overall_throughput: 377.82,
    ...over,
  });
}

export interface Part {
  name: string;
  value: string;
  filename?: string;
}

const boundary = 'hostile-boundary';
export const multipartType = `multipart/form-data; boundary=${boundary}`;

/** A form as raw bytes, so that it can be invalid in ways that FormData does not allow. */
export function multipart(parts: readonly Part[], options: { end?: boolean } = {}): string {
  const body = parts.map(({ name, value, filename }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return body.join('') + (options.end === false ? '' : `--${boundary}--\r\n`);
}
