import type { ArtifactText } from './artifact-text.ts';

/** A search that is made once for each artifact: every claim asks for all that was found. */
export function remembered<T>(find: (artifact: ArtifactText) => T): (artifact: ArtifactText) => T {
  return (artifact) => {
    if (!artifact.found.has(find)) artifact.found.set(find, find(artifact));
    return artifact.found.get(find) as T; // set by this very search
  };
}
