import { csv } from './csv.ts';
import type { ExportFormat } from './format.ts';
import { jsonl } from './jsonl.ts';
import { parquet } from './parquet.ts';

/** The registry: every form in which a list leaves as a file. */
export const exportFormats: readonly ExportFormat[] = [csv, jsonl, parquet];
