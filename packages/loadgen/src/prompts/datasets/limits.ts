/** What a data set may cost in memory and time. */
export interface DatasetLimits {
  /** Bytes of the file. Of JSON no more is read than the records need. */
  bytesMax: number;
  /** Bytes of one record of JSON; of one page of Parquet, unpacked. */
  recordBytesMax: number;
  /** Usable records that are kept, from the beginning of the file. */
  recordsMax: number;
  /** Records that are looked at, usable or not. */
  recordsReadMax: number;
}

/** Enough for ShareGPT V3 (672 MB of JSON, 94,145 conversations) and the Parquet parts of NuminaMath. */
export const defaultDatasetLimits: DatasetLimits = {
  bytesMax: 1024 ** 3,
  recordBytesMax: 16 * 1024 ** 2,
  recordsMax: 20_000,
  recordsReadMax: 200_000,
};
