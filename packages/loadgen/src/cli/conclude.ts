import { sides } from '../compare-servers/paired.ts';
import { sessionNotes, sessionWords } from '../compare-servers/session.ts';
import { doubtsOf } from '../points/doubts.ts';
import { lastFailureWithFix } from '../points/failure-words.ts';
import { listPoints, pointName } from '../points/point-name.ts';
import type { Recorder, SkippedPoint } from '../records/recorder.ts';
import { RecordsError } from '../records/records-error.ts';
import { writeOutputs } from '../report/write-outputs.ts';
import { commandWords } from '../view/command-words.ts';
import { groupDoubts } from '../view/group-doubts.ts';
import { describeEnergy, formatTable } from '../view/point-table.ts';
import { toJsonSummary } from './json-summary.ts';
import type { MeasureOptions } from './options.ts';
import type { Schedule } from './schedule.ts';
import { type Service, type Stored, SubmitError, submitReports } from './submit.ts';

/** To standard error. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);

const formatCount = (points: number) => (points === 1 ? '1 point' : `${points} points`);

/** What is kept of a measurement that ended early. */
function keptWords({ measured, skipped }: Recorder, planned: number | null): string {
  const partial = measured.filter(({ cut }) => cut !== null).length;
  const omitted = skipped.length === 0 ? '' : ` ${skipped.length} were skipped.`;
  const points = planned === null ? formatCount(measured.length) : `${measured.length} of ${planned} points`;
  return `${points} ${measured.length === 1 ? 'is' : 'are'} kept${partial === 0 ? '' : `, ${partial} of them partial`}.${omitted}`;
}

/** The command that resumes a file of records. Values of headers are not stored. */
function resumeCommand(file: string, { headers }: MeasureOptions['traffic']): string {
  const repeated = Object.keys(headers).map((name) => ` --header '${name}: VALUE'`);
  return `${commandWords('measure')} --resume ${file}${repeated.join('')}`;
}

async function sendRecords(
  service: Service,
  reports: readonly string[],
  onStored: (stored: Stored) => void,
): Promise<void> {
  const { shortened } = await submitReports(service, reports, onStored);
  if (shortened > 0)
    say(
      `! ${shortened} points were too large to submit completely: the gaps between their chunks are only in the file.`,
    );
}

/** What to do with a measurement that ended early. */
const adviceOf = (file: string, resume: string | null) =>
  resume !== null
    ? { room: `free some space, then run: ${resume}`, rest: `To measure the rest: ${resume}` }
    : {
        room: `to submit it: ${commandWords('submit')} ${file}`,
        rest: `To submit them: ${commandWords('submit')} ${file}`,
      };

/** The command that submits records, with the facts that a service requires and they lack. */
function submitCommand(file: string, report: string): string {
  const { system } = JSON.parse(report) as { system: Record<string, unknown> };
  const lacking = ['gpu', 'quantization'].filter((fact) => (system[fact] ?? null) === null);
  return [`${commandWords('submit')} ${file}`, ...lacking.map((fact) => `--${fact} ${fact.toUpperCase()}`)].join(' ');
}

/** The points that were skipped, together if for the same reason. */
const skippedLines = (skipped: readonly SkippedPoint[]): string[] =>
  [...Map.groupBy(skipped, ({ refusal }) => refusal.reason)].map(
    ([reason, points]) => `Skipped: ${listPoints(points.map(({ point, side }) => pointName(point, side)))}. ${reason}.`,
  );

/** What is doubtful about the points. */
function doubtLines({ measured, sides: measuredOn }: Recorder): string[] {
  const doubts = measured.flatMap((found, at) => {
    const name = pointName(found.point, measuredOn[at] ?? null);
    return doubtsOf(found).map((doubt) => ({ doubt, name }));
  });
  return groupDoubts(doubts, measured.length).map((line) => `! ${line}`);
}

/** The points as a table for each server, what is doubtful about them, and the points that were skipped. */
function printPoints(recorder: Recorder, { session }: Schedule): void {
  const { measured, sides: measuredOn, skipped } = recorder;
  const columns = process.stdout.isTTY ? process.stdout.columns : null;
  const sidesShown = session === null ? ([null] as const) : sides;
  for (const side of sidesShown) {
    const table = measured.filter((_, at) => side === null || measuredOn[at] === side);
    if (side !== null) console.log(`Server ${side.toUpperCase()}:`);
    if (table.length > 0) console.log(formatTable(table, columns));
  }
  for (const line of doubtLines(recorder)) console.log(line);
  for (const line of skippedLines(skipped)) console.log(line);
}

/** Adds notes to those of a submission, which are the notes of its first report. */
function withNotes([head, ...rest]: readonly string[], notes: string): string[] {
  if (head === undefined) return [];
  const report = JSON.parse(head) as { notes?: string };
  const all = [notes, report.notes].filter((text) => text !== undefined).join('\n');
  return [`${JSON.stringify({ ...report, notes: all })}\n`, ...rest];
}

/** The reports as they are sent. A comes first: comparisons take the first system as their baseline. */
function sentReports({ reports, sides: measuredOn }: Recorder, { session }: Schedule, seed: number, paired: string[]) {
  if (session === null) return reports;
  const sorted = sides.flatMap((side) => reports.filter((_, at) => measuredOn[at] === side));
  return withNotes(sorted, sessionNotes(session.id, seed, paired));
}

/** What a measurement ends with, in addition to its records. */
export interface Concluding {
  options: MeasureOptions;
  service: Service | null;
  /** Of the server, for the report. */
  facts: Readonly<Record<string, string>>;
  schedule: Schedule;
  seed: number;
  /** Whether `--resume` can measure what is left. */
  canResume: boolean;
  signal: AbortSignal;
}

