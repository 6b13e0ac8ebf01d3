import {
  engines,
  engineVersions,
  type Fact,
  gpus,
  type Load,
  loads,
  models,
  quantizations,
  scenarios,
} from './facts.ts';
import { createRandom, type Random, rounded } from './random.ts';

/** The facts of a generated system. */
export interface SystemFacts {
  model: Fact;
  quantization: Fact;
  gpu: Fact;
  gpuCount: number;
  gpuPowerLimitW: number | null;
  engine: Fact;
  engineVersion: string | null;
}

type Figures = Record<string, number | null>;

/** One submitted result and its system. */
export interface Sent {
  system: SystemFacts;
  figures: Figures;
  /** False if the figures are computed from submitted request records. */
  isStated: boolean;
}

/** One upload, one document per line, with its results in the order of the artifact. */
export interface Upload {
  account: number;
  tool: string;
  body: string;
  results: Sent[];
}

export const accountNames = ['Lab North', 'lab-south', 'Zürich'] as const;
export const toolNames = ['native', 'bench-a', 'bench-b'] as const;

/** A system under a scenario, with the mean speed of its measurements. */
interface Place {
  system: SystemFacts;
  scenario: (typeof scenarios)[number];
  loads: Load[];
  speed: number;
  /** Relative distance between repetitions. */
  scatter: number;
  /** Output throughput of all results, if it does not depend on the speed. */
  extreme: number | null;
}

/** The minimum and maximum accepted values, and zero. Only for systems without hardware limits. */
const extremes = [0, 1e-12, 1e15];

function makePlace(random: Random): Place {
  const isPlain = random.chance(0.75);
  const place = {
    system: {
      model: random.pick(isPlain ? models.slice(0, 7) : models),
      quantization: random.pick(isPlain ? quantizations.slice(0, 5) : quantizations),
      gpu: random.pick(isPlain ? gpus.slice(0, 9) : gpus),
      gpuCount: random.pick([1, 1, 2, 4, 8]),
      gpuPowerLimitW: random.chance(0.2) ? random.pick([300, 412.5]) : null,
      engine: random.pick(engines),
      engineVersion: random.chance(0.8) ? random.pick(engineVersions) : null,
    },
    scenario: random.pick(scenarios),
    loads: random.some(loads, random.whole(1, 6)),
    // Sometimes impossible for any hardware, so that some results are held back.
    speed: rounded(random.spread(1, 12) * (random.chance(0.12) ? 60 : 1), 2),
    scatter: random.pick([0, 0.003, 0.02, 0.15]),
  };
  const isUnbound = place.system.model.text === 'unspecified';
  return { ...place, extreme: isUnbound && random.chance(0.5) ? random.pick(extremes) : null };
}

/** Definitions on which results of one point sometimes differ. */
const definitions: Record<string, readonly string[]> = {
  ttft_ms: ['send_to_first_token', 'send_to_first_token', 'schedule_to_first_token', 'prefill_only'],
  itl_ms: ['per_token', 'per_chunk', 'not_stated'],
  tpot_ms: ['without_first_token', 'without_first_token', 'with_first_token'],
  decode_tok_s: ['client', 'client', 'in_process'],
};

function makeFigures(random: Random, place: Place, load: Load): Figures {
  const { speed, scatter, extreme } = place;
  const level = load.level ?? 4;
  const about = (value: number) => rounded(value * (1 + scatter * (random.next() - 0.5)), random.pick([2, 3, 4]));
  const wanted = random.some(['ttft', 'p90', 'p99', 'itl', 'tpot', 'output', 'decode', 'requests'], random.whole(1, 6));
  const figures: Figures = {};
  const ttft = about(2000 / speed + 10 * level);
  if (wanted.includes('ttft')) figures.ttft_ms_mean = ttft;
  if (wanted.includes('p90')) figures.ttft_ms_p90 = rounded(ttft * 1.4);
  if (wanted.includes('p99')) figures.ttft_ms_p99 = rounded(ttft * 1.7);
  if (wanted.includes('itl')) figures.itl_ms_mean = about(900 / speed);
  if (wanted.includes('tpot')) figures.tpot_ms_mean = about(1000 / speed);
  if (wanted.includes('output')) figures.output_tok_s = extreme ?? about(0.6 * speed * level);
  if (wanted.includes('decode')) figures.decode_tok_s = about(speed * level);
  if (wanted.includes('requests')) {
    figures.req_s = about(speed / 100);
    figures.requests_failed = random.pick([0, 0, 1, 7]);
  }
  if (random.chance(0.1)) figures.input_tok_s = null;
  if (Object.values(figures).every((value) => value === null)) figures.output_tok_s = about(0.6 * speed * level);
  return figures;
}

