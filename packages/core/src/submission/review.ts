import {
  catalogueKey,
  findGpu,
  findModel,
  findModelFamily,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '../catalogue/index.ts';
import { isWaived } from '../catalogue/names/normalise.ts';
import type { Finding } from '../checks/check.ts';
import type { Fault } from '../errors.ts';
import type { CatalogueRef, FamilyRef, System } from '../subjects/system.ts';

/**
 * An admin's decisions about held results: approve them unchanged, map unknown names to the catalogue and check again, or
 * keep them held.
 */
export const reviewDecisions = ['clear', 'map', 'keep'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

/** Facts whose unknown names an admin may map. */
export const mappableFacts = ['gpu', 'model', 'quantization', 'engine'] as const;
export type MappableFact = (typeof mappableFacts)[number];

/** `from`: the name as written; `to`: its meaning, by the catalogue's name. */
export type Mapping = Partial<Record<MappableFact, { from: string; to: string }>>;

const titles: Record<MappableFact, string> = {
  gpu: 'GPU',
  model: 'model',
  quantization: 'quantization',
  engine: 'engine',
};

interface Target {
  /** The catalogue's name; null if there is none. */
  to: string | null;
  suggestions: readonly string[];
  /** Other facts in the text, which would be lost. */
  more?: string;
}

const resolvers: Record<MappableFact, (text: string) => Target> = {
  gpu: (text) => {
    const { id, family, count, suggestions } = resolveGpu(text);
    return { to: id ?? family, suggestions, ...(count === null ? {} : { more: 'a count' }) };
  },
  model: (text) => {
    const { id, family, quantization, suggestions } = resolveModel(text);
    const members = family === null ? [] : (findModelFamily(family)?.members ?? []);
    const near = [...suggestions, ...members].slice(0, 3);
    return { to: id, suggestions: near, ...(quantization === null ? {} : { more: 'a quantization' }) };
  },
  quantization: (text) => {
    const { id, recipe, suggestions } = resolveQuantization(text);
    return { to: id !== null && recipe.length > 0 ? text : id, suggestions };
  },
  engine: (text) => {
    const { id, version, suggestions } = resolveEngine(text);
    return { to: id, suggestions, ...(version === null ? {} : { more: 'a version' }) };
  },
};

/**
 * Resolves an admin's text to the catalogue's name: an id, a family of GPUs, or a quantization with its recipe. Returns the
 * reason if it cannot.
 */
export function resolveTarget(fact: MappableFact, text: string): { to: string } | { fault: Fault } {
  const { to, suggestions, more } = resolvers[fact](text);
  const shown = text.slice(0, 100);
  const pointer = `/${fact}`;
  if (to !== null && more === undefined) return { to };
  if (to !== null) {
    const message = `${fact} "${shown}" contains ${more}, which is another fact and would be dropped.`;
    return { fault: { code: 'value_invalid', pointer, message, hint: `Write "${to}".` } };
  }
  const hint =
    suggestions.length === 0
      ? `GET /v1/catalogue/${fact}s lists the known values.`
      : `Did you mean ${suggestions.join(', ')}?`;
  return {
    fault: { code: 'value_unknown', pointer, message: `The catalogue has no ${titles[fact]} "${shown}".`, hint },
  };
}

/** Returns a fact's name if the catalogue does not know it; null if it does, or if nothing was claimed. */
export function unknownName(ref: CatalogueRef & { family?: string | null }): string | null {
  return ref.id === null && (ref.family ?? null) === null && !isWaived(ref.name) ? ref.name : null;
}

/**
 * Resolves the mapped names of a system to the catalogue's entries; the names stay as written. A quantization that depends
 * on the model or the GPU's vendor ("original", "fp4") is resolved again.
 */
export function applyMapping(system: System, mapping: Mapping): System {
  const targetOf = (fact: MappableFact) => {
    const renamed = mapping[fact];
    return renamed !== undefined && catalogueKey(renamed.from) === catalogueKey(system[fact].name) ? renamed.to : null;
  };
  const mapped = (fact: 'gpu' | 'model', resolve: (text: string) => Omit<FamilyRef, 'name'>): FamilyRef => {
    const to = targetOf(fact);
    if (to === null) return system[fact];
    const { id, family } = resolve(to);
    return { id, name: system[fact].name, family };
  };
  const gpu = mapped('gpu', resolveGpu);
  const model = mapped('model', resolveModel);
  const knownModel = model.id === null ? null : findModel(model.id);
  const vendor = gpu.id === null ? null : (findGpu(gpu.id)?.vendor ?? null);
  const { name } = system.quantization;
  const { id, recipe } = resolveQuantization(targetOf('quantization') ?? name, knownModel, vendor);
  const engine = targetOf('engine');
  return {
    ...{ ...system, gpu, model, quantization: { id, name, recipe } },
    engine: engine === null ? system.engine : { ...system.engine, id: resolveEngine(engine).id },
  };
}

/** Builds the finding about an admin's review: the decision and its reason. */
export function reviewedFinding(review: {
  id: string;
  decision: ReviewDecision;
  note: string;
  mapping: Mapping | null;
}): Finding {
  const { id, decision, note, mapping } = review;
  const renamed = mappableFacts.flatMap((fact) => {
    const of = mapping?.[fact];
    return of === undefined ? [] : [`the ${titles[fact]} "${of.from}" to ${of.to}`];
  });
  const done = decision === 'map' ? `mapped ${renamed.join(' and ')}` : 'cleared it as it is';
  return {
    code: 'reviewed',
    severity: 'info',
    message: `An admin reviewed this result and ${done}: ${note.trim().replace(/\s+/gu, ' ')}`,
    evidence: { review: id, decision, ...mapping },
  };
}
