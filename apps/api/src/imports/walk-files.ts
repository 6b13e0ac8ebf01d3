import { opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { PublicationError } from './import-item.ts';

/** Folders that belong to tools. */
const passedOver = new Set(['.git', 'node_modules']);

/**
 * Paths of all files below a folder, sorted, with / as separator.
 *
 * @throws PublicationError if the folder does not exist
 */
export async function walkFiles(dir: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !passedOver.has(entry.name)) await visit(path);
      else if (entry.isFile()) files.push(relative(dir, path).split(sep).join('/'));
    }
  };
  try {
    await visit(dir);
  } catch (error) {
    throw new PublicationError(`${dir} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return files.sort();
}
