/** A child process could not start; it has printed the reason. */
export class StartFailure extends Error {}
