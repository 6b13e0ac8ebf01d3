import type { Registry } from 'prom-client';
import type { Figures, ToMember, ToPrimary } from './messages.ts';

const send = (message: ToPrimary) => process.send?.(message);

/**
 * The metrics of this process in Prometheus' text format; with several processes, those of all. If the first process cannot
 * collect them in time, only those of this process.
 */
export function createFigures(registry: Registry, isOneOfSeveral: boolean): () => Promise<string> {
  if (!isOneOfSeveral) return () => registry.metrics();
  const waiting = new Map<number, (text: string | null) => void>();
  let last = 0;
  process.on('message', async (message: ToMember) => {
    if (message.type === 'figures_asked') {
      const figures = (await registry.getMetricsAsJSON()) as Figures;
      send({ type: 'figures', id: message.id, figures });
    } else if (message.type === 'figures_of_all') {
      waiting.get(message.id)?.(message.text);
      waiting.delete(message.id);
    }
  });
  return async () => {
    last += 1;
    const id = last;
    const answered = new Promise<string | null>((resolve) => waiting.set(id, resolve));
    send({ type: 'figures_of_all_asked', id });
    return (await answered) ?? registry.metrics();
  };
}
