/** What is to be watched cannot be, in words for the person at the keyboard. */
export class ProbeError extends Error {}
