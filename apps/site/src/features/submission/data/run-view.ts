import { cutOf } from '@inferboard/core/observed/cut-short';
import { formatLoad } from '@inferboard/core/subjects/load';
import { readShapeName } from '@inferboard/core/workloads/shape-name';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import type { Run } from '../../../lib/api.ts';
import { columnUnit, formatCount, formatPlural, formatTime, formatValue } from '../../../lib/format.ts';
import { type Latency, supportedMetrics, type Tail, tailOf } from '../../runs/point-figures.ts';
import { formatEta } from './eta.ts';
import type { Verdict } from './submission-verdict.ts';

/** Metrics of a finished point from the run. The published values are derived from its records. */
const columns: readonly { name: string; title: string; unit: string; tail?: Latency }[] = [
  { name: 'ttft_ms_p50', title: 'TTFT p50', unit: 'ms', tail: 'ttft' },
  { name: 'itl_ms_p50', title: 'ITL p50', unit: 'ms', tail: 'itl' },
  { name: 'tpot_ms_mean', title: 'TPOT mean', unit: 'ms' },
  { name: 'e2e_ms_p50', title: 'E2E p50', unit: 'ms', tail: 'e2e' },
  { name: 'req_s', title: 'Throughput', unit: 'req/s' },
  { name: 'output_tok_s', title: 'Output', unit: 'tok/s' },
];

export const pointHeadings = columns.map(({ title, unit }) => ({ title, unit }));

export interface PointView {
  key: string;
  scenario: string;
  load: string;
  repetition: number;
  /** "16 of 16"; the planned number if it is not measured yet. */
  requests: string;
  isMeasured: boolean;
  /** The highest percentile below each cell; null for a cell without one. */
  tails: (Tail | null)[];
  /** In the order of `pointHeadings`. */
  cells: (string | null)[];
  /** Requests per second that met the limits of one request, and their share: "12.3 (95 %)"; null without limits. */
  goodput: string | null;
  /** How stable the repetitions are after this one; null if the run has a fixed number. */
  until: string | null;
  /** How the point met or missed the limits of a search; null if the run is not a search. */
  limit: string | null;
  /** Whether it ended before its planned requests, other than by a time limit. */
  isCut: boolean;
  doubts: string[];
}

type EndpointFacts = NonNullable<Run['endpoint']['facts']>;
const notStated = 'not stated';

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function scenarioText({ id, input_tokens, output_tokens }: Run['points'][number]['scenario']): string {
  if (readShapeName(id) === null) return shapeTitle(id);
  return `${formatCount(input_tokens ?? 0)} in, ${formatCount(output_tokens ?? 0)} out`;
}

/** "62 % of ttft_p99<1350", or "misses ttft_p99<1350: 119 % of it". */
function limitText(limit: unknown): string | null {
  if (!isRecord(limit) || typeof limit.bound !== 'string') return null;
  const { bound, ratio } = limit;
  const share = typeof ratio === 'number' ? ratio : null;
  if (share !== null && share <= 1) return `meets the limits: ${Math.round(100 * share)} % of ${bound}`;
  if (bound === 'failures') return 'misses the limits: too many requests failed';
  if (bound === 'saturation') return 'misses the limits: requests queue faster than they complete';
  return share === null ? `misses ${bound}` : `misses ${bound}: ${Math.round(100 * share)} % of it`;
}

/** "±1.4 % at 95 % after 4 repetitions (mean TTFT)". */
function untilText(until: unknown): string | null {
  if (!isRecord(until) || !isRecord(until.widest)) return null;
  const { figure, width } = until.widest;
  const repetitions = numberOf(until.repetitions) ?? 0;
  return `±${(100 * (numberOf(width) ?? 0)).toFixed(1)} % at 95 % after ${repetitions} repetitions (${figure})`;
}

function goodputText({ goodput_req_s, goodput_share }: Record<string, unknown>): string | null {
  const share = numberOf(goodput_share);
  if (share === null) return null;
  const rate = formatValue(numberOf(goodput_req_s), 'req/s');
  const percent = `${Math.round(100 * share)} %`;
  return rate === null ? percent : `${rate} (${percent})`;
}

