// Lighthouse scores of the most visited pages on a simulated phone with a slow connection: npm run lighthouse
// [-- --runs 3] [--report DIR]. Starts the complete product as on its first start, with the published figures, and with a synthetic
// report and grid, because the sample data has neither. Prints the median of each figure. Exits with 1 if one misses its limit.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startReportServer } from '../tests/support/reports.ts';
import { adminKey } from '../tests/support/server.ts';
import { submitServingGrid } from '../tests/support/serving-grid.ts';
import { categories, metrics, openLighthouse, pathsToJudge, type Run } from './lighthouse/judge.ts';
import { describeMachine } from './support.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, report: { type: 'string' } },
});
const runs = Number(values.runs);

const medianOf = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** A row of the table, and its figures that miss their limits. */
function toRow(path: string, taken: readonly Run[]): { row: Record<string, string>; missed: string[] } {
  const row: Record<string, string> = {
    page: path.replace(/(=sys_\w{4})\w+.*/, '$1…').replace(/(sys_\w{4})\w+/, '$1…'),
  };
  const missed: string[] = [];
  for (const { id, title, least } of categories) {
    const score = medianOf(taken.map(({ scores }) => scores[id] ?? 0));
    row[title] = String(score);
    if (score < least) missed.push(`${path}: ${title} ${score} of ${least}`);
  }
  for (const { id, title, unit, most, digits } of metrics) {
    const value = medianOf(taken.map(({ figures }) => figures[id] ?? Number.NaN));
    row[title] = `${value.toFixed(digits)}${unit}`;
    // A figure that could not be measured misses its limit.
    if (!(value <= most)) missed.push(`${path}: ${title} ${value.toFixed(digits)}${unit} of ${most}${unit}`);
  }
  return { row, missed };
}

describeMachine();
const { server, grid } = await startReportServer({ SAMPLE_DATA: 'true' });
const lighthouse = await openLighthouse();
const rows: Record<string, string>[] = [];
const missed: string[] = [];
const findings = new Set<string>();
const speeds: number[] = [];
try {
  await submitServingGrid(server.url, adminKey);
  const paths = await pathsToJudge(server.url, grid);
  for (const path of paths) {
    // Request each page once before measuring, because the first request of a process is slower.
    await fetch(server.url + path);
    const taken: Run[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const judged = await lighthouse.judge(server.url + path);
      taken.push(judged);
      speeds.push(judged.machine);
      for (const finding of judged.findings) findings.add(`${path}: ${finding}`);
      if (values.report !== undefined)
        await writeFile(join(values.report, `lighthouse-${rows.length + 1}-${run}.html`), judged.html);
    }
    const line = toRow(path, taken);
    rows.push(line.row);
    missed.push(...line.missed);
  }
} finally {
  await lighthouse.close();
  await server.dispose();
}
rows.push({
  page: 'bar',
  ...Object.fromEntries(categories.map(({ title, least }) => [title, `>= ${least}`])),
  ...Object.fromEntries(metrics.map(({ title, unit, most }) => [title, `<= ${most}${unit}`])),
});
console.table(rows);
console.log(
  `Median of ${runs}; phone, 150 ms and 1.6 Mbit/s and a fourth of the processor, simulated by Lighthouse ${lighthouse.version}, ` +
    `whose index of this machine was ${Math.min(...speeds)} to ${Math.max(...speeds)}.`,
);
console.log('Over plain HTTP of 127.0.0.1, which counts as secure: what only TLS can show is not judged.');
for (const finding of findings) console.log(`seen: ${finding}`);
for (const miss of missed) console.error(`missed: ${miss}`);
process.exitCode = missed.length === 0 ? 0 : 1;
