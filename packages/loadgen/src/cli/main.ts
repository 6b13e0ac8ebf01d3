// Measures a model server from the command line: npm run measure -- --url http://127.0.0.1:8000 --concurrency 1,2,4
import { randomInt, randomUUID } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { DomainError } from '@inferboard/core/errors';
import { formatLoad } from '@inferboard/core/load';
import { expandPlan } from '@inferboard/core/plans/expand';
import { UnreachableError } from '../measure/measure-load.ts';
import { doubtsOf } from '../points/doubts.ts';
import { type MeasuredPoint, measurePoint } from '../points/measure-point.ts';
import { toNativeReport } from '../points/native-report.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import { createCalibrator } from '../prompts/calibrator.ts';
import { DatasetError } from '../prompts/datasets/dataset-error.ts';
import { createDatasetShelf } from '../prompts/datasets/dataset-shelf.ts';
import { describeOptions, type MeasureOptions, OptionsError, readOptions } from './options.ts';
import { countByUsage, reachServer, ServerError } from './reach-server.ts';
import { formatProgress, formatTable } from './show-points.ts';
import { submitReports } from './submit.ts';

const isTerminal = process.stderr.isTTY;
const say = (text: string) => process.stderr.write(`${text}\n`);

function secretOf(name: string | null): string | null {
  if (name === null) return null;
  const secret = process.env[name];
  if (secret === undefined || secret === '') throw new OptionsError(`The environment variable ${name} is not set.`);
  return secret;
}

/** A bar that is drawn over itself on a terminal, and not at all elsewhere. */
function createBar(total: number) {
  const start = performance.now();
  let before = 0;
  return {
    show: (counts: { done: number; failed: number; in_flight: number }) => {
      if (!isTerminal) return;
      const done = before + counts.done + counts.failed;
      process.stderr.write(`\r\x1b[K${formatProgress(done, total, counts, (performance.now() - start) / 1000)}`);
    },
    finish: (point: MeasuredPoint) => {
      before += point.point.requests;
      if (isTerminal) process.stderr.write('\r\x1b[K');
      say(`${formatLoad(point.point.load)}, repetition ${point.point.repetition}: ${point.summary.by_outcome.ok} ok`);
    },
  };
}

/** What is kept of a measurement that ended early. */
function keptWords(measured: readonly MeasuredPoint[], planned: number): string {
  const partial = measured.filter(({ cut }) => cut !== null).length;
  return `${measured.length} of ${planned} points are kept${partial === 0 ? '' : `, ${partial} of them partial`}.`;
}

/** The person at the keyboard may fetch from wherever they can. */
async function download(address: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(address);
  if (!response.ok || response.body === null) throw new Error(`${address} answers ${response.status}`);
  return response.body;
}

async function run(options: MeasureOptions, signal: AbortSignal): Promise<number> {
  const server = await reachServer(options, secretOf(options.apiKeyEnv), signal);
  const submitKey = options.submit === null ? null : secretOf(options.submitKeyEnv);
  const seed = options.plan.seed ?? randomInt(2 ** 31);
  const { points, totals, omitted } = expandPlan({ ...options.plan, seed });
  say(`${server.model}: ${totals.points} points, ${totals.requests} requests, seed ${seed}`);
  for (const note of server.notes ?? []) say(`! ${note}.`);
  for (const { key, reason } of omitted) say(`left out: ${key} (${reason})`);
  if (options.out !== null) await writeFile(options.out, '');

  const salt = randomUUID();
  const countTokens = countByUsage(server, new URL(options.url).origin, signal);
  const calibrator = createCalibrator({ countTokens, seed, salt });
  const datasets = { load: createDatasetShelf(options.datasets, download), countTokens };
  const bar = createBar(points.reduce((sum, point) => sum + point.requests, 0));
  const system = { model: server.model, ...options.system };
  const measured: MeasuredPoint[] = [];
  const reports: string[] = [];
  for (const point of points) {
    if (signal.aborted) break;
    const measuring = { calibrator, salt, datasets, failuresInRowMax: options.errorsMax, signal, onProgress: bar.show };
    const found = await measurePoint(server, point, measuring);
    // Nothing came of it before it was cancelled.
    if (signal.aborted && found.summary.by_outcome.ok === 0) break;
    measured.push(found);
    bar.finish(found);
    const report = `${JSON.stringify(toNativeReport(found, system, { withDetails: true }))}\n`;
    reports.push(report);
    if (options.out !== null) await appendFile(options.out, report);
    if (found.cut?.reason === 'failures') break;
  }
  if (measured.length > 0) console.log(formatTable(measured));
  for (const found of measured)
    for (const doubt of doubtsOf(found))
      console.log(`! ${found.point.scenario.id}, ${formatLoad(found.point.load)}: ${doubt}.`);
  if (signal.aborted) {
    say(`Cancelled: ${keptWords(measured, points.length)}`);
    return 130;
  }
  const isStopped = measured.at(-1)?.cut?.reason === 'failures';
  if (isStopped) say(`Stopped after ${options.errorsMax} failures in a row: ${keptWords(measured, points.length)}`);
  if (measured.every(({ summary }) => summary.by_outcome.ok === 0)) {
    say('No request succeeded.');
    return 1;
  }
  if (options.submit !== null && submitKey !== null)
    console.log(`submitted: ${await submitReports(options.submit, submitKey, reports.join(''))}`);
  return !isStopped && measured.every(({ summary }) => summary.by_outcome.ok > 0) ? 0 : 1;
}

const isPlain = (error: unknown): error is Error =>
  error instanceof OptionsError ||
  error instanceof ServerError ||
  error instanceof CalibrationError ||
  error instanceof DatasetError ||
  error instanceof UnreachableError;

const args = process.argv.slice(2);
if (args.includes('--help') || args.length === 0) {
  console.log(`Measures a model server that speaks the OpenAI dialect.\n\n${describeOptions()}`);
} else {
  const cancel = new AbortController();
  process.once('SIGINT', () => cancel.abort());
  process.once('SIGTERM', () => cancel.abort());
  try {
    process.exitCode = await run(readOptions(args), cancel.signal);
  } catch (error) {
    if (cancel.signal.aborted) {
      say('Cancelled.');
      process.exitCode = 130;
    } else if (error instanceof DomainError) {
      const faults = error.faults.map(({ message, hint }) => `  ${message}${hint === undefined ? '' : ` ${hint}`}`);
      say([error.message, ...faults].join('\n'));
    } else say(isPlain(error) ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode ??= 2;
  }
}
