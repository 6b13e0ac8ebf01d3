/** What a managed result can be believed for: we measured its figures, and take its hardware on trust. */
export const measuredByUs = 'Measured by Inferboard; hardware as its owner states.';
