import { curveAxes } from '../explorer/axes.ts';
import type { Drawing } from '../explorer/drawing/drawing.ts';
import { factThatDiffers } from '../explorer/groups.ts';
import { readExplorer } from '../explorer/read.ts';
import { readState } from '../explorer/state.ts';
import type { Api } from '../lib/api.ts';

/** Systems as curves over their loads; null if fewer than two points have both metrics. */
export async function readSystemsChart(
  api: Api,
  ids: readonly string[],
): Promise<{ title: string; drawing: Drawing } | null> {
  if (ids.length === 0 || ids.length > 6) return null;
  const systems = (await Promise.all(ids.map((id) => api.getSystem(id)))).flatMap(({ data }) => data ?? []);
  if (systems.length === 0) return null;
  const by = factThatDiffers(systems);
  for (const [x, y] of curveAxes) {
    const chosen = Object.entries({ x, y, by, curves: 'systems' });
    const search = new URLSearchParams([...chosen, ...systems.map(({ id }) => ['system', id])]);
    const { view } = await readExplorer(api, readState(search));
    const points = view?.drawing?.curves.reduce((sum, curve) => sum + curve.points.length, 0) ?? 0;
    if (view !== null && view.drawing !== null && points >= 2) return { title: view.title, drawing: view.drawing };
  }
  return null;
}
