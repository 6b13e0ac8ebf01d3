import { type Adapter, noRemarks } from '../../adapter.ts';
import { type ReadOne, readEach } from '../tables/read-each.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { findAt } from '../text/by-line.ts';
import { type JsonRecord, toClaims, within } from './json-records.ts';

/** Readers of a tool that prints a block for each run and also writes a record of it. */
interface BlocksAndRecords<B> {
  id: string;
  /** The tool's own name. */
  name: string;
  /** All blocks. `isOurs` excludes blocks of other tools, which still end the log before a block. */
  findBlocks(artifact: ArtifactText): B[];
  isOurs?(block: B): boolean;
  readBlock(artifact: ArtifactText, block: B): ReadOne;
  findRecords(artifact: ArtifactText): JsonRecord[];
  readRecord(record: JsonRecord): ReadOne;
}

/** The `detect` and `read` methods of an adapter for such a tool. */
export function blocksAndRecords<B extends { from: number; to: number }>(
  tool: BlocksAndRecords<B>,
): Pick<Adapter, 'detect' | 'read'> {
  const { id, isOurs = () => true } = tool;
  return {
    detect: (artifact) => [
      ...toClaims(id, tool.findRecords(artifact)),
      ...tool
        .findBlocks(artifact)
        .filter(isOurs)
        .map(({ from, to }) => ({ adapter: id, from, to })),
    ],
    read: (artifact, claim) => {
      const { found } = findAt(tool.findBlocks(artifact), claim.from);
      const read =
        found === null
          ? readEach(within(tool.findRecords(artifact), claim), claim.from, tool.readRecord)
          : readEach([found], claim.from, (block) => tool.readBlock(artifact, block));
      return { tool: { name: tool.name, version: null }, ...read, ...noRemarks };
    },
  };
}
