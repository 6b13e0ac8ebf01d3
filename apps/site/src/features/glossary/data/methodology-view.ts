import { sloPresets } from '@inferboard/core/catalogue/index';
import { checks } from '@inferboard/core/checks/index';
import { metricFamilies } from '@inferboard/core/metrics/index';
import { thresholdsAt, ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import { sampleFloor } from '@inferboard/core/statistics/certificate';
import { stabilityBounds } from '@inferboard/core/statistics/stability';
import { trustLevels } from '@inferboard/core/subjects/result';
import { toCsv } from '../../../lib/csv.ts';
import { formatCount, formatPercent } from '../../../lib/format.ts';
import { severityOrder, severityWords, trustWords } from '../../../lib/words.ts';
import { excludedRows } from '../../board/data/exclusion-words.ts';
import { boundRows, copyRows, regimeRows, standingRows } from '../../board/data/ranking-rules.ts';

const groups: readonly { id: string; title: string; letter: string; about: string }[] = [
  {
    id: 'facts',
    title: 'Facts',
    letter: 'F',
    about: 'Whether the GPU, the model and the engine are in the catalogue, and whether a model ran.',
  },
  {
    id: 'arithmetic',
    title: 'Arithmetic',
    letter: 'A',
    about: 'Whether the figures of a result are consistent.',
  },
  { id: 'physics', title: 'Physics', letter: 'P', about: 'Whether the hardware can reach the figures.' },
  {
    id: 'records',
    title: 'Records',
    letter: 'R',
    about: 'Whether the records of single requests agree with the summary and are plausible measurements.',
  },
];

/** The rules by heading. */
export const ruleGroups = groups.map((group) => ({
  ...group,
  rules: checks
    .filter(({ id }) => id.startsWith(group.letter))
    .map(({ id, code, title, rule }) => ({ id, code, title, rule })),
}));

/** Highest trust first. */
export const trustRows = trustLevels
  .map((level) => ({ level, ...trustWords[level] }))
  .toSorted((a, b) => Object.keys(trustWords).indexOf(a.level) - Object.keys(trustWords).indexOf(b.level));

export const severityRows = severityOrder.map((severity) => ({
  word: severityWords[severity],
  means: {
    violation: 'The figure is impossible. The result is shown but stays off the boards until an admin has reviewed it.',
    warning: 'The figure may be wrong. The result ranks and shows the warning.',
    info: 'Additional information. It does not weaken the result.',
    unchecked: 'The rule lacks inputs, which the finding names. This does not count as passed.',
  }[severity],
}));

export const stabilityRows = [
  ...stabilityBounds.map(({ label, cv }) => ({ label, text: `up to ${formatPercent(cv)}` })),
  { label: 'unstable', text: `above ${formatPercent(stabilityBounds.at(-1)?.cv)}` },
];

export const floorRows = [50, 90, 95, 99, 99.9].map((percentile) => ({
  percentile: `p${percentile}`,
  samples: formatCount(sampleFloor(percentile)),
}));

export const thresholdRows = Object.values(thresholdsAt(ttftLimitDefaultS));

export const sloRows = sloPresets.map(({ id, model, scenario, p99TtftMs, p99TpotMs }) => ({
  id,
  model,
  scenario,
  ttft: `${formatCount(p99TtftMs)} ms`,
  tpot: `${formatCount(p99TpotMs)} ms`,
}));

/** Where the public benchmark publishes its limits. */
export const sloSources = [...new Set(sloPresets.map(({ source }) => source))];

export const derivedFamilies = metricFamilies.filter(({ derived }) => derived);

/** The rules and limits of the page's tables as data. */
export const methodology = {
  checks: ruleGroups.flatMap(({ id: group, rules }) => rules.map((rule) => ({ group, ...rule }))),
  regimes: regimeRows,
  trust: trustRows.map(({ level, means }) => ({ level, means })),
  standings: standingRows,
  copies: copyRows,
  bounds: boundRows,
  excluded: excludedRows,
  stability: stabilityBounds.map(({ label, cv }) => ({ label, cv_max: cv })),
  sample_floors: [50, 90, 95, 99, 99.9].map((percentile) => ({ percentile, samples: sampleFloor(percentile) })),
  thresholds: thresholdRows.map(({ id, value, unit, reason }) => ({ id, value, unit, reason })),
  slo_presets: sloPresets.map(({ id, model, scenario, p99TtftMs, p99TpotMs, source }) => ({
    id,
    model,
    scenario,
    ttft_ms_p99_max: p99TtftMs,
    tpot_ms_p99_max: p99TpotMs,
    source,
  })),
};

/** The rules as CSV. */
export function rulesCsv(): string {
  return toCsv(
    ['id', 'group', 'code', 'title', 'rule'],
    methodology.checks.map(({ id, group, code, title, rule }) => [id, group, code, title, rule]),
  );
}
