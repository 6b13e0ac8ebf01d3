import { extremesOf, fewest, figuresOf, inOrder } from './figures.ts';
import { finding, tieOf } from './findings-common.ts';
import { judgeSpeed, judgeTtft } from './judge.ts';
import { located, number, say, silence } from './sentence.ts';
import type { Thresholds } from './thresholds.ts';
import type { Figure, Headline, ReportFinding, ReportPoint, SafeQueue } from './types.ts';

const bestOf = (figures: readonly Figure[]): Figure | null => extremesOf(figures)?.best ?? null;

const isLoneUser = ({ load }: ReportPoint) =>
  (load.mode === 'concurrency' || load.mode === 'burst') && load.level === 1;

const isOnline = ({ load }: ReportPoint) => load.mode !== 'batch';

/** The deepest queue. Of two equal ones, the measured bound precedes the estimate. */
function deepest(queues: readonly SafeQueue[]): SafeQueue | null {
  const answered = queues.filter(({ answer }) => answer !== null);
  return answered.reduce<SafeQueue | null>((deep, queue) => {
    const [a, b] = [deep?.answer ?? 0, queue.answer ?? 0];
    return deep === null || b > a || (b === a && queue.bound === 'at_least') ? queue : deep;
  }, null);
}

/**
 * Upper bound of the output rate over a whole run, because decode throughput excludes waiting and prefill. It requires TTFT
 * at the same point. Each of B requests with n tokens takes ttft + (n - 1) / per-user speed on average. At most B n tokens
 * are produced in that time. Null if a figure is missing, or if the run states its output throughput.
 */
function outputCeiling(decode: Figure, points: readonly ReportPoint[]): { ceiling: Figure; wait: Figure } | null {
  const { scenario, load, source } = decode;
  const point = points.find((candidate) => candidate.scenario === scenario && candidate.load === load);
  const { outputTokens } = scenario;
  if (point === undefined || load.level === null || outputTokens === null || decode.value <= 0) return null;
  if ((load.mode !== 'burst' && load.mode !== 'concurrency') || point.statistics.output_tok_s !== undefined)
    return null;
  const [wait] = figuresOf([point], 'ttft_ms_mean').figures;
  // With any other clock, such as that of a batch's last request, the bound would be too low.
  if (wait === undefined || wait.value <= 0 || wait.definition !== 'send_to_first_token') return null;
  const e2eS = wait.value / 1000 + ((outputTokens - 1) * load.level) / decode.value;
  const value = (load.level * outputTokens) / e2eS;
  const of = { ci95: null, definition: 'at_most', derived: true, scenario, load, source };
  const n = fewest([wait.n, decode.n]);
  return { ceiling: { metric: 'output_tok_s', value, unit: 'tok/s', n, ...of }, wait };
}

function throughputFindings(
  { decodes, outputs }: { decodes: readonly Figure[]; outputs: readonly Figure[] },
  points: readonly ReportPoint[],
): ReportFinding[] {
  const [decode, output] = [bestOf(decodes), bestOf(outputs)];
  const findings: ReportFinding[] = [];
  if (decode !== null) {
    const bound = outputCeiling(decode, points);
    const note =
      bound === null
        ? silence
        : say` With a first token after ${number(bound.wait)} on average, the whole run can reach at most ${number(bound.ceiling)}.`;
    const said = say`All users' decode speeds add up to ${located(decode)} at best, excluding prompts and queues.${note}${tieOf(decode, decodes, [])}`;
    findings.push(finding('max_decode_throughput', 'headline', 'info', said));
  }
  if (output !== null) {
    const said = say`A whole run, including prompts and queues, reaches up to ${located(output)}.${tieOf(output, outputs, [])}`;
    findings.push(finding('max_output_throughput', 'headline', 'info', said));
  }
  return findings;
}

/** The headline figures of a system over all its loads, each by one formula. */
export function readHeadline(
  points: readonly ReportPoint[],
  queues: readonly SafeQueue[],
  thresholds: Thresholds,
): { headline: Headline; findings: ReportFinding[] } {
  const ordered = inOrder(points);
  const speeds = figuresOf(ordered.filter(isLoneUser), 'user_tok_s').figures;
  const waits = figuresOf(ordered.filter(isOnline), 'ttft_ms_mean').figures;
  const decodes = figuresOf(ordered, 'decode_tok_s').figures;
  const outputs = figuresOf(ordered, 'output_tok_s').figures;
  const headline: Headline = {
    peakDecodeSpeed: bestOf(speeds),
    maxDecodeThroughput: bestOf(decodes),
    maxOutputThroughput: bestOf(outputs),
    bestTtft: bestOf(waits),
    maxSafeQueue: deepest(queues),
  };
  const { peakDecodeSpeed, bestTtft } = headline;
  const findings: ReportFinding[] = [];
  if (peakDecodeSpeed !== null) {
    const { severity, said: verdict, limits } = judgeSpeed(peakDecodeSpeed, thresholds);
    const tie = tieOf(peakDecodeSpeed, speeds, limits);
    const said = say`A single user gets up to ${located(peakDecodeSpeed, limits)}: ${verdict}.${tie}`;
    findings.push(finding('peak_decode_speed', 'headline', severity, said));
  }
  findings.push(...throughputFindings({ decodes, outputs }, ordered));
  if (bestTtft !== null) {
    const { severity, said: verdict, limits } = judgeTtft(bestTtft, thresholds);
    const tie = tieOf(bestTtft, waits, limits);
    const said = say`The first token comes after ${located(bestTtft, limits)} at best: ${verdict}.${tie}`;
    findings.push(finding('best_ttft', 'headline', severity, said));
  }
  return { headline, findings };
}
