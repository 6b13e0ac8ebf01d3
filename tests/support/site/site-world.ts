import { createSigner } from '../../../apps/api/src/testing/signing.ts';
import { type FakeServer, startFakeServer } from '../../../packages/loadgen/src/fake-server/fake-server.ts';
import { type ReportServer, startReportServer } from '../reports.ts';
import { adminKey } from '../server.ts';
import { submitLoadSeries, submitServingGrid } from '../serving-grid.ts';

// A service with data for every page of the site.

export interface SiteWorld {
  url: string;
  reports: Pick<ReportServer, 'grid' | 'sparse' | 'offline' | 'kernel'>;
  /** Ids of systems: seven quantizations of one model. */
  quantizations: string[];
  /** One model at eight power limits. */
  limits: string[];
  /** Two engines at five loads. */
  series: string[];
  /** One engine in three versions. */
  versions: string[];
  /** Ids of a large submission, a small one, a quarantined one and a signed one. */
  submissions: { large: string; small: string; quarantined: string; signed: string };
  /** A reader's concern about the quarantined one, with a reply and a decision. */
  concern: string;
  runs: { done: string; goingOn: string };
  /** The admin's endpoint that the runs measure. */
  endpoint: string;
  dispose(): Promise<void>;
}

type Ask = <T>(path: string, body?: string | object) => Promise<T>;

const asker =
  (url: string): Ask =>
  async <T>(path: string, body?: string | object) => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

interface Submitted {
  id: string;
  results: { system: { id: string } }[];
}
interface Board {
  data: { system: { id: string }; statistics: { runs: { submission_id: string }[] } }[];
}

/** The same load on three versions of an engine, each slightly faster than the previous one. */
async function submitVersions(ask: Ask): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, version] of ['0.9.0', '0.10.0', '0.11.0'].entries()) {
    const results = [-0.011, 0.004, 0.009].map((off, run) => ({
      scenario: 'chatbot',
      load: { mode: 'concurrency', level: 4 },
      repetition: run + 1,
      metrics: { ttft_ms_mean: Number(((140 - 12 * at) * (1 + off)).toFixed(2)) },
    }));
    const system = { model: 'Qwen/Qwen3-8B', quantization: 'fp8', gpu: 'H200', gpu_count: 1 };
    const engine = { name: 'vllm', version };
    const body = { schema: 'inferboard/v1', system: { ...system, engine }, results };
    ids.push((await ask<Submitted>('/v1/submissions', body)).results[0]?.system.id ?? '');
  }
  return ids;
}

/** A result that is impossible on any GPU: it is not on the boards, and its page states why. */
async function submitImpossible(ask: Ask): Promise<string> {
  const body = {
    schema: 'inferboard/v1',
    system: { model: 'Qwen/Qwen3-8B', quantization: 'bf16', gpu: 'H100 SXM', gpu_count: 1, engine: 'vllm' },
    results: [
      {
        scenario: 'chatbot',
        load: { mode: 'concurrency', level: 1 },
        metrics: { ttft_ms_mean: 80, itl_ms_mean: 0.01 },
      },
    ],
  };
  return (await ask<Submitted>('/v1/submissions', body)).id;
}

/** A submission that the admin signed, with a key that the account's page shows. */
async function submitSigned(ask: Ask): Promise<string> {
  const { account } = await ask<{ account: { id: string } }>('/v1/me');
  const signer = createSigner();
  const { id } = await ask<{ id: string }>('/v1/signing-keys', signer.bodyFor(account.id));
  const body = JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'Qwen/Qwen3-8B', quantization: 'fp8', gpu: 'H100 SXM', gpu_count: 1, engine: 'vllm' },
    results: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 2 }, metrics: { ttft_ms_mean: 91.5 } }],
  });
  const query = new URLSearchParams({ signing_key: id, signature: signer.sign(body) });
  return (await ask<Submitted>(`/v1/submissions?${query}`, body)).id;
}

/** A reader's concern, the submitter's reply and the decision. */
async function reportConcern(ask: Ask, submission: string): Promise<string> {
  const text = 'Nobody reads a token in ten microseconds.\nThe log in the artifact ends before the run does.';
  const { id } = await ask<{ id: string }>(`/v1/submissions/${submission}/concerns`, { reason: 'implausible', text });
  await ask(`/v1/concerns/${id}/answer`, { text: 'The clock was read twice; it is measured again.' });
  const note = 'The submitter says so too. It stays off the boards until the new figures are there.';
  await ask(`/v1/concerns/${id}/decision`, { decision: 'upheld', note, action: 'quarantine' });
  return id;
}

const model = 'meta-llama/Llama-3.1-8B-Instruct';

/** A finished run, and one that outlasts the tests. */
async function startRuns(ask: Ask, port: number): Promise<Pick<SiteWorld, 'runs' | 'endpoint'>> {
  const { id: endpoint_id } = await ask<{ id: string }>('/v1/endpoints', {
    ...{ name: 'fake', base_url: `http://127.0.0.1:${port}/v1`, model },
    ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
    metrics_url: `http://127.0.0.1:${port}/metrics`,
  });
  await ask(`/v1/endpoints/${endpoint_id}/approve`, {});
  const start = async (requests: number) => {
    const point = (level: number) => ({
      scenario: { input_tokens: 64, output_tokens: 32 },
      ...{ load: { mode: 'concurrency', level }, requests, warmup: 0 },
    });
    return (await ask<{ id: string }>('/v1/runs', { endpoint_id, plan: [point(1), point(2)] })).id;
  };
  return { endpoint: endpoint_id, runs: { done: await start(4), goingOn: await start(10_000) } };
}

async function untilRunning(ask: Ask, id: string): Promise<void> {
  for (;;) {
    const { state } = await ask<{ state: string }>(`/v1/runs/${id}`);
    if (state === 'running') return;
    if (state !== 'pending' && state !== 'claimed') throw new Error(`the run is ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Starts the service and a model server for its runs. Dispose of it when done. */
export async function startSiteWorld(): Promise<SiteWorld> {
  const { server, ...reports } = await startReportServer({
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    SECRET_KEY: 'a-secret-key-of-this-test-0123',
  });
  let fake: FakeServer | null = null;
  const dispose = async () => {
    await server.dispose();
    await fake?.close();
  };
  try {
    const { url } = server;
    const ask = asker(url);
    await submitServingGrid(url, adminKey);
    fake = await startFakeServer({ ttftMs: 60, itlMs: 6, slowdown: 0.05, slots: 8, model }, { isSilent: true });
    const { runs, endpoint } = await startRuns(ask, fake.port);
    const board = await ask<Board>(
      '/v1/best?full=true&subject=quantization&scenario=decode-bound&rank_by=decode_tok_s',
    );
    const power = await ask<Board>('/v1/leaderboard?full=true&scenario=tg128&rank_by=decode_tok_s&model=llama-2-7b');
    const submissionOf = ({ data }: Board) => data[0]?.statistics.runs[0]?.submission_id ?? '';
    const quarantined = await submitImpossible(ask);
    const world: SiteWorld = {
      ...{ url, reports, runs, endpoint, dispose },
      quantizations: board.data.map(({ system }) => system.id).toReversed(),
      limits: power.data.map(({ system }) => system.id),
      series: await submitLoadSeries(url, adminKey),
      versions: await submitVersions(ask),
      submissions: {
        large: submissionOf(board),
        small: submissionOf(power),
        quarantined,
        signed: await submitSigned(ask),
      },
      concern: await reportConcern(ask, quarantined),
    };
    await untilRunning(ask, runs.goingOn);
    return world;
  } catch (error) {
    await dispose();
    throw error;
  }
}
