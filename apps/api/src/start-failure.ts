/** A process started by this one could not start; it has written why. */
export class StartFailure extends Error {}
