import type { Fault } from '../errors.ts';
import { formatLoad, type Load, unspecifiedLoad } from '../load.ts';
import type { Parameters } from './parameters.ts';

/**
 * The load of a result: what the artifact tells, what the caller adds where it does not, else `unspecified`, which ranks
 * wherever the load is not asked for.
 */
export function resolveLoad(found: Load | null, given: Parameters): { load: Load; faults: Fault[] } {
  const { load_mode: mode, load_level: level } = given;
  if (mode === undefined && level === undefined) return { load: found ?? unspecifiedLoad, faults: [] };
  if (mode === undefined || level === undefined) {
    const parameter = mode === undefined ? 'load_mode' : 'load_level';
    const message = 'load_mode and load_level say something only together.';
    return {
      load: found ?? unspecifiedLoad,
      faults: [
        { code: 'parameter_missing', parameter, message, hint: 'For instance load_mode=concurrency&load_level=32.' },
      ],
    };
  }
  if (mode !== 'rate' && !Number.isInteger(level)) {
    const message = `load_level=${level} must be a whole number with load_mode=${mode}.`;
    return {
      load: found ?? unspecifiedLoad,
      faults: [{ code: 'parameter_invalid', parameter: 'load_level', message }],
    };
  }
  if (found === null) return { load: { mode, level }, faults: [] };
  if (found.mode === mode && found.level === level) return { load: found, faults: [] };
  // Everything was handed over at the start: no other loop fits such a run.
  if (found.mode === 'unspecified' && (mode === 'batch' || mode === 'burst'))
    return { load: { mode, level, regime: found.regime ?? null }, faults: [] };
  return {
    load: found,
    faults: [
      {
        code: 'facts_contradict',
        parameter: 'load_mode',
        message: `${formatLoad({ mode, level })} was given, but the artifact says ${found.mode === 'unspecified' ? 'an offline run' : formatLoad(found)}.`,
        hint: "Leave load_mode and load_level away to use the artifact's word.",
      },
    ],
  };
}
