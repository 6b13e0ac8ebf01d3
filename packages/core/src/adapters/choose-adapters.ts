import { DomainError, type Fault } from '../errors.ts';
import { nearestOrLonger } from '../text/nearest.ts';
import type { Adapter } from './adapter.ts';

/**
 * The adapters to try: all of them, or the one named by `tool=`.
 *
 * @throws DomainError `request_invalid` if no adapter has that name
 */
export function chooseAdapters(all: readonly Adapter[], tool: string | undefined): readonly Adapter[] {
  if (tool === undefined) return all;
  const chosen = all.filter((adapter) => adapter.id === tool);
  if (chosen.length > 0) return chosen;
  const meant = nearestOrLonger(
    tool,
    all.map((adapter) => adapter.id),
  );
  const message = `Unknown tool "${tool.slice(0, 80)}".`;
  const fault: Fault = {
    code: 'tool_unknown',
    parameter: 'tool',
    message,
    hint: `${meant === null ? 'GET /v1/catalogue/tools lists the tools.' : `Did you mean "${meant}"?`} Omit it to detect the tool.`,
  };
  throw new DomainError('request_invalid', message, [fault]);
}
