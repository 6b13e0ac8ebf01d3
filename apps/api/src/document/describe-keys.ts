interface Described {
  description?: string;
  security?: Record<string, string[]>[];
}

/** The `security` of an operation that needs no key if the operator opened registration, and otherwise a key with this scope. */
export const keyUnlessOpen = (scope: string): Record<string, string[]>[] => [{ key: [scope] }, {}];

/** The `security` of an operation that accepts another credential, in its body, in place of a key. Its description states which. */
export const keyOrBody: Record<string, string[]>[] = [{ key: [] }, {}];

/** Whether an operation also accepts requests without a key: if the operator opened registration, or with a credential in the body. */
export const acceptsNoKey = (security: Record<string, string[]>[]): boolean =>
  security.some((scheme) => Object.keys(scheme).length === 0);

/** Whether an operation accepts requests without a key only if the operator opened registration. */
export const isOpenWithRegistration = (security: Record<string, string[]>[]): boolean =>
  acceptsNoKey(security) && security.some((scheme) => Object.values(scheme).some((scopes) => scopes.length > 0));

/** The key or role that an operation needs, in words; null if it needs none. */
function keyNeeded({ security }: Described): string | null {
  if (security === undefined || security.length === 0) return null;
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat());
  const unless = isOpenWithRegistration(security) ? ', unless registration is open' : '';
  if (scopes.length === 0) return acceptsNoKey(security) ? null : 'Requires a key with any scope.';
  return `Requires a key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' and ')}${unless}.`;
}

/** Adds the required key to the description of every operation: viewers show `security` without its scopes. */
export function describeKeys<D extends { paths?: Record<string, object> | undefined }>(document: D): D {
  const operations = Object.values(document.paths ?? {}).flatMap((path): Described[] => Object.values(path));
  for (const operation of operations) {
    // Set explicitly for public operations too: without the list the document is ambiguous.
    operation.security ??= [];
    const needed = keyNeeded(operation);
    if (needed !== null) operation.description = [needed, operation.description].filter(Boolean).join(' ');
  }
  return document;
}
