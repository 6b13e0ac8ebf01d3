import { offersFor, parseQuestion, toWords } from '@inferboard/core/questions/index';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Fact {
  id: string | null;
  name: string;
}

interface ComparedSystem {
  model: Fact;
  gpu: Fact;
  quantization: Fact;
  engine: Fact;
}

interface Answer {
  says: string | null;
  rank_by: string;
  interpretation: {
    kind: string;
    filters: Record<string, unknown>;
    ignored: string[];
    phrases: { text: string; became: string; note?: string }[];
  };
  data: { rank: number; value: number; system: { gpu: { id: string | null }; engine: { version: string | null } } }[];
  comparison?: {
    is_alike: boolean;
    held: Record<string, (string | number)[]> | null;
    page: string | null;
    sides: { name: string; ratio: number | null; best: { system: ComparedSystem } | null }[];
  };
  capacity?: { load_level: number; measured_to: number | null };
  fit?: { usable_gb: number | null; how: string; rows: { model: string; fits: boolean | null; arithmetic: string }[] };
  unanswered?: { missing: { message: string }[]; nearest: { q: string | null }[] };
  errors?: { code: string; message: string; hint?: string }[];
}

const ask = (q: string) => app.get<Answer>(`/v1/best?${new URLSearchParams({ q })}`);
const text = async (q: string) => (await app.request(`/v1/best?${new URLSearchParams({ q, format: 'text' })}`)).text();

describe('a fresh installation with sample data', () => {
  test.each([
    ['fastest 8b model on rtx pro 6000', 'rank'],
    ['best llama on h100', 'rank'],
    ['best deepseek gpu since march', 'rank'],
    ['best amd gpu for deepseek r1', 'rank'],
    ['best gpu for deepseek r1 except b200', 'rank'],
    ['best gpu under $2 an hour for gpt-oss-120b', 'rank'],
    ['best tokens per dollar for deepseek r1', 'rank'],
    ['best gpu for deepseek r1 with 8k context', 'rank'],
    ['llama 2 7b on rtx pro 6000 at power limit below 500 w', 'rank'],
    ['best gpu for more than 8 users', 'rank'],
    ['hey guys, whats the fastest engin for deepseak r1?', 'rank'],
    ['how fast is deepseek r1 on b200', 'lookup'],
    ['ttft of deepseek r1 on b200', 'lookup'],
    ['tokens per second llama 2 7b rtx pro 6000', 'lookup'],
  ])('%s', async (q, kind) => {
    const { data, interpretation } = await ask(q);
    expect(interpretation.kind).toBe(kind);
    expect(data.length).toBeGreaterThan(0);
  });

  it('excludes what "not" names, and expands a vendor to all of its GPUs', async () => {
    const [all, others] = await Promise.all([
      ask('top 50 gpus for deepseek r1'),
      ask('top 50 gpus for deepseek r1 not b200'),
    ]);
    const ids = (answer: Answer) => answer.data.map(({ system }) => system.gpu.id);
    expect(ids(all)).toContain('b200-sxm');
    expect(ids(others)).toEqual(ids(all).filter((id) => id !== 'b200-sxm'));
    const amd = await ask('top 50 amd gpus for deepseek r1');
    expect(ids(amd).length).toBeGreaterThan(0);
    expect(ids(amd).every((id) => id?.startsWith('mi'))).toBe(true);
  });

  it('matches every release of a partial version', async () => {
    const all = await ask('top 100 systems for deepseek r1 with sglang');
    const version = all.data.flatMap(({ system }) => /^\d+\.\d+(?=\.)/.exec(system.engine.version ?? '') ?? [])[0];
    expect(version).toBeDefined();
    const { data } = await ask(`top 100 systems for deepseek r1 with sglang ${version}`);
    expect(data.length).toBeGreaterThan(0);
    for (const { system } of data) expect(system.engine.version).toMatch(new RegExp(`^${version}(?:\\.|$)`));
  });

  it('states what it ignored and what it corrected', async () => {
    const { interpretation } = await ask('hey guys, whats the fastest engin for deepseak r1?');
    expect(interpretation.ignored.join(' ')).toContain('hey guys');
    expect(interpretation.phrases).toContainEqual(
      expect.objectContaining({ text: 'engin', note: 'interpreted as "engine"' }),
    );
  });
});

it('states that the entries of a ranking have different models', async () => {
  const says = /different models, so the ranks do not compare the engines alone/;
  expect((await ask('best engine on b200')).says).toMatch(says);
  expect((await ask('best engine for deepseek r1 on b200')).says).not.toMatch(says);
  expect((await ask('best model on b200')).says).not.toMatch(says);
});

