import { decodingOf } from '../checks/physics/hardware-claim.ts';
import { systemBound, userBound } from '../hardware/bounds.ts';
import type { System } from '../subjects/system.ts';
import { extremesOf, scenarioKeyOf, shareOf } from './figures.ts';
import { finding } from './findings-common.ts';
import { figureText, limit, located, number, type Said, say, silence } from './sentence.ts';
import type { Thresholds } from './thresholds.ts';
import type { Figure, ReportFinding, ReportPoint } from './types.ts';

/** Maximum speed per user of a closed loop, and the facts missing to calculate it. */
export interface Roofline {
  figures: Figure[];
  missing: string[];
}

const countOf = (point: ReportPoint, name: 'input_tokens' | 'requests_ok') => point.statistics[name]?.mean;

/** The input of a physics check, for all results of a point. */
function claimOf({ scenario, statistics, ...point }: ReportPoint, system: System) {
  const { id, inputTokens, outputTokens, dataset, depth } = scenario;
  const counted = { ...point, scenario, statistics };
  const [input_tokens, requests_ok] = [countOf(counted, 'input_tokens'), countOf(counted, 'requests_ok')];
  return {
    system,
    scenario: { id, inputTokens, outputTokens, dataset, depth, kernel: null },
    metrics: {
      ...(input_tokens === undefined ? {} : { input_tokens }),
      ...(requests_ok === undefined ? {} : { requests_ok }),
    },
    extra: {},
  };
}

/**
 * tok/s per user that memory and compute allow at each point of a closed loop. Uses the bounds of the physics checks:
 * minimum bits, maximum published bandwidth, B contexts in the cache. The GPUs that share a sequence limit a single user.
 * All GPUs limit several users, and each of them has at most the limit of a single user.
 */
export function rooflineOf(points: readonly ReportPoint[], system: System): Roofline {
  const missing = new Set<string>();
  const figures = points.flatMap((point): Figure[] => {
    const { scenario, load, source } = point;
    const decoding = decodingOf(claimOf(point, system));
    const unknown = Array.isArray(decoding) ? decoding : decoding.missing;
    for (const fact of unknown) missing.add(fact);
    // Bounds from substituted facts are for implausible claims; as a roofline they would mislead.
    if (Array.isArray(decoding) || unknown.length > 0) return [];
    const [alone, together] = [userBound(decoding), systemBound(decoding, load.level ?? 1)];
    if (alone === null || together === null || load.level === null) return [];
    const value = Math.min(alone, together.bound / load.level);
    const of = { n: null, ci95: null, definition: 'at_most', derived: true, scenario, load, source };
    return [{ metric: 'user_tok_s', value, unit: 'tok/s', ...of }];
  });
  return { figures, missing: [...missing] };
}

const placeKey = ({ scenario, load }: Figure) => `${scenarioKeyOf(scenario)} ${load.mode} ${load.level}`;

/** The share of its bound that a figure reaches. */
function reachedBy(figure: Figure, bounds: ReadonlyMap<string, Figure>): { bound: Figure; share: Figure } | null {
  const bound = bounds.get(placeKey(figure));
  const value = bound === undefined ? null : shareOf(figure.value, bound.value);
  if (bound === undefined || value === null) return null;
  return { bound, share: { ...bound, metric: 'roofline_share', value, unit: '', n: figure.n } };
}

/** How close the fastest user and the point with the best hardware utilization are to the limit. */
export function rooflineFinding(
  speeds: readonly Figure[],
  roofline: readonly Figure[],
  { roofline: most }: Thresholds,
): ReportFinding[] {
  const bounds = new Map(roofline.map((figure) => [placeKey(figure), figure]));
  const fastest = extremesOf(speeds)?.best;
  const top = fastest === undefined ? null : reachedBy(fastest, bounds);
  if (fastest === undefined || top === null) return [];
  const shares = speeds.flatMap((figure) => {
    const found = reachedBy(figure, bounds);
    return found === null ? [] : [{ figure, ...found }];
  });
  const nearest = shares.reduce((a, b) => (b.share.value > a.share.value ? b : a));
  const other: Said =
    nearest.figure === fastest || figureText(nearest.share) === figureText(top.share)
      ? silence
      : say` Closest to its roofline is ${located(nearest.figure)}, with ${number(nearest.share, [most])}.`;
  const said = say`The fastest user got ${located(fastest)}; memory and arithmetic allow at most ${number(top.bound)} there: ${number(top.share, [most])} of the roofline.${other}`;
  if (nearest.share.value <= most.value) return [finding('peak_roofline', 'peak', 'info', said)];
  const doubt = say` Above ${limit(most)} the figure or the stated hardware is wrong.`;
  return [finding('peak_roofline', 'peak', 'bad', say`${said}${doubt}`)];
}

const paces: ReadonlySet<string> = new Set(['user_tok_s', 'itl_ms_mean', 'decode_tok_s']);

const doubted = 'That is above the limit of the stated hardware, so the figure or the configuration is wrong.';

/** The findings. A judgement of a speed above its point's roofline states that and is never rated good. */
export function withoutImpossible(
  findings: readonly ReportFinding[],
  points: readonly ReportPoint[],
  system: System | null,
): ReportFinding[] {
  if (system === null) return [...findings];
  const online = points.filter(({ load }) => load.mode === 'concurrency' || load.mode === 'burst');
  const bounds = new Map(rooflineOf(online, system).figures.map((figure) => [placeKey(figure), figure.value]));
  const isImpossible = (figure: Figure) => {
    const bound = bounds.get(placeKey(figure));
    if (bound === undefined || !paces.has(figure.metric) || figure.load.level === null) return false;
    if (figure.metric === 'itl_ms_mean') return 1000 / figure.value > bound;
    return figure.value > bound * (figure.metric === 'decode_tok_s' ? figure.load.level : 1);
  };
  return findings.map((each) => {
    const { id, severity, sentence, evidence } = each;
    if (severity === 'info' || id === 'peak_roofline' || !evidence.some(isImpossible)) return each;
    return { ...each, severity: severity === 'good' ? 'notice' : severity, sentence: `${sentence} ${doubted}` };
  });
}
