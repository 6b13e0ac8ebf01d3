/**
 * Closed list of what can be wrong with a data set.
 *
 * - `file_missing`, `file_unreadable`, `fetch_failed`: its bytes are not to be had
 * - `too_large`: more bytes, or a longer record, than the limits allow
 * - `empty`, `format_unknown`: no data, or neither JSON, JSONL nor Parquet
 * - `json_invalid`, `csv_invalid`, `text_invalid`, `parquet_invalid`: a damaged file, or one cut off
 * - `columns_missing`: a Parquet file of something else
 * - `no_usable_records`: whole, but with nothing that could be asked
 */
export const datasetFaults = [
  'file_missing',
  'file_unreadable',
  'fetch_failed',
  'too_large',
  'empty',
  'format_unknown',
  'json_invalid',
  'csv_invalid',
  'text_invalid',
  'parquet_invalid',
  'columns_missing',
  'no_usable_records',
] as const;
export type DatasetFault = (typeof datasetFaults)[number];

/** Where in a data set: numbers from 1. */
export interface DatasetPlace {
  record?: number;
  line?: number;
}

/** A data set that cannot be used, and why; `message` names it. */
export class DatasetError extends Error {
  readonly code: DatasetFault;
  readonly place: DatasetPlace;

  constructor(code: DatasetFault, message: string, place: DatasetPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatasetError';
    this.code = code;
    this.place = place;
  }
}
