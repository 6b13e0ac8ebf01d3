import { type LoadMode, loadModesOrUnspecified } from '../subjects/load.ts';
import type { System } from '../subjects/system.ts';
import { readBatch } from './batch.ts';
import { burstLevelMax, readBurst } from './burst.ts';
import { levelsOf } from './figures.ts';
import { readHeadline } from './headline.ts';
import { peakLevelMax, readPeak } from './peak.ts';
import { withoutImpossible } from './roofline.ts';
import { thresholdsAt, ttftLimitDefaultS } from './thresholds.ts';
import type { Report, ReportFinding, ReportLoad, ReportPoint } from './types.ts';

function ofMode(points: readonly ReportPoint[], mode: LoadMode, levelMax: number): ReportPoint[] {
  return points.filter(({ load }) => load.mode === mode && load.level !== null && load.level <= levelMax);
}

const absent = {
  peak: `No closed loop of 1 to ${peakLevelMax} requests in flight was measured.`,
  burst: `No burst of 1 to ${burstLevelMax} requests was measured.`,
  batch: 'No static batch was measured.',
};

const modeWords: Record<ReportLoad['mode'], string> = {
  concurrency: 'closed loops',
  burst: 'bursts',
  rate: 'open loops',
  batch: 'static batches',
  unspecified: 'loads that were not stated',
};

/** "closed loops of 64 to 512", "open loops". */
function loadsOf(points: readonly ReportPoint[], mode: ReportLoad['mode']): string[] {
  const ofThis = points.filter(({ load }) => load.mode === mode);
  if (ofThis.length === 0) return [];
  const [levels, words] = [levelsOf(ofThis), modeWords[mode]];
  const [low, high] = [levels[0], levels.at(-1)];
  if (mode === 'rate' || low === undefined || high === undefined) return [words];
  return [low === high ? `${words} of ${low}` : `${words} of ${low} to ${high}`];
}

/** Why a section is empty, and what was measured instead. */
function reasonFor(section: keyof typeof absent, points: readonly ReportPoint[]): string {
  const loads = loadModesOrUnspecified.flatMap((mode) => loadsOf(points, mode));
  return `${absent[section]} ${loads.length === 0 ? 'There are no accepted results.' : `There are ${loads.join(', ')}.`}`;
}

/** Makes finding ids unique, because workloads may share a name. */
function withOwnIds(findings: readonly ReportFinding[]): ReportFinding[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const times = (seen.get(finding.id) ?? 0) + 1;
    seen.set(finding.id, times);
    return times === 1 ? finding : { ...finding, id: `${finding.id}_${times}` };
  });
}

/**
 * The inference report of a system: headline figures, sections for closed loop, burst and batch, ranges across its
 * scenarios, and findings. Every statement of a finding is calculated from these figures and the thresholds. Points are
 * accepted serving results, one per scenario and load, in any order. The TTFT limit is in seconds. The system is used only
 * for the roofline. Throws RangeError for a limit that is not above 0.
 */
export function reportOf(
  points: readonly ReportPoint[],
  ttftLimitS: number = ttftLimitDefaultS,
  system: System | null = null,
): Report {
  if (!(ttftLimitS > 0) || !Number.isFinite(ttftLimitS)) throw new RangeError('the TTFT limit must be above 0');
  const thresholds = thresholdsAt(ttftLimitS);
  const peak = readPeak(ofMode(points, 'concurrency', peakLevelMax), thresholds, system);
  const burst = readBurst(ofMode(points, 'burst', burstLevelMax), thresholds);
  const batch = readBatch(ofMode(points, 'batch', Number.POSITIVE_INFINITY), thresholds);
  const { headline, findings } = readHeadline(points, burst?.section.maxSafeQueue ?? [], thresholds);
  const readings = { peak, burst, batch };
  const sections = ['peak', 'burst', 'batch'] as const;
  const read = sections.flatMap((section) => readings[section] ?? []);
  const count = (test: (point: ReportPoint) => boolean) => points.filter(test).length;
  return {
    ttftLimitS,
    headline,
    peak: peak?.section ?? null,
    burst: burst?.section ?? null,
    batch: batch?.section ?? null,
    unmeasured: sections
      .filter((section) => readings[section] === null)
      .map((section) => ({ section, reason: reasonFor(section, points) })),
    ranges: read.flatMap(({ ranges }) => ranges),
    findings: withOwnIds(
      withoutImpossible([...findings, ...read.flatMap((reading) => reading.findings)], points, system),
    ),
    leftOut: {
      rate: count(({ load }) => load.mode === 'rate'),
      unspecified: count(({ load }) => load.mode === 'unspecified'),
      beyondLevels: count(
        ({ load: { mode, level } }) =>
          (mode === 'concurrency' && (level ?? 0) > peakLevelMax) || (mode === 'burst' && (level ?? 0) > burstLevelMax),
      ),
      otherDefinition: read.reduce((total, { otherDefinition }) => total + otherDefinition, 0),
    },
    thresholds: Object.values(thresholds),
  };
}
