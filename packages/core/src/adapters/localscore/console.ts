import type { Fault } from '../../errors.ts';
import { addFaults, maxFaults } from '../errors.ts';
import { toFileType } from '../llama-cpp/figures.ts';
import { type LlamaTable, tableFinder } from '../llama-cpp/table.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import type { LocalScoreRun, LocalScoreTest } from './test.ts';

/** All tables in order of appearance. */
export const findLocalScoreTables = tableFinder({
  program: 'LocalScore',
  required: ['test', 'run', 'avg time', 'tokens', 'pp t/s', 'tg t/s', 'ttft'],
});

/** Milliseconds of `43.65 ms` or `1.05 s`; otherwise null. */
export function parseTime(text: string): number | null {
  const found = /^([\d.,]{1,20}) (ns|us|µs|μs|ms|s)$/.exec(text.trim());
  const number = parseNumber(found?.[1] ?? '');
  if (number === null || number < 0) return null;
  return shiftDecimal(number, { s: 3, ms: 0, us: -3, µs: -3, μs: -3, ns: -6 }[found?.[2] ?? ''] ?? 0);
}

/** Rows of a table as tests. A row of an unfinished run (`520 / 1040` tokens) is an error. */
export function readLocalScoreRows(table: LlamaTable, faults: Fault[]): LocalScoreTest[] {
  const tests: LocalScoreTest[] = [];
  for (const { from, to, cells } of table.rows) {
    if (faults.length >= maxFaults) break;
    const cell = (column: string) => cells.get(column) ?? '';
    const name = /^pp(\d{1,9})\+tg(\d{1,9})$/.exec(cell('test'));
    const done = /^(\d{1,9}) \/ (\d{1,9})$/.exec(cell('tokens'));
    const read: [string, number | null][] = [
      ['test', name === null ? null : 1],
      ['tokens', done !== null && done[1] === done[2] ? 1 : null],
      ['avg time', parseTime(cell('avg time'))],
      ['pp t/s', parseNumber(cell('pp t/s'))],
      ['tg t/s', parseNumber(cell('tg t/s'))],
      ['ttft', parseTime(cell('ttft'))],
    ];
    const broken = read.filter(([, value]) => value === null || value < 0);
    addFaults(
      faults,
      broken.map(([column]) => ({
        code: 'cell_unreadable',
        line: from,
        message: `"${cell(column).slice(0, 60)}" in column ${column} is not readable.`,
      })),
    );
    if (broken.length > 0 || name === null) continue;
    const [, , whole, prompt, generated, ttft] = read.map(([, value]) => value);
    tests.push({
      from,
      to,
      promptTokens: Number(name[1]),
      generatedTokens: Number(name[2]),
      promptTokS: prompt ?? null,
      generatedTokS: generated ?? null,
      ttftMs: ttft ?? null,
      wholeMs: whole ?? null,
      powerW: null,
      promptSd: null,
      generatedSd: null,
    });
  }
  return tests;
}

/** Texts of the box above a table: the GPU, then the model type. */
function readBox(artifact: ArtifactText, from: number): string[] {
  const texts: string[] = [];
  for (let line = from - 1; line > Math.max(0, from - 8); line--) {
    const text = artifact.lineAt(line).trim();
    if (/^\+-+\+$/.test(text)) {
      if (texts.length > 0) break;
      continue;
    }
    const found = /^\|\s*([^|]{1,200}?)\s*\|$/.exec(text)?.[1];
    if (found === undefined) break;
    texts.unshift(found);
  }
  return texts;
}

/** Number of lines after a table that may contain the score. */
const trailerLines = 12;

/** The context of a table: the box above it and the score below. */
export function readLocalScoreContext(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
): LocalScoreRun {
  const [gpu, type, ...others] = readBox(artifact, table.from);
  // On a machine without a GPU, this is the name of the processor.
  const isGpu = gpu !== undefined && type !== undefined && others.length === 0;
  let score: number | null = null;
  for (let line = table.to + 1; line <= Math.min(free.to, table.to + trailerLines); line++)
    score ??= parseNumber(/^\s*LocalScore:\s{1,20}(\S{1,20})\s*$/.exec(artifact.lineAt(line))?.[1] ?? '');
  return {
    system: isGpu
      ? {
          gpu: { value: gpu, origin: 'inferred' },
          quantization: toFileType(type),
          engine: { value: 'llamafile', origin: 'inferred' },
        }
      : { engine: { value: 'llamafile', origin: 'inferred' } },
    measuredAt: null,
    extra: {
      ...(isGpu ? { printed_model: type } : {}),
      ...(score === null ? {} : { performance_score: score }),
    },
  };
}
