import type { ResponseHead } from './http-response.ts';

/** By this header of each answer an endpoint says that no model made them. */
export const simulatedHeader = 'Inferboard-Simulated';

const name = simulatedHeader.toLowerCase();

/** True where an answer says that it was made up. */
export const isSimulated = ({ headers }: Pick<ResponseHead, 'headers'>): boolean => headers[name] !== undefined;
