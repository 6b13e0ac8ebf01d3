import { z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { isId } from '../../http/is-id.ts';

export const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the submission.', example: 'sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});

export function notFound(id: string): DomainError {
  return new DomainError(
    'not_found',
    isId('sub', id) ? `There is no submission ${id}.` : 'This is not the id of a submission.',
  );
}
