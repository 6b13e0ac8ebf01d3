import { formatWithUnit } from '@inferboard/core/format/figure';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SaidEntry, systemText } from '../asking/sentences.ts';

/** The parts of a response that the text uses. */
interface Answer {
  interpretation: {
    rank_by: string;
    phrases: readonly { text: string; became: string; note: string | null }[];
    ignored: readonly string[];
  };
  data: readonly SaidEntry[];
  unit: string;
  says: string | null;
  workload: { id: string } | null;
  links: { page: string };
  fit?: {
    rows: readonly { model_name: string; quantization_name: string; fits: boolean | null; arithmetic: string }[];
  };
  comparison?: { page: string | null };
}

/** Maximum number of entries, and of rows that fit, in a text. */
const [entriesMax, rowsMax] = [5, 8];

const lineOf = (name: string, text: string) => `${`${name}:`.padEnd(12)}${text.replace(/\s+/gu, ' ').trim()}\n`;

/** A response as text: what was understood and ignored, the result, its first entries, and the link. */
export function textOfAnswer(answer: Answer): string {
  const { interpretation, data, unit, says, workload, links, fit, comparison } = answer;
  const understood = interpretation.phrases.map(
    ({ text, became, note }) => `"${text}" ${became}${note === null ? '' : ` (${note})`}`,
  );
  const entries = data
    .slice(0, entriesMax)
    .map(({ value, system, load }, at) =>
      lineOf(`  ${at + 1}`, `${formatWithUnit(value, unit)}  ${systemText(system)}, ${formatLoad(load)}`),
    );
  const rows = (fit?.rows ?? [])
    .slice(0, rowsMax)
    .map(({ model_name, quantization_name, fits, arithmetic }) =>
      lineOf(fits === false ? '  too big' : '  fits', `${model_name} in ${quantization_name}: ${arithmetic}`),
    );
  const ranked = `${interpretation.rank_by}${workload === null ? '' : ` in ${workload.id}`}`;
  return [
    ...(understood.length === 0 ? [] : [lineOf('Understood', understood.join('; '))]),
    ...(interpretation.ignored.length === 0 ? [] : [lineOf('Ignored', interpretation.ignored.join('; '))]),
    lineOf('Answer', says ?? (data.length === 0 ? 'No stored result matches.' : `Ranked by ${ranked}.`)),
    ...rows,
    ...(entries.length === 0 ? [] : [lineOf('Measured', ranked)]),
    ...entries,
    lineOf('Link', comparison?.page ?? links.page),
  ].join('');
}
