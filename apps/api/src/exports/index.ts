import { csv } from './csv.ts';
import type { ExportFormat } from './format.ts';
import { jsonl } from './jsonl.ts';
import { parquet } from './parquet.ts';

/** The registry of all export formats. */
export const exportFormats: readonly ExportFormat[] = [csv, jsonl, parquet];
