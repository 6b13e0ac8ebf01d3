interface Described {
  description?: string;
  security?: Record<string, string[]>[];
}

/** What of a key an operation needs, in words; null where it needs none. */
function keyNeeded({ security }: Described): string | null {
  if (security === undefined) return null;
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat());
  if (scopes.length === 0) return 'Needs a key, of whatever scope.';
  return `Needs a key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`;
}

/** Says in the description of every operation which key it needs: viewers show `security` without its scopes. */
export function tellKeys<D extends { paths?: Record<string, object> | undefined }>(document: D): D {
  const operations = Object.values(document.paths ?? {}).flatMap((path): Described[] => Object.values(path));
  for (const operation of operations) {
    const needed = keyNeeded(operation);
    if (needed !== null) operation.description = [needed, operation.description].filter(Boolean).join(' ');
  }
  return document;
}
