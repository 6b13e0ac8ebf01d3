/** Options that cannot be used, with every fault. */
export class OptionsError extends Error {}
