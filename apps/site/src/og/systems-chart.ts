import type { Drawing } from '../explorer/drawing.ts';
import { readExplorer } from '../explorer/read.ts';
import { type ColourFact, readState } from '../explorer/state.ts';
import type { Api, SystemDetail } from '../lib/api.ts';
import { engineText, gpuText, quantizationText, systemTitle } from '../lib/words.ts';

const facts: readonly [ColourFact, (system: SystemDetail) => string | null][] = [
  ['gpu', gpuText],
  ['model', systemTitle],
  ['quantization', quantizationText],
  ['engine', engineText],
];

/** The fact in which the most of the systems differ. */
function factThatDiffers(systems: readonly SystemDetail[]): ColourFact {
  const kinds = facts.map(([fact, textOf]) => ({ fact, count: new Set(systems.map(textOf)).size }));
  return kinds.toSorted((a, b) => b.count - a.count)[0]?.fact ?? 'gpu';
}

/** Axes in the order of preference: the first on which the systems have two points. */
const axes: readonly (readonly [x: string, y: string])[] = [
  ['user_tok_s', 'output_tok_s_per_gpu'],
  ['user_tok_s', 'output_tok_s'],
  ['itl_ms_mean', 'output_tok_s'],
  ['user_tok_s', 'ttft_ms_mean'],
  ['itl_ms_mean', 'ttft_ms_mean'],
];

/** Systems as curves over their loads; null where no curve can be drawn: fewer than two points have both figures. */
export async function readSystemsChart(
  api: Api,
  ids: readonly string[],
): Promise<{ title: string; drawing: Drawing } | null> {
  if (ids.length === 0 || ids.length > 6) return null;
  const systems = (await Promise.all(ids.map((id) => api.getSystem(id)))).flatMap(({ data }) => data ?? []);
  if (systems.length === 0) return null;
  const by = factThatDiffers(systems);
  for (const [x, y] of axes) {
    const chosen = Object.entries({ x, y, by, curves: 'systems' });
    const search = new URLSearchParams([...chosen, ...systems.map(({ id }) => ['system', id])]);
    const { view } = await readExplorer(api, readState(search));
    const points = view?.drawing?.curves.reduce((sum, curve) => sum + curve.points.length, 0) ?? 0;
    if (view !== null && view.drawing !== null && points >= 2) return { title: view.title, drawing: view.drawing };
  }
  return null;
}
