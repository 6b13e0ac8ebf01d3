import { DatasetError, type DatasetFault } from '../../prompts/datasets/dataset-error.ts';

/** How to fix a file of prompts, a trace or a file of tools. Faults of records state their own fix. */
const fixes: Partial<Record<DatasetFault, string>> = {
  file_missing: 'Check the path.',
  file_unreadable: 'Name a file that you may read.',
  too_large: 'Split the file, and name one of its parts.',
  empty: 'Write one JSON object per line, a JSON list of objects, or CSV with a header line.',
  format_unknown: 'Compress the file with gzip again, or name the unpacked file.',
  json_invalid: 'Write each record as one complete JSON object, with names and texts in double quotes.',
  csv_invalid:
    'Give each line as many cells as the header. Put cells with commas, quotes or line breaks in double quotes, and double the quotes inside.',
  text_invalid: 'Save the file as UTF-8.',
};

const toSentence = (text: string) => `${text.replace(/^there is/, 'There is').replace(/\.$/, '')}.`;

/** The error of a file that the user named, with how to fix it; other errors as they are. `fix`: in place of the usual one. */
export function withFix(error: unknown, fix?: string): unknown {
  if (!(error instanceof DatasetError)) return error;
  const advice = fix ?? fixes[error.code];
  if (advice === undefined) return error;
  return new DatasetError(error.code, `${toSentence(error.message)} ${advice}`, error.place, { cause: error });
}

const faultsShown = 10;

/** Lists the faults of records, one a line, after what they mean for the file. */
export function describeFaults(what: string, faults: readonly string[], fix: string): string {
  if (faults.length === 0) return `${what}: it has no record. ${fix}`;
  const shown = faults.slice(0, faultsShown).map((fault) => `\n  ${fault}`);
  const more = faults.length > faultsShown ? `\n  and ${faults.length - faultsShown} more` : '';
  return `${what}:${shown.join('')}${more}\n${fix}`;
}
