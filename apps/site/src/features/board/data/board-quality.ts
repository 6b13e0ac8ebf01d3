import type { Api, Evaluation } from '../../../lib/api.ts';
import {
  detailOf,
  isBaseline,
  nameOf,
  type QualityCell,
  supported,
  toQualityCell,
} from '../../catalogue/data/catalogue-quality.ts';
import type { BoardView } from './board-view.ts';

/** Evaluations of the rows of a quantization board, by the task that most rows have. */
export interface BoardQuality {
  title: string;
  detail: string;
  better: string;
  /** One for each row, in order. */
  cells: (QualityCell | null)[];
}

const keyOf = ({ model, quantization }: Pick<Evaluation['system'], 'model' | 'quantization'>) =>
  JSON.stringify([nameOf(model), nameOf(quantization)]);

/** Null for other boards, and if no row was evaluated. */
export async function readBoardQuality(api: Api, board: BoardView | null): Promise<BoardQuality | null> {
  if (board === null || board.subject !== 'quantization' || board.rows.length === 0) return null;
  const models = [...new Set(board.entries.flatMap(({ system }) => system.model.id ?? []))].slice(0, 50);
  if (models.length === 0) return null;
  const { data } = await api.listQuality({ model: models, limit: ['200'] });
  const evaluations = data?.data ?? [];
  const rows = new Set(board.entries.map(({ system }) => keyOf(system)));
  const shared = Map.groupBy(
    evaluations.filter(({ system }) => rows.has(keyOf(system))),
    ({ workload }) => workload,
  );
  const covers = (list: readonly Evaluation[]) => new Set(list.map(({ system }) => keyOf(system))).size;
  // If several tasks cover as many rows, use the one with the smallest standard error.
  const error = (list: readonly Evaluation[]) => Math.max(...list.map((one) => one.standard_error ?? 1));
  const [workload] = [...shared].toSorted(([, a], [, b]) => covers(b) - covers(a) || error(a) - error(b))[0] ?? [];
  const ofTask = evaluations.filter((one) => one.workload === workload);
  const [first] = ofTask;
  if (first === undefined) return null;
  return {
    title: first.task,
    detail: detailOf(first),
    better: `${first.better} is better`,
    cells: board.entries.map(({ system }) => {
      const base = supported(
        ofTask.filter((one) => nameOf(one.system.model) === nameOf(system.model) && isBaseline(one.system)),
      );
      return toQualityCell(
        ofTask.filter((one) => keyOf(one.system) === keyOf(system)),
        base,
      );
    }),
  };
}
