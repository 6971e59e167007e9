import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isInRange } from '@apiserver/apimachinery/validation';

const MAX_ID = 2 ** 31 - 1;

/** Validates a Unix user or group ID; it may be absent. Upstream: IsValidUserID and IsValidGroupID */
export function validateUserId(id: number | bigint | undefined, path: FieldPath): FieldError[] {
  if (id === undefined) return [];
  return isInRange(Number(id), 0, MAX_ID).map((fault) => fieldInvalid(path, id, fault));
}