/** Statistics that a tool can state for averaged repetitions. */
function makeRepeats(random: Random, figures: Figures): Record<string, unknown> | null {
  const name = ['output_tok_s', 'ttft_ms_mean'].find((one) => figures[one] != null);
  const value = name === undefined ? null : (figures[name] ?? null);
  if (name === undefined || value === null || value === 0 || random.chance(0.9)) return null;
  const form = random.whole(0, 2);
  if (form === 0) return { n: random.pick([1, 3, 10]), sd: { [name]: rounded(value * 0.02) } };
  if (form === 1) return { n: null, sd: { [name]: rounded(value * 0.02) } };
  return { n: 3, samples: { [name]: [value * 0.99, value, value * 1.01] } };
}

function makeRequests(random: Random): Record<string, number>[] {
  return Array.from({ length: random.whole(2, 12) }, (_, i) => {
    const ttft = rounded(random.spread(20, 900));
    const tokens = random.whole(2, 50);
    return { sent_s: 100 * i, input_tokens: 100, output_tokens: tokens, ttft_ms: ttft, e2e_ms: ttft + 80 * tokens };
  });
}

function makeResult(random: Random, place: Place): { result: Record<string, unknown>; sent: Sent } {
  const load = random.pick(place.loads);
  const { system } = place;
  if (random.chance(0.1) && load.mode === 'concurrency')
    return { result: { load, requests: makeRequests(random) }, sent: { system, figures: {}, isStated: false } };
  const figures = makeFigures(random, place, load);
  const repeats = makeRepeats(random, figures);
  const chosen = Object.entries(definitions).flatMap(([base, ids]) =>
    Object.keys(figures).some((name) => name === base || name.startsWith(`${base}_`)) && random.chance(0.5)
      ? [[base, random.pick(ids)]]
      : [],
  );
  const result = { load, metrics: figures, definitions: Object.fromEntries(chosen), ...(repeats && { repeats }) };
  return { result, sent: { system, figures, isStated: true } };
}

function toDocument(tool: string, place: Place, results: unknown[]) {
  const { model, quantization, gpu, gpuCount, gpuPowerLimitW, engine, engineVersion } = place.system;
  return {
    schema: 'inferboard/v1',
    ...(tool !== 'native' && { tool }),
    system: {
      model: model.text,
      quantization: quantization.text,
      gpu: gpu.text,
      gpu_count: gpuCount,
      gpu_power_limit_w: gpuPowerLimitW,
      engine: { name: engine.text, version: engineVersion },
    },
    scenario: place.scenario,
    results,
  };
}

/** A kernel has a GPU, but none of the other facts. */
function kernelSystem(gpu: Fact): SystemFacts {
  const none: Fact = { text: 'not applicable', id: null, family: null };
  return {
    model: none,
    quantization: none,
    gpu,
    gpuCount: 1,
    gpuPowerLimitW: null,
    engine: none,
    engineVersion: null,
  };
}

function makeKernels(random: Random, tool: string, count: number): { document: unknown; sent: Sent[] } {
  const facts = kernelSystem(random.pick(gpus.slice(0, 7)));
  const made = Array.from({ length: count }, () => {
    const figures = { forward_ms: rounded(random.spread(0.1, 9), 2) };
    const kernel = {
      operation: 'attention',
      case: random.pick(['causal', 'full']),
      shape: [1, 2, random.pick([3, 4])],
    };
    return {
      result: { kind: 'kernel', scenario: { kernel }, metrics: figures },
      sent: { system: facts, figures, isStated: true },
    };
  });
  const system = { gpu: facts.gpu.text, gpu_count: 1 };
  const document = {
    schema: 'inferboard/v1',
    ...(tool !== 'native' && { tool }),
    system,
    results: made.map((one) => one.result),
  };
  return { document, sent: made.map((one) => one.sent) };
}

/** This many results in uploads of a few hundred, each of one account and one tool. */
export function makeUploads(seed: number, results: number, perUpload = 250): Upload[] {
  const random = createRandom(seed);
  const places = Array.from({ length: Math.ceil(results / 18) }, () => makePlace(random));
  const uploads: Upload[] = [];
  for (let left = results; left > 0; left -= perUpload) {
    const tool = random.pick(toolNames);
    const lines: string[] = [];
    const sent: Sent[] = [];
    const size = Math.min(perUpload, left);
    while (sent.length < size) {
      const count = Math.min(random.whole(1, 20), size - sent.length);
      if (random.chance(0.03)) {
        const kernels = makeKernels(random, tool, count);
        lines.push(JSON.stringify(kernels.document));
        sent.push(...kernels.sent);
        continue;
      }
      const place = random.pick(places);
      const made = Array.from({ length: count }, () => makeResult(random, place));
      lines.push(
        JSON.stringify(
          toDocument(
            tool,
            place,
            made.map((one) => one.result),
          ),
        ),
      );
      sent.push(...made.map((one) => one.sent));
    }
    const account = random.whole(0, accountNames.length - 1);
    uploads.push({ account, tool, body: lines.join('\n'), results: sent });
  }
  return uploads;
}