it('states that a single engine, GPU or quantization is compared with nothing', async () => {
  const says = /^.*Only one of the quantizations has a result here, so nothing is compared: Llama 3\.1 8B, FP32,/;
  expect((await ask('best quantization for llama 3.1 8b on rtx 4090')).says).toMatch(says);
  expect((await ask('what is the cheapest gpu to run qwen3 32b')).says).toMatch(
    /^Only one of the GPUs has a result and a price here, .*H100 SXM5 .* Results on GPUs without a price are left out \(5\): add prices/,
  );
  expect((await ask('top 1 engine on b200')).says).not.toMatch(/Only one/);
  expect((await ask('best model on b200')).says).not.toMatch(/Only one/);
});

describe('a version without results', () => {
  const note = 'no result of 0.5.8 matches, so its post releases are included';

  it('includes its post releases', async () => {
    const { data, interpretation } = await ask('best sglang 0.5.8 system on h200');
    expect(new Set(data.map(({ system }) => system.engine.version))).toEqual(new Set(['0.5.8.post1']));
    expect(interpretation.filters.engine_version).toEqual(['0.5.8.x']);
    expect(interpretation.phrases).toContainEqual({
      ...{ text: 'sglang 0.5.8', became: 'engine=sglang, engine_version=0.5.8.x', note },
    });
    const exact = await ask('best sglang 0.5.8 system on b200');
    expect(exact.interpretation.filters.engine_version).toEqual(['0.5.8']);
  });

  it('includes them on a side of a comparison', async () => {
    const { interpretation, comparison } = await ask('sglang 0.5.8 vs vllm 0.13.0 on h200');
    expect(interpretation.phrases.map((phrase) => phrase.note)).toContain(note);
    expect(comparison?.sides[0]?.best?.system.engine).toMatchObject({ version: '0.5.8.post1' });
  });
});

describe('a comparison', () => {
  it('compares both sides at the same workload and links the comparison page', async () => {
    const { data, says, comparison } = await ask('b200 vs h200 for gpt-oss-120b');
    expect(data).toHaveLength(2);
    expect(comparison).toMatchObject({
      is_alike: true,
      sides: [{ name: 'B200 SXM 180GB', ratio: 1 }, { name: 'H200' }],
    });
    expect(comparison?.page).toMatch(/\/compare\?ids=sys_\w+,sys_\w+$/);
    expect(says).toMatch(/has [\d.]+ times the value of/);
    const ids = new URL(comparison?.page ?? '').searchParams.get('ids')?.split(',') ?? [];
    const page = await app.request(`/v1/compare?${ids.map((id) => `system=${id}`).join('&')}`);
    expect(page.status).toBe(200);
  });

  it.each([
    ['is vllm faster than sglang for deepseek r1 on h200', ['model', 'gpu', 'quantization', 'gpu_count']],
    ['is vllm faster than sglang', ['model', 'gpu', 'quantization', 'gpu_count']],
    ['h100 vs mi300x', ['model', 'quantization', 'gpu_count']],
    ['h100 vs mi300x for deepseek r1', ['model', 'quantization']],
    ['fp8 vs nvfp4 on b200 for deepseek r1', ['model', 'gpu', 'engine', 'gpu_count']],
    ['gpt-oss-120b vs 20b speed', ['gpu', 'quantization', 'engine', 'gpu_count']],
  ])('of "%s" holds equal %j', async (q, facts) => {
    const { comparison, says } = await ask(q);
    expect(comparison?.is_alike).toBe(true);
    expect(Object.keys(comparison?.held ?? {})).toEqual(facts);
    const systems = comparison?.sides.map(({ best }) => best?.system) ?? [];
    expect(systems).toHaveLength(2);
    for (const fact of ['model', 'quantization', 'engine'] as const) {
      if (!facts.includes(fact)) continue;
      expect(new Set(systems.map((system) => system?.[fact].id)).size, says ?? '').toBe(1);
    }
  });

  it('links no comparison page if the systems were measured at different loads', async () => {
    const { comparison } = await ask('h200 vs b200 for llama 2 70b');
    expect(comparison).toMatchObject({ is_alike: true, page: null });
  });

  it('of the speed of one user is not made in a burst if there is another workload', async () => {
    const { says, data } = await ask('gpt-oss-120b vs 20b speed');
    expect(says).toMatch(
      /^Per-user speed in "tg128, offline" .*\. gpt-oss-20b has 1\.41 times .*; each at the same load \(batch 1\)\./,
    );
    expect(data.map(({ rank }) => rank)).toEqual([1, 2]);
  });

  it('of the waiting time in a burst states that requests wait for each other', async () => {
    const { says } = await ask('gpt-oss-120b vs gpt-oss-20b ttft');
    expect(says).toContain('They have only bursts in common, in which each request waits for the others');
  });

  it('of formats without a metric is one of tokens that are generated', async () => {
    const { says, comparison } = await ask('how much slower is q8 than q4');
    expect(says).toMatch(/^(?:Decode|Per-user) speed in "tg128, offline"/);
    expect(comparison?.sides.map(({ name }) => name)).toEqual(['Q8_0', 'q4']);
  });

  it('names the settings in which the systems differ', async () => {
    const { says } = await ask('fp8 vs bf16 qwen3 32b on h100 with tensorrt-llm');
    expect(says).toContain('The systems also differ in settings (enable_chunked_prefill).');
  });

  it('counts the imported rows among its own', async () => {
    const { imported, data } = await app.get<{ imported: number; data: object[] }>('/v1/best?q=h100 vs h200 vs b200');
    expect(imported).toBe(data.length);
  });

  it('states in which facts the systems of the sides differ', async () => {
    const { says } = await ask('h100 vs mi300x for deepseek r1');
    expect(says).toMatch(/The systems also differ in number of GPUs \(\d+, 8\).*\. The best stored value /);
  });

  it('states why it compares the sides in a workload', async () => {
    const ofQuestion = async (q: string) =>
      (await app.get<{ workload: { reason: string } }>(`/v1/best?q=${q}`)).workload;
    expect((await ofQuestion('vllm vs sglang on h100')).reason).toContain('that results of all sides have');
    expect((await ofQuestion('is vllm faster than sglang')).reason).toContain('with the same settings');
    expect((await ofQuestion('b200 vs mi355x for deepseek r1&workload=8k-1k-steady')).reason).toBe(
      'The request names it.',
    );
  });

  it('does not compare engines that have no model in common', async () => {
    const { comparison, says } = await ask('which is faster on mi300x: vllm or sglang');
    expect(comparison).toMatchObject({ is_alike: false, held: null, page: null });
    expect(comparison?.sides.map(({ ratio }) => ratio)).toEqual([null, null]);
    expect(says).toContain(
      'They cannot be compared, because they have no results with the same model, GPU and workload',
    );
  });

  it('reports a side that was never measured', async () => {
    const { says, comparison } = await ask('b200 vs rtx 3060 for deepseek r1');
    expect(comparison?.is_alike).toBe(false);
    expect(says).toContain('no stored result for RTX 3060');
  });
});

