import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toRecordsError } from '../records/records-error.ts';
import { htmlReport, type ReportExtras } from './html-report.ts';
import { readRecordedPoints } from './recorded-point.ts';
import { recordsCsv } from './records-csv.ts';

/** Files that are wanted; null where none is. */
export interface Outputs {
  recordsCsv: string | null;
  report: string | null;
}

async function write(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw toRecordsError(file, error);
  }
}

/** Writes what is made from the reports of points. @throws RecordsError where a file cannot be written */
export async function writeOutputs(outputs: Outputs, reports: readonly string[], extras: ReportExtras): Promise<void> {
  const { recordsCsv: csv, report } = outputs;
  if ((csv === null && report === null) || reports.length === 0) return;
  const points = readRecordedPoints(reports);
  if (csv !== null) await write(csv, () => pipeline(Readable.from(recordsCsv(points)), createWriteStream(csv)));
  if (report !== null) await write(report, () => writeFile(report, htmlReport(points, extras)));
}
