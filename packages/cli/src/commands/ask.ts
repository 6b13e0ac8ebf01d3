import { formatFigure } from '@inferboard/core/format/figure';
import { findMetric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { commandWords } from '@inferboard/loadgen/view/command-words';
import { readOptions } from '../options.ts';
import { createService } from '../service.ts';
import { chooseService } from '../settings.ts';
import { formatTable } from '../table.ts';
import { exitCodes, Failure, type World } from '../world.ts';

interface Named {
  name: string;
}

/** What the client reads of an answer to a question. */
interface Best {
  interpretation: {
    rank_by: string;
    phrases: { text: string; became: string; note: string | null }[];
    ignored: string[];
  };
  /** The answer in a sentence; null of rankings. */
  says: string | null;
  comparison?: { page: string | null };
  /** What memory holds, computed from the catalogue. */
  fit?: {
    count: number;
    rows: { model_name: string; quantization: string; total_gb: number; fits: boolean | null; arithmetic: string }[];
  };
  workload: { id: string } | null;
  data: {
    rank: number | null;
    value: number;
    statistics: { n: number | null; ci95: [number, number] | null };
    system: { model: Named; quantization: Named; gpu: Named; gpu_count: number | null; engine: Named };
    load: Parameters<typeof formatLoad>[0];
    trust: string;
  }[];
  links: { page: string };
}

/** How the question was read, and what of it was passed over. */
function printReading(world: World, { interpretation: { phrases, ignored } }: Best): void {
  const read = phrases.map(({ text, became, note }) => `"${text}" ${became}${note === null ? '' : ` (${note})`}`);
  if (read.length > 0) world.print(`Parsed as: ${read.join('; ')}`);
  if (ignored.length > 0) world.print(`Ignored:   ${ignored.join('; ')}`);
}

/** What fits, as a table with the arithmetic of each row. */
function printFit(world: World, { count, rows }: NonNullable<Best['fit']>, limit: number): void {
  const shown = rows.slice(0, limit);
  const cells = shown.map(({ model_name: model, quantization, total_gb: total, fits, arithmetic }) => [
    ...[
      fits === null ? null : fits ? 'yes' : 'no',
      `${Number(total.toPrecision(3))} GB`,
      model,
      quantization,
      arithmetic,
    ],
  ]);
  world.print(formatTable(['fits', 'needs', 'model', 'quantization', 'how'], cells, ['needs']));
  if (count > shown.length) world.print(`and ${count - shown.length} more`);
}

const nameOf = ({ name }: Named): string | null => (name === 'unspecified' || name === 'n/a' ? null : name);

const rowsUsual = 20;

/** The rows to print. @throws Failure on a value that is no number of rows */
function readLimit(text: string | undefined): number {
  if (text === undefined) return rowsUsual;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Failure(exitCodes.usage, `--limit must be a whole number from 1 to 999999, not "${text}".`);
}

/** `inferboard ask "..."`: the answer to a question as a table. */
export async function ask(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args, { limit: 'text' });
  if (options.words.length === 0)
    throw new Failure(
      exitCodes.usage,
      `Ask something, such as: ${commandWords('ask')} "best model under 20ms ITL on H100"`,
    );
  const limit = readLimit(options.texts.limit);
  const service = createService(await chooseService(world, options));
  const answer = await service.get<Best>('/v1/best', { q: options.words.join(' ') });
  if (options.json) {
    world.print(JSON.stringify(answer));
    return exitCodes.ok;
  }
  const metric = answer.interpretation.rank_by;
  const unit = findMetric(metric)?.family.unit ?? '';
  const rows = answer.data.slice(0, limit).map(({ rank, value, statistics, system, load, trust }) => {
    const figure = formatFigure(value, unit, { ci95: statistics.ci95 });
    const count = system.gpu_count !== null && system.gpu_count > 1 ? `${system.gpu_count}x ` : '';
    const gpu = nameOf(system.gpu);
    return [
      ...[rank === null ? null : String(rank), figure && `${figure.number} ${figure.unit}`.trimEnd()],
      ...[figure?.interval ?? null, statistics.n === null ? null : String(statistics.n)],
      ...[nameOf(system.model), nameOf(system.quantization), gpu === null ? null : `${count}${gpu}`],
      ...[nameOf(system.engine), formatLoad(load), trust.replaceAll('_', ' ')],
    ];
  });
  const headings = ['rank', metric, '95 %', 'n', 'model', 'quantization', 'gpu', 'engine', 'load', 'trust'];
  printReading(world, answer);
  if (answer.says !== null) world.print(answer.says);
  if (answer.fit !== undefined) printFit(world, answer.fit, limit);
  if (rows.length === 0 && answer.says === null) world.print('No stored result matches.');
  if (rows.length > 0) world.print(formatTable(headings, rows, ['rank', metric, 'n']));
  const left = answer.data.length - rows.length;
  if (left > 0) world.print(`and ${left} more`);
  if (answer.workload !== null && rows.length > 0) world.print(`Workload:  ${answer.workload.id}`);
  world.print(`Link:      ${answer.comparison?.page ?? answer.links.page}`);
  return exitCodes.ok;
}
