// Measures a model server from the command line: npm run measure -- --url http://127.0.0.1:8000 --concurrency 1,2,4
import { randomInt } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { expandPlan, remainingPoints } from '@inferboard/core/plans/expand';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { UnreachableError } from '../measure/measure-load.ts';
import { shownModel } from '../points/model-name.ts';
import { PromptRefusedError } from '../points/refusal.ts';
import { describeDetected } from '../probe/detected.ts';
import { startObserver } from '../probe/observer.ts';
import { ProbeError } from '../probe/probe-error.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import { DatasetError } from '../prompts/datasets/dataset-error.ts';
import { createRecorder } from '../records/recorder.ts';
import { RecordsError } from '../records/records-error.ts';
import { describeResumed } from '../records/resume.ts';
import { openSession } from '../records/session.ts';
import { loadTraffic, planOf } from '../traffic/load-traffic.ts';
import { commandWords } from '../view/command-words.ts';
import { keepRunning } from '../view/keep-running.ts';
import type { Screen } from '../view/live-view.ts';
import { chooseService } from './choose-service.ts';
import { conclude, say } from './conclude.ts';
import { type MeasuredServer, measureAll } from './measure-all.ts';
import { type MeasureOptions, readOptions } from './options.ts';
import { OptionsError } from './options-error.ts';
import { checkOutputs } from './output-files.ts';
import { checkServer, reachServer, ServerError } from './reach-server.ts';
import { type Started, startOf, withoutSecrets } from './resume-args.ts';
import { isResumable, type Schedule, scheduleOf } from './schedule.ts';
import { isSendable, LoginError } from './stored-login.ts';
import { checkService, SubmitError } from './submit.ts';
import { describeTarget, secondOptions, type Target } from './targets.ts';
import { describeOptions } from './words/described-options.ts';

function secretOf(name: string | null): string | null {
  if (name === null) return null;
  const secret = process.env[name];
  if (secret === undefined || secret === '') throw new OptionsError(`The environment variable ${name} is not set.`);
  if (!isSendable(secret))
    throw new OptionsError(`The key in the environment variable ${name} has characters that no key has.`);
  return secret;
}

/** Standard error, and how lines are drawn on it. */
function openScreen(): Screen {
  const { NO_COLOR, TERM } = process.env;
  const isTerminal = process.stderr.isTTY && TERM !== 'dumb';
  return {
    write: (text) => void process.stderr.write(text),
    get columns() {
      return isTerminal ? (process.stderr.columns ?? 80) : null;
    },
    hasColors: isTerminal && (NO_COLOR ?? '') === '',
  };
}

/** The servers, asked what they are. Servers that get no load need not run. */
async function describeTargets(options: MeasureOptions, known: string | null, hasLoad: boolean, signal: AbortSignal) {
  const second = secondOptions(options);
  const [key, secondKey] = [secretOf(options.apiKeyEnv), secretOf(second?.apiKeyEnv ?? null)];
  if (hasLoad) {
    await checkServer(options, key, signal);
    if (second !== null) await checkServer(second, secondKey, signal);
  }
  const a = await describeTarget('a', { ...options, model: known ?? options.model }, key, signal);
  return { a, b: second === null ? null : await describeTarget('b', second, secondKey, signal) };
}

/** A server that can be measured. The facts of the system, its engine among them, may come from the server itself. */
async function reach(
  { side, options, apiKey, system, detected, doubts }: Target,
  session: Schedule['session'],
  signal: AbortSignal,
): Promise<MeasuredServer> {
  const about = {
    ...{ system, detected },
    ...(session !== null && { session: { id: session.id, server: side } }),
  };
  const server = await reachServer({ ...options, system }, apiKey, signal, side);
  return { server: { ...server, notes: [...doubts, ...(server.notes ?? [])] }, about };
}

/** The error, with its fix. */
function withOption(error: Error): Error {
  if (error instanceof PromptRefusedError)
    return new OptionsError(`${error.message}. Send shorter prompts, or give the server a larger context.`);
  if (error instanceof UnreachableError)
    return new ServerError(`The server no longer accepts connections (${error.detail}). Check that it runs.`);
  if (error instanceof DatasetError)
    return new OptionsError(
      `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}. State the file or URL of a data set with --dataset, such as --dataset sharegpt=FILE.`,
    );
  if (!(error instanceof CalibrationError) || error.leastTokens === null) return error;
  return new OptionsError(
    `The server adds tokens to each prompt: ${error.message}. Use --input-tokens ${error.leastTokens} or more.`,
  );
}

const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** The points of a plan and their requests. Made-up conversations all have the stated turns. */
function describeSize(points: readonly PlanPoint[], { conversation, inputTokens }: MeasureOptions['traffic']): string {
  const sum = (of: 'requests' | 'warmup') => points.reduce((total, point) => total + point[of], 0);
  const [measured, warmup] = [sum('requests'), sum('warmup')];
  const requests =
    conversation === null || inputTokens !== null
      ? plural(measured * (conversation?.turns ?? 1), 'request')
      : plural(measured, 'conversation');
  return `${plural(points.length, 'point')}, ${requests}${warmup === 0 ? '' : ` and ${warmup} for the warm-up`}`;
}

