/** True if no process reads a file of this name. */
export function isUnread(name: string): boolean;

/** Removes what no process reads from a `node_modules` folder. */
export function prune(modules: string): void;
