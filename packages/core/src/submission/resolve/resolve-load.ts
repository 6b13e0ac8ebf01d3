import type { ReaderNote } from '../../adapters/adapter.ts';
import type { Fault } from '../../errors.ts';
import { formatLoad, type Load, unspecifiedLoad } from '../../subjects/load.ts';
import type { Parameters } from '../parameters.ts';

/**
 * Resolves the load of a result: the artifact's, else the caller's, else `unspecified`, which ranks only without a load
 * filter.
 */
export function resolveLoad(found: Load | null, given: Parameters): { load: Load; faults: Fault[] } {
  const { load_mode: mode, load_level: level } = given;
  if (mode === undefined && level === undefined) return { load: found ?? unspecifiedLoad, faults: [] };
  if (mode === undefined || level === undefined) {
    const parameter = mode === undefined ? 'load_mode' : 'load_level';
    const message = 'load_mode and load_level must be given together.';
    return {
      load: found ?? unspecifiedLoad,
      faults: [
        { code: 'parameter_missing', parameter, message, hint: 'For example, load_mode=concurrency&load_level=32.' },
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
  // All requests were submitted at the start, so no other loop is possible.
  if (found.mode === 'unspecified' && (mode === 'batch' || mode === 'burst'))
    return { load: { mode, level, regime: found.regime ?? null }, faults: [] };
  return {
    load: found,
    faults: [
      {
        code: 'facts_contradict',
        parameter: 'load_mode',
        message: `${formatLoad({ mode, level })} was given, but the artifact has ${found.mode === 'unspecified' ? 'an offline run' : formatLoad(found)}.`,
        hint: 'Omit load_mode and load_level to use the values in the artifact.',
      },
    ],
  };
}

/** The notes of a reader. `load_unknown` names its fix, and is omitted if the caller stated the load. */
export function loadNotes(notes: readonly ReaderNote[], load: Load): ReaderNote[] {
  const isKnown = load.mode !== 'unspecified';
  return notes
    .filter(({ code }) => code !== 'load_unknown' || !isKnown)
    .map((note) =>
      note.code === 'load_unknown'
        ? { ...note, message: `${note.message} Add load_mode and load_level: load_mode=concurrency&load_level=32.` }
        : note,
    );
}