function sayComparison(a: Target, b: Target): void {
  say(`A: ${a.options.url}, B: ${b.options.url} (${shownModel(b.model)})`);
  if (JSON.stringify(a.system) === JSON.stringify(b.system))
    say('! The reported facts of both servers are equal. Use --against-facts to state how B differs.');
}

async function run(options: MeasureOptions, started: Started, cancel: AbortController): Promise<number> {
  const { signal } = cancel;
  const { resumed } = started;
  const canResume = isResumable(options);
  if (resumed !== null && !canResume)
    throw new OptionsError(['--find, --until and --against cannot be resumed.', resumed.end()].join('\n').trimEnd());
  await checkOutputs(options, resumed?.header.args ?? null);
  const loaded = await loadTraffic(options.traffic);
  const hasTraffic = loaded !== null;
  const service = await chooseService(options, process.env);
  const seed = resumed?.header.seed ?? options.plan.seed ?? randomInt(2 ** 31);
  const asked = loaded === null ? options.plan : planOf(loaded, options.plan);
  const { points: all, omitted } = expandPlan({ ...asked, seed });
  const points = remainingPoints(all, new Set(resumed?.lines.map(({ key }) => key)));
  const { a, b } = await describeTargets(options, resumed?.header.model ?? null, points.length > 0, signal);
  const described = [a, b].filter((target) => target !== null);
  for (const { system } of described)
    if (service !== null && all[0] !== undefined) await checkService(service, all[0], system, hasTraffic);
  const schedule = scheduleOf(options, asked, points, seed);
  const servers =
    points.length === 0
      ? null
      : {
          a: await reach(a, schedule.session, signal),
          b: b === null ? null : await reach(b, schedule.session, signal),
        };
  const size = options.find === null ? describeSize(all, options.traffic) : 'search for the capacity';
  say(`${shownModel(a.model)}: ${size}${b === null ? '' : ' on each of two servers'}, seed ${seed}`);
  if (b !== null) sayComparison(a, b);
  const notes = [servers?.a, servers?.b].flatMap((one) => one?.server.notes ?? []);
  for (const note of notes) say(`! ${note}.`);
  for (const { key, reason } of omitted) say(`skipped: ${key} (${reason})`);
  if (resumed !== null) say(describeResumed(resumed, all.length));
  resumed?.prepare();
  const session = openSession({
    file: resumed?.file ?? options.out,
    header: { args: withoutSecrets(started.args), model: a.model, seed },
    ...(resumed !== null && { lines: resumed.lines }),
    onFault: () => cancel.abort(),
  });
  let isComplete = false;
  try {
    say(`records: ${session.file}`);
    const observer = await startObserver(options.watched, `${session.file}.observed.jsonl`, {
      origin: new URL(options.url).origin,
      headers: servers?.a.server.headers ?? {},
    });
    const earlier = resumed?.lines.map(({ report }) => report) ?? [];
    const recorder = createRecorder({ session, hasTraffic, observer, earlier });
    let failure: Error | null = null;
    try {
      const warmsUp = process.env.LOADGEN_WARM_UP !== 'off'; // Only tests turn it off.
      const measuring = { options, loaded, seed, signal, screen: openScreen(), isResumed: resumed !== null, warmsUp };
      if (servers !== null) await measureAll(servers, schedule, measuring, recorder);
    } catch (error) {
      if (!isPlain(error)) throw error;
      failure = withOption(error);
    } finally {
      for (const trouble of await observer.stop()) say(`! ${trouble}.`);
    }
    const concluding = { options, service, facts: describeDetected(a.detected), schedule, seed, canResume, signal };
    const exitCode = await conclude(concluding, recorder, failure);
    // If a point of a search fails, its requests are only in the journal.
    isComplete = canResume ? exitCode < 2 && recorder.measured.at(-1)?.cut?.reason !== 'failures' : failure === null;
    return exitCode;
  } finally {
    session.close(isComplete);
  }
}

const isPlain = (error: unknown): error is Error =>
  error instanceof OptionsError ||
  error instanceof ServerError ||
  error instanceof SubmitError ||
  error instanceof LoginError ||
  error instanceof RecordsError ||
  error instanceof ProbeError ||
  error instanceof CalibrationError ||
  error instanceof PromptRefusedError ||
  error instanceof DatasetError ||
  error instanceof UnreachableError;

keepRunning();

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h') || args.length === 0) {
  const command = commandWords('measure');
  console.log(`Measures a model server with an OpenAI-compatible API.

  ${command} --url http://127.0.0.1:8000
  ${command} --url http://127.0.0.1:8000 --scenario chatbot --concurrency 1,8,32
  ${command} --url http://127.0.0.1:8000 --find "ttft_p99<2000,tpot_p99<50" --submit http://127.0.0.1:8787

${describeOptions()}`);
} else {
  const cancel = new AbortController();
  process.once('SIGINT', () => cancel.abort());
  process.once('SIGTERM', () => cancel.abort());
  try {
    const started = startOf(args);
    process.exitCode = await run(readOptions(started.args, args), started, cancel);
  } catch (error) {
    if (cancel.signal.aborted) {
      say('Canceled.');
      process.exitCode = 130;
    } else if (error instanceof DomainError) {
      const faults = error.faults.map(({ message, hint }) => `  ${message}${hint === undefined ? '' : ` ${hint}`}`);
      say([error.message, ...faults].join('\n'));
    } else say(isPlain(error) ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode ??= 2;
  }
}