/** The result of the measurement, as an exit code: prints the figures and why it ended, and sends the records. */
export async function conclude(concluding: Concluding, recorder: Recorder, failure: Error | null): Promise<number> {
  const { options, schedule, seed } = concluding;
  const { measured, sides: measuredOn, skipped, energies, session } = recorder;
  const { source, session: compared } = schedule;
  const { lines, isReached } = source.conclude(
    measured,
    skipped.map(({ point }) => point),
  );
  const paired =
    compared === null ? [] : sessionWords(measured.map((one, at) => ({ side: measuredOn[at] ?? 'a', measured: one })));
  const conclusions = [...lines, ...paired];
  if (!options.json) {
    printPoints(recorder, schedule);
    for (const [found, energy] of energies) {
      const side = measuredOn[measured.indexOf(found)] ?? null;
      console.log(`energy of ${pointName(found.point, side)}: ${describeEnergy(found, energy)}`);
    }
    for (const line of conclusions) console.log(line);
  }
  const submissions: string[] = [];
  const print = options.json ? say : console.log;
  const onStored = ({ page, held, claim }: Stored) => {
    submissions.push(page);
    if (!options.json) console.log(`submitted: ${page}`);
    if (claim !== null) print(`claim it: ${claim}`);
    if (held !== null) say(`! ${held}`);
  };
  const isWritten = await writeFiles(concluding, recorder, conclusions);
  const ended = await end(concluding, recorder, { failure, isReached, paired, onStored });
  const exitCode = isWritten ? ended : Math.max(ended, 1);
  if (options.json) {
    const concluded = { records: session.file, seed, exitCode, conclusions, submissions };
    console.log(JSON.stringify(toJsonSummary(concluded, recorder)));
  }
  return exitCode;
}

/** How a measurement ended. */
interface Ending {
  failure: Error | null;
  /** See `PointSource.conclude`. */
  isReached: boolean;
  /** What two servers were compared to, in words. */
  paired: string[];
  onStored: (stored: Stored) => void;
}

/** Writes the files of `--records` and `--report`. Returns false where that failed: the records can still be sent. */
async function writeFiles(
  { options, facts }: Concluding,
  { measured, reports, observer, skipped }: Recorder,
  conclusions: readonly string[],
): Promise<boolean> {
  const earlier = reports.length - measured.length;
  const notes = [...new Array<string[]>(earlier).fill([]), ...measured.map(doubtsOf)];
  try {
    const remarks = [...skippedLines(skipped), ...conclusions.map((line) => line.replace(/^! /, ''))];
    await writeOutputs(options, reports, { notes, remarks, observed: { facts, samples: observer.samples } });
    return true;
  } catch (error) {
    if (!(error instanceof RecordsError)) throw error;
    say(error.message);
    return false;
  }
}

/** Prints why the measurement ended, and sends the records. Returns the exit code. */
async function end(
  { options, service, schedule, seed, canResume, signal }: Concluding,
  recorder: Recorder,
  { failure, isReached, paired, onStored }: Ending,
): Promise<number> {
  const { source } = schedule;
  const { measured, reports, skipped, session } = recorder;
  const resume = canResume ? resumeCommand(session.file, options.traffic) : null;
  const advice = adviceOf(session.file, resume);
  if (session.fault !== null) {
    say(`${session.fault.message} Stopped. The records written so far are kept; ${advice.room}`);
    return 2;
  }
  const kept = keptWords(recorder, schedule.points);
  if (signal.aborted && session.isEmpty) {
    say('Canceled before a request was measured. No records are kept.');
    return 130;
  }
  if (signal.aborted) {
    say(`Canceled: ${kept} ${advice.rest}`);
    return 130;
  }
  if (failure !== null) {
    // Without a point there is nothing to resume.
    say(reports.length === 0 ? failure.message : `${failure.message}\nStopped: ${kept} ${advice.rest}`);
    return 2;
  }
  const isStopped = !source.toleratesFailures && measured.at(-1)?.cut?.reason === 'failures';
  if (isStopped) {
    const cause = measured.slice(-1).map(({ record }) => lastFailureWithFix(record));
    const words = [kept, ...cause, ...(resume === null ? [] : [advice.rest])].join(' ');
    say(`Stopped after ${options.errorsMax} consecutive failures: ${words}`);
  }
  if (reports.length === 0 && skipped.length > 0) {
    say(
      'No point was measured: the server cannot hold any of them. Send shorter prompts, or give it a larger context.',
    );
    return 1;
  }
  if (reports.length === 0 || (measured.length > 0 && measured.every(({ summary }) => summary.by_outcome.ok === 0))) {
    say('No request succeeded.');
    return 1;
  }
  try {
    if (service !== null) await sendRecords(service, sentReports(recorder, schedule, seed, paired), onStored);
  } catch (error) {
    if (!(error instanceof SubmitError)) throw error;
    const later = resume ?? `${commandWords('submit')} ${session.file}`;
    say(`${error.message}\nThe records are kept. To submit them later: ${later}`);
    return 3;
  }
  const [first] = reports;
  if (service === null && !options.json && first !== undefined)
    say(`To submit the records: ${submitCommand(session.file, first)}`);
  if (options.find !== null || options.until !== null) return !isStopped && isReached ? 0 : 1;
  return !isStopped && measured.every(({ summary }) => summary.by_outcome.ok > 0) ? 0 : 1;
}