describe('a question without an answer', () => {
  it('offers the speed of decoding for tokens per second, not that of reading prompts', async () => {
    const { says, unanswered } = await ask('tokens per second of llama.cpp on a 7900 xtx');
    expect(unanswered?.nearest.length).toBeGreaterThan(0);
    expect(says).toContain('decode speed');
    expect(says).not.toMatch(/prefill/i);
  });

  it('offers nothing that has only the metric in common', async () => {
    const { says, unanswered } = await ask('kimi k2 throughput');
    expect(unanswered?.nearest).toEqual([]);
    expect(says).toMatch(
      /^No stored result matches this question\. There is no ranked result for Kimi K2 Instruct\. Its memory/,
    );
  });
});

describe('users', () => {
  it('are the highest load at which a stored result meets the bounds', async () => {
    const { says, capacity, interpretation } = await ask(
      'how many users can b200 serve with deepseek r1 under 2 s ttft',
    );
    expect(interpretation.kind).toBe('capacity');
    expect(capacity?.load_level).toBeGreaterThan(1);
    expect(says).toContain(`with at most ${capacity?.load_level} requests at once`);
    const more = await ask(`deepseek r1 on b200 with more than ${capacity?.load_level} users and ttft under 2 s`);
    expect(more.data).toEqual([]);
    expect(says).not.toContain('No latency is limited');
  });

  it('without a limit of a latency have the waiting time at that load, and a question with a limit', async () => {
    const { says } = await ask('how many users can a 4090 serve');
    expect(says).toMatch(
      /No latency is limited\. The first result there has [\d.]+ s TTFT and [\d.]+ tok\/s per-user speed\./,
    );
    const [, limit = ''] = /Add a limit, such as "(.+)"/.exec(says ?? '') ?? [];
    expect((await ask(`how many users can a b200 serve ${limit}`)).interpretation.kind).toBe('capacity');
  });
});

test('a price without tokens ranks by cost', async () => {
  const { interpretation } = await ask('best gpu per dollar');
  expect(interpretation).toMatchObject({ subject: 'gpu', rank_by: 'usd_per_mtok_output', order: 'asc' });
});

