/** How an engine was set up in a system. Null is not stated. */
export interface EngineSettings {
  engine: string | null;
  engineVersion: string | null;
  /** Widths by kind. */
  parallelism: object;
  /** Settings that differ from the defaults of the engine. */
  features: object;
}

/** Facts of which systems may differ because they are compared by them. */
export type Compared = 'engine' | 'engineVersion' | 'parallelism';

const isAlike = (one: unknown, other: unknown) => one == null || other == null || one === other;

function hasSameWidths(one: object, other: object): boolean {
  const widths = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([kind, width]) => isAlike(width, widths.get(kind)));
}

const keyOf = (settings: object) => JSON.stringify(Object.entries(settings).sort());

/**
 * True if two systems have the same engine version and parallelism, where both state them, and the same settings. A setting of
 * only one system is a difference, because the other has the default. Different engines have no
 * settings in common: systems compared by their engines need the same parallelism only.
 */
export function hasSameSettings(one: EngineSettings, other: EngineSettings, compared: ReadonlySet<Compared>): boolean {
  if (!compared.has('parallelism') && !hasSameWidths(one.parallelism, other.parallelism)) return false;
  if (compared.has('engine')) return true;
  if (one.engine !== other.engine) return false;
  const isVersion = compared.has('engineVersion') || isAlike(one.engineVersion, other.engineVersion);
  return isVersion && keyOf(one.features) === keyOf(other.features);
}
