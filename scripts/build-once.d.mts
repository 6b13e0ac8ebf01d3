/** Builds what changed; nothing happens if all is current. Throws an error with the output of a build that failed. */
export function buildOnce(): Promise<void>;
