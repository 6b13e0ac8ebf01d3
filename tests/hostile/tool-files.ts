import { readdirSync, readFileSync } from 'node:fs';
import { parameterShape } from '../../packages/core/src/submission/parameters.ts';
import { operationsOf } from '../contract-fuzz/document.ts';
import { readDocument, textFieldsOf } from './text-fields.ts';

const folder = new URL('../../packages/core/fixtures/', import.meta.url);

const document = readDocument();
const boards = /^(?:getLeaderboard|getMatrix|compareSystems|getBest)$/;

/** Query and form parameters whose text appears on pages, with names from the document and the pages. */
export const paperTrail = {
  /** Text parameters of boards, matrices and comparisons. URLs can also have text in place of numbers and enum values. */
  parameters: [
    ...new Set(
      operationsOf(document)
        .filter(({ operationId }) => boards.test(operationId))
        .flatMap((operation) => textFieldsOf(operation, document))
        .filter(({ place, name }) => place === 'query' && name !== 'q')
        .map(({ name }) => name),
    ),
    ...['gpu_count', 'load_mode', 'rank_by', 'order', 'limit', 'min_output_tok_s', 'include', 'trust'],
    // Read only by pages, or not at all.
    ...['x', 'rows', 'columns', 'metric', 'view', '<script>xss(90)</script>'],
  ],
  facts: Object.keys(parameterShape),
};

interface Recorded {
  results?: { system: Record<string, { value?: unknown } | null>; scenario: Record<string, unknown> }[];
  tool?: { version: string | null };
}

const harmful = '"><img src=x onerror=xss(91)><script>xss(92)</script>';

/** The texts that the adapter reads from a file: names, versions, data sets. */
function takenFrom({ results = [], tool }: Recorded): string[] {
  const values = results
    .slice(0, 1)
    .flatMap(({ system, scenario }) => [
      ...Object.values(system).map((fact) => fact?.value),
      scenario.dataset,
      scenario.name,
    ]);
  return [...values, tool?.version].filter((value): value is string => typeof value === 'string' && value.length > 3);
}

/**
 * A file of each tool with hostile names: a hostile text follows each text that the adapter reads, encoded as the format
 * requires.
 */
export function toolFiles(): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const files = readdirSync(new URL(`${name}/`, folder)).filter(
        (file) => !file.includes('.refused.') && !file.endsWith('.expected.json'),
      );
      const changed = files.flatMap((file) => {
        const recording = new URL(`${name}/${file.replace(/\.[^.]+$/, '')}.expected.json`, folder);
        const artifact = readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
        try {
          const taken = takenFrom(JSON.parse(readFileSync(recording, 'utf8')) as Recorded);
          const written = /json/.test(file) ? JSON.stringify(harmful).slice(1, -1) : harmful;
          const hostile = taken.reduce((text, value) => text.replaceAll(value, `${value}${written}`), artifact);
          return hostile === artifact || hostile.length > 500_000 ? [] : [hostile];
        } catch {
          return [];
        }
      });
      return changed.slice(0, 1);
    });
}
