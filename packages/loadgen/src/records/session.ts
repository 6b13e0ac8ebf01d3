import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AppendFile, openAppendFile } from './append-file.ts';
import { journalOf, readJournal, type SessionHeader } from './journal.ts';
import { RecordsError, toRecordsError } from './records-error.ts';
import { thisProcess } from './running-process.ts';

/** The records of a measurement on disk. No method throws: the first failure is kept, and ends the measurement. */
export interface Session {
  readonly file: string;
  /** Why records could not be written; null while all is well. */
  readonly fault: RecordsError | null;
  /** True of a new session that has no request yet: its files are removed when it is closed. */
  readonly isEmpty: boolean;
  /** A point begins: its report without requests, for the case that the process dies. */
  begin(key: string, report: Record<string, unknown>): void;
  /** Requests that ended. */
  add(requests: readonly unknown[]): void;
  /** Adds a point's report to the file of records. One that ended early is measured again on resuming. */
  finish(key: string, report: string, isDone: boolean): void;
  /** Forgets the requests of the present point: the server cannot hold it. */
  skip(): void;
  /** Closes the files; the journal stays while something is left to do. */
  close(isComplete: boolean): void;
}

/** Where a session begins, and what to do once records cannot be written. */
export interface SessionOptions {
  file: string;
  header: SessionHeader;
  /** The lines that the file has already. */
  lines?: readonly { key: string; isDone: boolean; bytes: number }[];
  onFault: () => void;
}

/**
 * Requests are written together, up to this many characters or ms, because each write takes time from the measuring thread if both
 * share a core.
 */
const pendingCharsMax = 65_536;
const pendingMs = 100;

const lineOf = (entry: unknown) => `${JSON.stringify(entry)}\n`;

/** Whether a journal has requests of a point that was not finished, such as the first point of a process that was killed. */
const hasUnfinished = (file: string) =>
  existsSync(journalOf(file)) && (readJournal(file).current?.requests.length ?? 0) > 0;

function hasRecords(file: string): boolean {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return (found?.isFile() === true && found.size > 0) || hasUnfinished(file);
  } catch (error) {
    throw toRecordsError(file, error);
  }
}

/** Why a new measurement cannot have this file of records: it has some. Null if it has none. */
export const recordsFault = (file: string): string | null =>
  hasRecords(file) ? `${file} has records already. Name another file, or continue it with --resume ${file}.` : null;

function openRecords(file: string, isResumed: boolean): AppendFile {
  const fault = isResumed ? null : recordsFault(file);
  if (fault !== null) throw new RecordsError(fault);
  return openAppendFile(file);
}

/** A new journal, whole before it takes the place of another. */
function openJournal({ file, header, lines = [] }: SessionOptions): AppendFile {
  const path = journalOf(file);
  const fresh = `${path}.new`;
  const entries = [
    { session: { ...header, process: thisProcess() } },
    ...lines.map(({ key, isDone, bytes }) => ({ line: key, done: isDone, bytes })),
  ];
  try {
    writeFileSync(fresh, entries.map(lineOf).join(''), { mode: 0o600, flush: true });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw toRecordsError(path, error);
  }
  return openAppendFile(path, 0o600);
}

/**
 * Opens the file of records of a measurement, one report a line, and its journal. The journal has each request within
 * `pendingMs` of its record, so that a process that is killed loses at most the last ones.
 *
 * @throws RecordsError where they cannot be written, or the file has records that are not of this session
 */
export function openSession(options: SessionOptions): Session {
  const records = openRecords(options.file, options.lines !== undefined);
  let journal: AppendFile | null;
  try {
    journal = records.isRegular ? openJournal(options) : null;
  } catch (error) {
    records.close();
    throw error;
  }
  /** Of the journal without the requests of the present point. */
  let headLength = journal?.length() ?? 0;
  let fault: RecordsError | null = null;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof RecordsError)) throw error;
      if (fault === null) options.onFault();
      fault ??= error;
    }
  };
  let hasRequests = false;
  const isEmpty = () =>
    options.lines === undefined && journal !== null && !hasRequests && fault === null && records.length() === 0;
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = pending;
    pending = '';
    if (fault === null && text !== '') attempt(() => journal?.append(text));
  };
  return {
    file: options.file,
    get fault() {
      return fault;
    },
    get isEmpty() {
      return isEmpty();
    },
    begin: (key, report) => attempt(() => journal?.append(lineOf({ point: key, report }))),
    add: (requests) => {
      if (fault !== null || journal === null) return;
      hasRequests ||= requests.length > 0;
      for (const request of requests) pending += lineOf({ request });
      if (pending.length >= pendingCharsMax) flush();
      else timer ??= setTimeout(flush, pendingMs);
    },
    finish: (key, report, isDone) => {
      // The journal has all requests if the report cannot be written.
      flush();
      attempt(() => {
        records.append(report);
        records.sync();
        journal?.cut(headLength);
        journal?.append(lineOf({ line: key, done: isDone, bytes: records.length() }));
        journal?.sync();
        headLength = journal?.length() ?? 0;
      });
    },
    skip: () => {
      flush();
      attempt(() => journal?.cut(headLength));
      hasRequests = false;
    },
    close: (isComplete) => {
      flush();
      const isUnused = isEmpty();
      records.close();
      journal?.close();
      if (journal !== null && (isUnused || (isComplete && fault === null)))
        rmSync(journalOf(options.file), { force: true });
      if (isUnused) rmSync(options.file, { force: true });
    },
  };
}
