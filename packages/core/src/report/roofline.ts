import { decodingOf } from '../checks/hardware-claim.ts';
import { systemBound, userBound } from '../hardware/bounds.ts';
import type { System } from '../system.ts';
import { extremesOf, scenarioKeyOf, shareOf } from './figures.ts';
import { finding } from './findings-common.ts';
import { figureText, located, number, type Said, say, silence } from './sentence.ts';
import type { Figure, ReportFinding, ReportPoint } from './types.ts';

/** The most that each user of a closed loop can be served, and what the catalogue or the system lacks to tell it. */
export interface Roofline {
  figures: Figure[];
  missing: string[];
}

const countOf = (point: ReportPoint, name: 'input_tokens' | 'requests_ok') => point.statistics[name]?.mean;

/** What a physics check asks of a result, said of all results of a point. */
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
 * tok/s per user that memory and arithmetic allow at each point of a closed loop, by the rules that results are checked
 * by: the smallest bits, the largest bandwidth published, B contexts in the cache. A lone user is bound by the GPUs that
 * share a sequence; several by all GPUs, and none of them by more than a lone one.
 */
export function rooflineOf(points: readonly ReportPoint[], system: System): Roofline {
  const missing = new Set<string>();
  const figures = points.flatMap((point): Figure[] => {
    const { scenario, load, source } = point;
    const decoding = decodingOf(claimOf(point, system));
    const unknown = Array.isArray(decoding) ? decoding : decoding.missing;
    for (const fact of unknown) missing.add(fact);
    // Bounds made of stand-ins are for absurd claims; as a roofline they would mislead.
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

/** How much of its bound a figure reaches. */
function reachedBy(figure: Figure, bounds: ReadonlyMap<string, Figure>): { bound: Figure; share: Figure } | null {
  const bound = bounds.get(placeKey(figure));
  const value = bound === undefined ? null : shareOf(figure.value, bound.value);
  if (bound === undefined || value === null) return null;
  return { bound, share: { ...bound, metric: 'roofline_share', value, unit: '', n: figure.n } };
}

/** How near the fastest user, and the point that uses the hardware best, come to what it allows. */
export function rooflineFinding(speeds: readonly Figure[], roofline: readonly Figure[]): ReportFinding[] {
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
      : say` Nearest to its own comes ${located(nearest.figure)}, with ${number(nearest.share)}.`;
  const said = say`Where the fastest user got ${located(fastest)}, memory and arithmetic allow ${number(top.bound)} at most: ${number(top.share)} of the roofline.${other}`;
  return [finding('peak_roofline', 'peak', 'info', said)];
}
