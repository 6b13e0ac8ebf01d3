import { beforeAll, expect } from 'vitest';
import { adminKey, type TestApp, useTestApp } from '../../apps/api/src/testing/index.ts';
import { expectRule, nativeReport, type Seen, see } from '../support/hostile.ts';

export const authorization = `Bearer ${adminKey}`;
export const unspecified = 'model=unspecified&gpu=unspecified&quantization=bf16';

interface Found {
  code: string;
  severity: string;
}
interface SystemView {
  id: string;
  label: string;
  gpu_count: number | null;
  model: { name: string };
  engine: { version: string | null };
}
interface SubmissionView {
  id: string | null;
  status: string;
  duplicate: boolean;
  notes: string | null;
  results: { system: SystemView; scenario: { kernel: unknown }; findings: Found[]; measured_at: string | null }[];
}
export const viewOf = (text: string) => JSON.parse(text) as SubmissionView;

export interface HostileApp {
  app: TestApp;
  /** Ids of the system that exists from the start. */
  readonly systemId: string;
  look(path: string, init?: RequestInit): Promise<Seen>;
  submit(body: string | Uint8Array, query?: string, headers?: Record<string, string>): Promise<Seen>;
  /** A submission that must be readable; returns its first result. */
  firstResult(
    body: string,
    query?: string,
  ): Promise<{ view: SubmissionView; result: SubmissionView['results'][number] }>;
  /** The path of a read about that system. */
  pathOf(template: string): string;
}

/** The API with one system. */
export function useHostileApp(): HostileApp {
  const app = useTestApp();
  let systemId = '';

  const ask = (path: string, init?: RequestInit) => see(app.request, path, init);
  const submit: HostileApp['submit'] = (body, query = '', headers = {}) =>
    ask(`/v1/submissions${query === '' ? '' : `?${query}`}`, {
      method: 'POST',
      headers: { authorization, ...headers },
      body: typeof body === 'string' ? body : Uint8Array.from(body),
    });
  const firstResult: HostileApp['firstResult'] = async (body, query = 'dry_run=true') => {
    const seen = await submit(body, query);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 300)).toBeLessThan(300);
    const view = viewOf(seen.text);
    const [result] = view.results;
    if (result === undefined) throw new Error('no result');
    return { view, result };
  };

  beforeAll(async () => {
    const { result } = await firstResult(
      nativeReport({ system: { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', gpu_count: 1 } }),
      '',
    );
    systemId = result.system.id;
  });

  return {
    app,
    get systemId() {
      return systemId;
    },
    look: ask,
    submit,
    firstResult,
    pathOf: (template) => template.replace('{id}', systemId),
  };
}
