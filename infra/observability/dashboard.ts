// Writes dashboard.json, which Grafana imports: node infra/observability/dashboard.ts
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Panel, rows } from './panels.ts';

const width = 8;
const height = 8;
const across = 3;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a place that Grafana fills
const datasource = { type: 'prometheus', uid: '${datasource}' };

function panelOf({ title, description, unit, lines }: Panel, id: number, at: { x: number; y: number }) {
  return {
    ...{ id, type: 'timeseries', title, description, datasource },
    gridPos: { ...at, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: lines.map(([expr, legendFormat], index) => ({
      ...{ refId: String.fromCharCode(65 + index), datasource, expr, legendFormat, range: true },
    })),
  };
}

/** The dashboard as Grafana reads it. */
export function toDashboard(): object {
  let [id, y] = [0, 0];
  const panels: object[] = [];
  for (const { title, panels: pictures } of rows) {
    panels.push({ id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    for (const [index, picture] of pictures.entries()) {
      const at = { x: (index % across) * width, y: y + Math.floor(index / across) * height };
      panels.push(panelOf(picture, ++id, at));
    }
    y += Math.ceil(pictures.length / across) * height;
  }
  return {
    ...{ uid: 'inferboard', title: 'Inferboard', tags: ['inferboard'], timezone: 'utc', schemaVersion: 39, version: 1 },
    ...{ refresh: '30s', time: { from: 'now-6h', to: 'now' } },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels,
  };
}

export const dashboardPath = fileURLToPath(new URL('dashboard.json', import.meta.url));

if (import.meta.main) writeFileSync(dashboardPath, `${JSON.stringify(toDashboard(), null, 2)}\n`);