describe('memory', () => {
  it('is computed from the catalogue, and the response shows the arithmetic', async () => {
    const { says, fit } = await ask('what runs on 2x3090');
    expect(fit).toMatchObject({ usable_gb: 48, how: expect.stringContaining('not measured') });
    expect(fit?.rows.length).toBeGreaterThan(10);
    expect(fit?.rows[0]?.arithmetic).toMatch(/bits ÷ 8 = .* weights \+ .* allowance = .* of 48 GB/);
    expect(says).toContain('Computed from the catalogue, not measured');
  });

  it('lists the largest model in a format of at least four bits first', async () => {
    const { fit } = await ask('models that fit in 24 gb');
    const bits = fit?.rows.map(({ arithmetic }) => Number(/× ([\d.]+) bits/.exec(arithmetic)?.[1])) ?? [];
    const known = fit?.rows.map(({ arithmetic }) => !arithmetic.includes('cache not in')) ?? [];
    const good = bits.map((each, at) => each >= 4 && known[at]);
    expect(good[0]).toBe(true);
    expect(good).toEqual(good.toSorted((a, b) => Number(b) - Number(a)));
  });

  it('states the GPUs that the published format needs, and the widest format for the fewest', async () => {
    const { says } = await ask('how many h100s do I need for deepseek r1');
    expect(says).toMatch(
      /in FP8 takes 672 GB and needs 9 of these GPUs: .* in IQ4_XS takes 375 GB and needs 5 of these GPUs/,
    );
    const ofCard = await ask('how many 4090 for llama 3.3 70b');
    expect(ofCard.says).toMatch(/ in BF16 takes 143 GB and needs 7 of .* in Q4_K_M takes 45.5 GB and needs 2 of /);
    expect((await ask('can i run llama 3.3 70b on 2x3090')).says).toMatch(/ \d smaller formats also fit\.$/);
  });

  it.each([
    ['can I run llama 3.1 70b bf16 on a 4090', false],
    ['can I run llama 3.1 8b q4_k_m on a 4090', true],
  ])('%s: %s', async (q, fits) => {
    const { fit } = await ask(q);
    expect(fit?.rows.map((row) => row.fits)).toEqual([fits]);
  });
});

describe('a lookup without a result', () => {
  it('reports the missing result and names the closest one', async () => {
    const { data, says, unanswered } = await ask('ttft of llama 3.1 70b on strix halo');
    expect(data).toEqual([]);
    expect(says).toMatch(/^No stored result matches this question\..* Closest match: .+, without ".+"\.$/);
    expect(unanswered?.nearest.length).toBeGreaterThan(0);
  });
});

describe('an error suggests a question that has an answer', () => {
  test.each([
    'best model on a flux capacitor',
    'best model under 20 bananas on H100',
    'best gpu for stable diffusion',
    'h100 vs vllm',
    'cost under 3',
    'best gpu under $0.01 an hour',
    'models under 20 ms on h100',
    'lowest latency on h100',
    'what about the weather',
    'best model on h100 without rag',
  ])('%s', async (q) => {
    const response = await app.request(`/v1/best?${new URLSearchParams({ q })}`);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as Answer;
    const offered = /^Ask "(.+)"\.$/s.exec(errors?.find(({ code }) => code === 'question_offered')?.hint ?? '')?.[1];
    expect(offered).toBeDefined();
    const { data } = await ask(offered ?? '');
    expect(data.length).toBeGreaterThan(0);
    // The grammar proposes the same question, in canonical words.
    expect(offersFor(q)).toContain(offered);
    expect(toWords(parseQuestion(offered ?? ''))).not.toBe('');
  });
});

describe('the text format', () => {
  test.each([
    [
      'b200 vs h200 for gpt-oss-120b',
      /Answer: .*times the value of[\s\S]*\n {2}1: [\s\S]*Link: +http\S+\/compare\?ids=/,
    ],
    ['how fast is deepseek r1 on b200', /Understood: .*"how fast"[\s\S]*Answer: +[\d.,]+ tok\/s/],
    ['what runs on 2x3090', /Answer: +Computed[\s\S]*\n {2}fits: +\S/],
    ['how many users on b200 with deepseek r1', /with at most \d+ requests at once/],
    ['top 3 gpus for deepseek r1 please', /Ignored: +please[\s\S]*\n {2}3: /],
    ['ttft of llama 3.1 70b on strix halo', /Answer: +No stored result matches this question/],
  ])('%s', async (q, expected) => {
    expect(await text(q)).toMatch(expected);
  });

  it('returns errors as text', async () => {
    expect(await text('best model on a flux capacitor')).toMatch(/flux[\s\S]*Supported question/);
  });
});
