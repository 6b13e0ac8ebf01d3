import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { DatasetError } from '../../prompts/datasets/dataset-error.ts';
import type { TrafficFile } from '../unit.ts';
import { withFix } from './file-error.ts';

/** Tool definitions, and the file that they are from. */
export interface ToolsFile {
  tools: readonly object[];
  file: TrafficFile;
}

const bytesMax = 4 * 1024 * 1024;
const ToolSchema = z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string().min(1) }) });

const toolFaults: ReadonlySet<string> = new Set(['json_invalid', 'no_usable_records']);
const toolFix = 'Write a list, such as [{"type": "function", "function": {"name": "weather", "parameters": {}}}].';

/**
 * Reads a JSON list of tool definitions as the OpenAI API has them.
 *
 * @throws DatasetError that lists each definition that is not one
 */
export function readTools(path: string): Promise<ToolsFile> {
  return readToolsFile(path).catch((error: unknown) => {
    throw withFix(error, error instanceof DatasetError && toolFaults.has(error.code) ? toolFix : undefined);
  });
}

async function readToolsFile(path: string): Promise<ToolsFile> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new DatasetError('file_missing', `${path} cannot be read`, {}, { cause: error });
  });
  if (bytes.length > bytesMax) throw new DatasetError('too_large', `${path} has more than ${bytesMax} bytes`);
  let tools: unknown;
  try {
    tools = JSON.parse(bytes.toString());
  } catch (error) {
    const why = error instanceof Error ? ` (${error.message})` : '';
    throw new DatasetError('json_invalid', `${path} is not JSON${why}`, {}, { cause: error });
  }
  if (!Array.isArray(tools) || tools.length === 0)
    throw new DatasetError('no_usable_records', `${path} is not a list with tool definitions`);
  const faults = tools.flatMap((tool, at) => (ToolSchema.safeParse(tool).success ? [] : [at + 1]));
  if (faults.length > 0)
    throw new DatasetError(
      'no_usable_records',
      `${path}: these entries of the list are not definitions of tools: ${faults.slice(0, 10).join(', ')}`,
    );
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    tools,
    file: {
      name: basename(path)
        .replace(/[^\p{L}\p{N}._-]+/gu, '-')
        .slice(-100),
      sha256,
      records: tools.length,
    },
  };
}
