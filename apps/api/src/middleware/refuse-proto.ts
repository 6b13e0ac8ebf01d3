import { DomainError } from '@inferboard/core/errors';
import type { MiddlewareHandler } from 'hono';

const name = '__proto__';

/** A schema that takes names of the reader's own drops this one without a word: it is refused like any unknown parameter. */
export const refuseProto: MiddlewareHandler = async (c, next) => {
  if (Object.hasOwn(c.req.queries(), name)) {
    const message = `"${name}" is not a parameter here.`;
    throw new DomainError('request_invalid', 'The query is not valid.', [
      { code: 'parameter_unknown', parameter: name, message },
    ]);
  }
  await next();
};
