import { formatFigure } from '@inferboard/core/format/figure';
import { formatLoad } from '@inferboard/core/load';
import { findMetric } from '@inferboard/core/metrics/index';
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
  interpretation: { rank_by: string };
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

const nameOf = ({ name }: Named): string | null => (name === 'unspecified' || name === 'n/a' ? null : name);

/** `inferboard ask "..."`: the answer to a question as a table. */
export async function ask(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args, { limit: 'text' });
  if (options.words.length === 0)
    throw new Failure(exitCodes.usage, 'Ask something, such as: inferboard ask "best model under 20ms ITL on H100"');
  const service = createService(await chooseService(world, options));
  const answer = await service.get<Best>('/v1/best', { q: options.words.join(' ') });
  if (options.json) {
    world.print(JSON.stringify(answer));
    return exitCodes.ok;
  }
  const metric = answer.interpretation.rank_by;
  const unit = findMetric(metric)?.family.unit ?? '';
  const limit = Number(options.texts.limit ?? 20);
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
  if (rows.length === 0) world.print('Nothing stored meets this.');
  else world.print(formatTable(headings, rows, ['rank', metric, 'n']));
  const left = answer.data.length - rows.length;
  if (left > 0) world.print(`and ${left} more`);
  if (answer.workload !== null) world.print(`Workload:  ${answer.workload.id}`);
  world.print(`Link:      ${answer.links.page}`);
  return exitCodes.ok;
}
