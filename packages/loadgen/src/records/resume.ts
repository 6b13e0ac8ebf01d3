import { appendFileSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { commandWords } from '../view/command-words.ts';
import { type JournalContent, journalOf, readJournal, type SessionHeader } from './journal.ts';
import { toRecordsError } from './records-error.ts';
import { checkEnded } from './running-process.ts';

/** A measurement that can be resumed. */
export interface Resumed {
  file: string;
  header: SessionHeader;
  /** The finished points: keys, and their lines of the file. */
  lines: { key: string; isDone: true; bytes: number; report: string }[];
  /** Requests of points that are measured again, kept in `keptIn`. */
  kept: number;
  keptIn: string;
  /** Leaves the finished points alone in the file, and moves the others: right before it is opened for going on. */
  prepare(): void;
  /**
   * Ends a measurement that cannot continue: every point stays in the file, the requests of the unfinished one move to `keptIn`, and
   * the journal is removed. Returns what is kept, in sentences. @throws RecordsError if the disk is full
   */
  end(): string;
}

type Report = { results?: { requests?: unknown[]; generator?: { cut_short?: { reason: string } } }[] };

/** Whether a report is of a point that was measured to its planned end. */
const isWhole = (report: Report) => {
  const cut = report.results?.[0]?.generator?.cut_short;
  return cut === undefined || cut.reason === 'time_limit';
};

function parse(line: string): Report | null {
  try {
    return JSON.parse(line) as Report;
  } catch {
    return null;
  }
}

/** The report of a point whose process died, with the requests that its journal has. */
function diedReport({ report, requests }: NonNullable<JournalContent['current']>): string {
  const [result] = report.results as Record<string, unknown>[];
  return `${JSON.stringify({ ...report, results: [{ ...result, requests }] })}\n`;
}

/** The lines of a file, each with its key. One that the journal does not know yet is of the point that it has last. */
function readLines(text: string, { lines, current }: JournalContent) {
  return text.split('\n').flatMap((line, place) => {
    const report = line === '' ? null : parse(line);
    const key = lines[place]?.key ?? (place === lines.length ? current?.key : undefined);
    if (report === null || key === undefined) return [];
    const isDone = lines[place]?.isDone ?? isWhole(report);
    return [{ key, isDone, text: `${line}\n`, requests: report.results?.[0]?.requests?.length ?? 0 }];
  });
}

/**
 * Reads the state of a measurement to resume it: complete points are kept, a torn line is removed, and the results of
 * points that ended early move to another file in the same folder, because they are measured again.
 *
 * @throws RecordsError where the file has no journal, cannot be written, or is still measured
 */
export function resumeSession(file: string): Resumed {
  const journal = readJournal(file);
  checkEnded(file, journal.header);
  const keptIn = `${file}.partial.jsonl`;
  try {
    const lines = readLines(readFileSync(file, 'utf8'), journal);
    const firstEarly = lines.findIndex(({ isDone }) => !isDone);
    const whole = firstEarly < 0 ? lines : lines.slice(0, firstEarly);
    const again = lines.slice(whole.length);
    const { current } = journal;
    const isWritten = current === null || lines.length > journal.lines.length;
    const died = isWritten || current.requests.length === 0 ? null : current;
    const kept = again.reduce((sum, { requests }) => sum + requests, 0) + (died?.requests.length ?? 0);
    const partial = again.map(({ text }) => text).join('') + (died === null ? '' : diedReport(died));
    let bytes = 0;
    const done = whole.map(({ key, text }) => {
      bytes += Buffer.byteLength(text);
      return { key, isDone: true as const, bytes, report: text };
    });
    const prepare = () => {
      if (partial !== '') appendFileSync(keptIn, partial, { flush: true });
      truncateSync(file, bytes);
    };
    const end = () => {
      const unfinished = died?.requests.length ?? 0;
      try {
        if (died !== null) appendFileSync(keptIn, diedReport(died), { flush: true });
        truncateSync(file, Buffer.byteLength(lines.map(({ text }) => text).join('')));
        rmSync(journalOf(file), { force: true });
      } catch (error) {
        throw toRecordsError(keptIn, error);
      }
      return [
        ...(lines.length === 0
          ? []
          : [`The measured points are kept. To submit them: ${commandWords('submit')} ${file}`]),
        ...(unfinished === 0 ? [] : [`The ${unfinished} requests of the unfinished point are kept in ${keptIn}.`]),
      ].join('\n');
    };
    return { file, header: journal.header, lines: done, kept, keptIn, prepare, end };
  } catch (error) {
    throw toRecordsError(file, error);
  }
}

/** What a resumed measurement has already, in a sentence or two. */
export function describeResumed({ lines, kept, keptIn }: Resumed, points: number): string {
  const done = `${lines.length} of ${points} points are already measured.`;
  return kept === 0
    ? done
    : `${done} The unfinished point is measured again; its ${kept} requests are kept in ${keptIn}.`;
}