export function toPointView({
  key,
  scenario,
  load,
  repetition,
  requests,
  measured_at,
  summary,
}: Run['points'][number]): PointView {
  const fields: Record<string, unknown> = isRecord(summary) ? summary : {};
  const counts = isRecord(fields.requests) ? fields.requests : {};
  const metrics = supportedMetrics(summary);
  const isMeasured = measured_at !== null;
  const { mode, level, burstiness, max_concurrency } = load;
  return {
    ...{ key, repetition, isMeasured },
    scenario: scenarioText(scenario),
    tails: columns.map(({ tail }) => (tail === undefined ? null : tailOf(tail, summary))),
    load: formatLoad({ mode, level, burstiness, maxConcurrency: max_concurrency } as Parameters<typeof formatLoad>[0]),
    requests: isMeasured
      ? `${formatCount(numberOf(counts.ok) ?? 0)} of ${formatCount(numberOf(counts.total) ?? requests)}`
      : formatCount(requests),
    cells: columns.map(({ name, unit }) => formatValue(numberOf(metrics[name]), columnUnit(unit))),
    goodput: goodputText(metrics),
    until: untilText(fields.until),
    limit: limitText(fields.limit),
    isCut: cutOf(summary) !== null,
    doubts: Array.isArray(fields.doubts) ? fields.doubts.filter((doubt) => typeof doubt === 'string') : [],
  };
}

const planTitles: Record<string, string> = {
  'inference-report': 'Inference report',
  'serving-grid': 'Serving grid',
  'batch-grid': 'Batch grid',
  capacity: 'Capacity',
};

export const planTitle = ({ plan }: Run): string =>
  typeof plan === 'string' ? (planTitles[plan] ?? plan) : 'Custom plan';

/** "The request to the endpoint failed: it refused the connection. Attempt 2 of 6 failed. Next attempt at 09:30:10 UTC." */
function retryText({ message, attempts_failed, attempts_max, next_attempt_at }: NonNullable<Run['retry']>): string {
  const attempts = attempts_failed === null ? '' : ` Attempt ${attempts_failed} of ${attempts_max} failed.`;
  const next = next_attempt_at === null ? '' : ` Next attempt at ${next_attempt_at.slice(11, 19)} UTC.`;
  return `${message}${attempts}${next}`;
}

/** "1 of 3 measured points is partial. Last error: status 503: "overloaded"."; empty if none is. */
function cutTexts({ cut_short: cut, progress }: Run): string[] {
  if (cut === null) return [];
  const error = cut.last_error === null ? '' : ` Last error: ${cut.last_error.replace(/\.$/, '')}.`;
  const points = `${formatCount(cut.points)} of ${formatPlural(progress.points_done, 'measured point')}`;
  return [`${points} ${cut.points === 1 ? 'is' : 'are'} partial.${error}`];
}

/** The status of a run, at the top of its page. */
export function toRunVerdict(run: Run): Verdict {
  const { points_done: done, points_total: total, requests_done, requests_total, eta_s } = run.progress;
  // Until such a run is over, its totals are a maximum, and its end cannot be expected.
  const isOpen =
    run.capacity === null
      ? run.request.until !== null && !['completed', 'processed'].includes(run.state)
      : run.capacity.found?.end == null;
  const most = isOpen ? 'at most ' : '';
  const points = `${formatCount(done)} of ${most}${formatPlural(total, 'point')}`;
  const progress = `${points} measured, ${formatCount(requests_done)} of ${most}${formatPlural(requests_total, 'request')} finished.`;
  const notice = (tone: Verdict['tone'], title: string, text: string, reasons: string[] = []) => ({
    tone,
    title,
    text,
    reasons,
  });
  const retries = run.retry === null ? [] : [retryText(run.retry)];
  const cuts = cutTexts(run);
  // A search measures loads at which servers fail.
  const isFlawed = cuts.length > 0 && run.capacity === null;
  switch (run.state) {
    case 'pending':
      if (run.retry !== null) return notice('warn', 'Waiting to try again', progress, retries);
      return notice('warn', 'Waiting', `The run starts when a worker and the endpoint are free. ${progress}`);
    case 'claimed':
      return notice('warn', 'Preparing', `Determining prompt lengths. ${progress}`, retries);
    case 'running':
      return notice(
        'warn',
        'Measuring',
        eta_s === null || isOpen ? progress : `${progress} Time left: ${formatEta(eta_s)}.`,
        retries,
      );
    case 'completed':
      return notice(isFlawed ? 'warn' : 'good', 'Measured', `${progress} The results are being stored.`, cuts);
    case 'processed':
      return notice(
        isFlawed ? 'warn' : 'good',
        isFlawed ? 'Done, with partial points' : 'Done',
        `${progress} The results are stored with the trust level managed.`,
        cuts,
      );
    case 'canceled':
      return notice(
        'bad',
        'Canceled',
        `${progress} ${run.submissions.length === 0 ? 'No result is stored.' : 'Results measured before the cancellation are stored.'}`,
        cuts,
      );
    case 'failed':
      return notice(
        'bad',
        'Failed',
        `${progress} ${run.submissions.length === 0 ? 'No result is stored.' : 'Results measured before the failure are stored.'}`,
        [...(run.failure === null ? [] : [run.failure.message]), ...cuts],
      );
  }
}

