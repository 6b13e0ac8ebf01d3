import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboardPath, toDashboard } from '../infra/observability/dashboard.ts';
import { rows } from '../infra/observability/panels.ts';
import { startTestServer, type TestServer } from './support/server.ts';

// A dashboard or alert on a missing metric is silent, so the mistake would stay unnoticed.

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
const readText = (path: string) => readFile(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const alerts = (
  parse(await readText('infra/observability/alerts.yaml')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);
const asked = [
  ...rows.flatMap(({ panels }) =>
    panels.flatMap(({ title, lines }) =>
      lines.map(([expression]) => ({ where: title, expression: expression.replaceAll('$__rate_interval', '5m') })),
    ),
  ),
  ...alerts.map(({ alert, expr }) => ({ where: alert, expression: expr })),
];

let server: TestServer;
/** Type and sample labels of each metric, by name. */
const figures = new Map<string, { type: string; labels: Set<string> }>();

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'false' });
  await fetch(`${server.url}/v1/leaderboard`);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    figures.set(name, { type, labels: new Set() });
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = figures.get(name) ?? figures.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known?.labels.add(label);
  }
});
afterAll(() => server?.dispose());

interface Selector {
  name: string;
  labels: string[];
  /** Enclosing functions, the innermost first. */
  functions: string[];
}

/** The metrics that an expression selects. Throws if it is not PromQL. */
function selectorsOf(expression: string): Selector[] {
  const text = (node: { from: number; to: number }) => expression.slice(node.from, node.to);
  const found: Selector[] = [];
  const around: string[] = [];
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${expression}`);
      if (node.name === 'FunctionCall') around.unshift(text(node.node.firstChild ?? node));
      if (node.name !== 'VectorSelector') return;
      const name = node.node.getChild('Identifier');
      const matchers = node.node.getChild('LabelMatchers');
      const labels = [...(matchers === null ? '' : text(matchers)).matchAll(/(\w+)\s*(?:=|!)/g)].map(
        ([, label = '']) => label,
      );
      found.push({ name: name === null ? '' : text(name), labels, functions: [...around] });
    },
    leave: (node) => {
      if (node.name === 'FunctionCall') around.shift();
    },
  });
  return found;
}

/** Metrics that Prometheus adds. */
const ownFigures = ['up'];
const ownLabels = ['job', 'instance', 'le'];

describe.each(asked)('$where queries', ({ expression }) => {
  test('existing metrics and labels, with matching functions', () => {
    const selectors = selectorsOf(expression);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { name, labels, functions } of selectors) {
      if (ownFigures.includes(name)) continue;
      const figure = figures.get(name) ?? figures.get(name.replace(/_(?:bucket|sum|count)$/, ''));
      expect(figure, name).toBeDefined();
      if (figure === undefined) continue;
      const only = functions[0] ?? '';
      if (/^(?:rate|increase|irate)$/.test(only)) expect(['counter', 'histogram'], name).toContain(figure.type);
      if (/^(?:delta|deriv)$/.test(only)) expect(figure.type, name).toBe('gauge');
      // The labels of a metric without samples are unknown.
      if (figure.labels.size > 0)
        for (const label of labels) expect([...figure.labels, ...ownLabels], `${name}{${label}}`).toContain(label);
    }
  });
});

test('detects invalid PromQL and missing metrics', () => {
  expect(() => selectorsOf('sum(rate(inferboard_x[5m])')).toThrow();
  expect(selectorsOf('rate(inferboard_x{a="b"}[5m])')).toEqual([
    { name: 'inferboard_x', labels: ['a'], functions: ['rate'] },
  ]);
  expect(figures.has('inferboard_x')).toBe(false);
});

test('the committed dashboard equals the output of node infra/observability/dashboard.ts', async () => {
  expect(JSON.parse(await readFile(dashboardPath, 'utf8'))).toEqual(toDashboard());
});

test('each alert has a severity, a summary and a link to its documentation', async () => {
  const headings = [...(await readText('docs/observability.md')).matchAll(/^### (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase(),
  );
  for (const { alert, labels, annotations } of alerts) {
    expect(['page', 'ticket'], alert).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/\.|\?$/);
    const [path, anchor] = (annotations.runbook ?? '').split('#');
    expect(path, alert).toBe('docs/observability.md');
    expect(headings, alert).toContain(anchor);
  }
});

test('every metric of the service is documented', async () => {
  const docs = await readText('docs/observability.md');
  for (const name of figures.keys()) if (name.startsWith('inferboard_')) expect(docs, name).toContain(`\`${name}`);
});
