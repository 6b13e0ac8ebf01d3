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
import { isWaived } from '../catalogue/normalise.ts';
import type { Finding } from '../checks/check.ts';
import type { Fault } from '../errors.ts';
import type { CatalogueRef, FamilyRef, System } from '../system.ts';

/**
 * What an admin may decide about results that are held back: let them onto the boards as they are, give unknown names
 * the catalogue's meaning and judge anew, or leave them where they are.
 */
export const reviewDecisions = ['clear', 'map', 'keep'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

/** Facts whose unknown names an admin may map. */
export const mappableFacts = ['gpu', 'model', 'quantization', 'engine'] as const;
export type MappableFact = (typeof mappableFacts)[number];

/** `from`: the name as it was written; `to`: what it means, in the catalogue's words. */
export type Mapping = Partial<Record<MappableFact, { from: string; to: string }>>;

const titles: Record<MappableFact, string> = {
  gpu: 'GPU',
  model: 'model',
  quantization: 'quantization',
  engine: 'engine',
};

interface Target {
  /** The catalogue's word; null where it has none. */
  to: string | null;
  suggestions: readonly string[];
  /** What else the words say, which would be dropped. */
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

/** The catalogue's word for what an admin wrote: an id, a family of GPUs, a quantization with its recipe; or why not. */
export function resolveTarget(fact: MappableFact, text: string): { to: string } | { fault: Fault } {
  const { to, suggestions, more } = resolvers[fact](text);
  const shown = text.slice(0, 100);
  const pointer = `/${fact}`;
  if (to !== null && more === undefined) return { to };
  if (to !== null) {
    const message = `${fact} "${shown}" holds ${more}, which is another fact and would be dropped.`;
    return { fault: { code: 'value_invalid', pointer, message, hint: `Write "${to}".` } };
  }
  const hint =
    suggestions.length === 0
      ? `GET /v1/catalogue/${fact}s lists what is known.`
      : `Did you mean ${suggestions.join(', ')}?`;
  return {
    fault: { code: 'value_unknown', pointer, message: `The catalogue has no ${titles[fact]} "${shown}".`, hint },
  };
}

/** The name of a fact that the catalogue does not know; null where it does, or nothing was claimed. */
export function unknownName(ref: CatalogueRef & { family?: string | null }): string | null {
  return ref.id === null && (ref.family ?? null) === null && !isWaived(ref.name) ? ref.name : null;
}

/**
 * The system with its mapped names understood as the catalogue's entries; the names themselves stay as written. A
 * quantization that depends on the model or the GPU's vendor ("original", "fp4") is read again.
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

/** Tells readers of a result that an admin looked, what they decided, and why. */
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
    message: `An admin looked at this result and ${done}: ${note.trim().replace(/\s+/gu, ' ')}`,
    evidence: { review: id, decision, ...mapping },
  };
}