const omissionTexts: Record<Run['omitted'][number]['reason'], string> = {
  above_concurrency: 'more requests at a time than the limit',
  above_requests: 'more requests than the limit',
  above_tokens: 'more tokens than the limit',
};

/** "agentic, burst of 256: more requests at a time than the limit". */
export const omittedText = ({ key, title, reason }: Run['omitted'][number]): string =>
  `${title ?? key}: ${omissionTexts[reason]}`;

/** The served system as its owner states it. */
function systemFacts({ gpu, gpu_count, gpu_power_limit_w, quantization, engine, engine_version }: EndpointFacts) {
  const card = [
    gpu_count === null ? '' : `${gpu_count}x `,
    gpu,
    gpu_power_limit_w === null ? '' : `, ${gpu_power_limit_w} W`,
  ];
  return [
    { fact: 'GPU', value: gpu === null ? notStated : card.join('') },
    { fact: 'Quantization', value: quantization ?? notStated },
    { fact: 'Engine', value: engine === null ? notStated : [engine, engine_version].filter(Boolean).join(' ') },
  ];
}

/** States that limits reduced the requests of a plan; null if they did not, or if the plan does not give their number. */
function reducedText({ plan, request, points, omitted }: Run): string | null {
  if (typeof plan === 'string' || omitted.length > 0 || request.until !== null) return null;
  const sum = (list: readonly { requests?: number }[]) =>
    list.reduce((total, { requests }) => total + (requests ?? Number.NaN), 0);
  const [asked, sent] = [sum(plan) * (points.length / plan.length), sum(points)];
  return sent < asked
    ? `${formatCount(sent)} of ${formatCount(asked)}, to fit the limits of the run or of its endpoint`
    : null;
}

/** The plan of a run, as labelled facts. */
export function runFacts(run: Run): { fact: string; value: string }[] {
  const { repetitions, until, warmup, seed, slo, limits } = run.request;
  const most = [
    limits.requests === null ? null : formatPlural(limits.requests, 'request'),
    limits.tokens === null ? null : formatPlural(limits.tokens, 'token'),
    limits.duration_s === null ? null : formatPlural(limits.duration_s, 'second'),
    limits.concurrency === null ? null : `${formatCount(limits.concurrency)} at a time`,
  ].filter((part) => part !== null);
  const reduced = reducedText(run);
  return [
    { fact: 'Model', value: run.endpoint.model },
    ...(run.endpoint.facts === null ? [] : systemFacts(run.endpoint.facts)),
    { fact: 'Plan', value: planTitle(run) },
    ...(reduced === null ? [] : [{ fact: 'Requests', value: reduced }]),
    // A search decides what it repeats.
    ...(run.capacity === null
      ? [{ fact: 'Repetitions', value: until ?? (repetitions === null ? 'as in the plan' : formatCount(repetitions)) }]
      : []),
    { fact: 'Warm-up', value: warmup === null ? 'as in the plan' : formatPlural(warmup, 'request') },
    { fact: 'Seed', value: String(seed) },
    ...(slo === null ? [] : [{ fact: 'Limits of one request', value: slo }]),
    ...(limits.max_errors === null
      ? []
      : [{ fact: 'A point ends after', value: formatPlural(limits.max_errors, 'consecutive error') }]),
    // Of a search, they are part of its budget.
    ...(run.capacity === null
      ? [{ fact: 'At most', value: most.length === 0 ? 'as in the plan' : most.join(', ') }]
      : []),
    { fact: 'Requested', value: formatTime(run.created_at) },
    ...(run.started_at === null ? [] : [{ fact: 'Started', value: formatTime(run.started_at) }]),
    ...(run.ended_at === null ? [] : [{ fact: 'Finished', value: formatTime(run.ended_at) }]),
  ];
}

/** Whether a run adds points while it is measured: a search, or repetitions until points are stable. */
export const addsPoints = ({ capacity, request }: Run): boolean => capacity !== null || request.until !== null;

/** Whether a run has ended. */
export const isOver = ({ state }: Run): boolean => ['processed', 'failed', 'canceled'].includes(state);
