import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { commandWords } from '../view/command-words.ts';
import { unpackRequest } from './packed-request.ts';
import { RecordsError, toRecordsError } from './records-error.ts';

/** What a measurement was started with. */
export interface SessionHeader {
  /** Its command line; keys are in the environment and never on it. */
  args: string[];
  model: string;
  seed: number;
  /** The process that measures, as `markOf` names it; null where that is unknown. */
  process?: { pid: number; mark: string } | null;
}

/** What is known of a measurement from its journal. */
export interface JournalContent {
  header: SessionHeader;
  /** Keys of points that are finished, and of those that ended early, in the order of their lines in the file of records. */
  lines: { key: string; isDone: boolean }[];
  /** Bytes of the file of records that these lines take. */
  bytes: number;
  /** The point that was being measured, its report without requests, and the requests that ended. */
  current: { key: string; report: Record<string, unknown>; requests: unknown[] } | null;
}

/** The journal is next to the file of records while a measurement is unfinished. */
export const journalOf = (file: string): string => `${file}.journal`;

type Entry = {
  session?: SessionHeader;
  point?: string;
  report?: Record<string, unknown>;
  request?: unknown;
  line?: string;
  done?: boolean;
  bytes?: number;
};

/** The entries of a journal. Its last line may be torn: the process died while it was written. */
function readEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      entries.push(JSON.parse(line) as Entry);
    } catch {
      break;
    }
  }
  return entries;
}

/** Whether a file begins with the report of a point. @throws RecordsError if it cannot be read */
function hasRecords(file: string): boolean {
  const start = Buffer.alloc(64);
  try {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, start);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RecordsError(`There is no file ${file}.`);
    throw toRecordsError(file, error);
  }
  return start.toString().startsWith('{"schema":"inferboard/');
}

/** Reads the journal of a file of records. @throws RecordsError where there is none */
export function readJournal(file: string): JournalContent {
  let text: string;
  try {
    text = readFileSync(journalOf(file), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && !hasRecords(file))
      throw new RecordsError(`${file} is not a file of records of a measurement.`);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RecordsError(
        `${file} has no journal (${journalOf(file)}): the measurement is complete. Submit it with: ${commandWords('submit')} ${file}`,
      );
    throw toRecordsError(journalOf(file), error);
  }
  const entries = readEntries(text);
  const header = entries[0]?.session;
  if (header === undefined) throw new RecordsError(`${journalOf(file)} is not a journal of a measurement.`);
  const content: JournalContent = { header, lines: [], bytes: 0, current: null };
  for (const { line, done, bytes, point, report, request } of entries.slice(1)) {
    if (line !== undefined) {
      content.lines.push({ key: line, isDone: done === true });
      content.bytes = bytes ?? 0;
      content.current = null;
    } else if (point !== undefined && report !== undefined) content.current = { key: point, report, requests: [] };
    else if (request !== undefined) content.current?.requests.push(unpackRequest(request));
  }
  return content;
}
