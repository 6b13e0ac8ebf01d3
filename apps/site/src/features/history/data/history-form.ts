import { metricHeading, rankableGroups } from '../../../lib/metric-text.ts';
import type { SelectForm } from '../../../lib/select-form.ts';
import { engineName } from './history-lineages.ts';
import { baselines, type HistoryQuery, historySteps } from './history-query.ts';
import type { HistoryReading } from './history-read.ts';

type Select = SelectForm['selects'][number];

const options = (list: readonly { id: string; label: string }[], chosen: string) =>
  list.map(({ id, label }) => ({ value: id, label, selected: id === chosen }));

function metricSelect({ metric, metrics }: HistoryReading): Select {
  const present = new Set<string>(metrics.map(({ name }) => name));
  const groups = rankableGroups.flatMap(({ title, metrics: list }) => {
    const offered = list.filter(({ name }) => present.size === 0 || present.has(name) || name === metric?.name);
    return offered.length === 0
      ? []
      : [
          {
            title,
            options: options(
              offered.map((one) => ({ id: one.name, label: metricHeading(one) })),
              metric?.name ?? '',
            ),
          },
        ];
  });
  return { name: 'metric', label: 'Metric', groups };
}

/** The form of the history page. */
export function toHistoryForm(query: HistoryQuery, reading: HistoryReading): SelectForm {
  const { history, by } = reading;
  const selects = [metricSelect(reading)];
  if (history !== null) {
    const versions = history.versions.map(({ system_id: id, engine_version: version }) => ({
      id,
      label: `${engineName(history.system)} ${version ?? '(no stated version)'}`,
    }));
    selects.push({
      name: 'by',
      label: 'Group by',
      groups: [{ title: null, options: options(historySteps, by) }],
    });
    if (by !== 'result' && versions.length > 1)
      selects.push({
        name: 'baseline',
        label: 'Compare the newest with',
        groups: [{ title: null, options: options([...baselines, ...versions], query.baseline) }],
      });
  }
  const hidden = [...(query.system === null ? [] : [['system', query.system] as const]), ...query.filters];
  return { selects, hidden };
}
