import type { ResponseHead } from './http-response.ts';

/** With this header of each response an endpoint states that no model created them. */
export const simulatedHeader = 'Inferboard-Simulated';

const name = simulatedHeader.toLowerCase();

/** True if a response states that it is simulated. */
export const isSimulated = ({ headers }: Pick<ResponseHead, 'headers'>): boolean => headers[name] !== undefined;
