/** The trust statement of a managed result: we measured its figures, but did not verify its hardware. */
export const measuredByUs = 'Measured by Inferboard; hardware as stated by its owner.';
