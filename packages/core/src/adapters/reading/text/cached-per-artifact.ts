import type { ArtifactText } from './artifact-text.ts';

/** Caches a search per artifact, because every claim needs all results of the search. */
export function cachedPerArtifact<T>(find: (artifact: ArtifactText) => T): (artifact: ArtifactText) => T {
  return (artifact) => {
    if (!artifact.found.has(find)) artifact.found.set(find, find(artifact));
    return artifact.found.get(find) as T; // this search set the value
  };
}
