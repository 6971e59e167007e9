import type { PodSchedulingGroup } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';

/** A group has a name, which need not exist. */
export function validateSchedulingGroup({ podGroupName }: PodSchedulingGroup, path: FieldPath): FieldError[] {
  const at = path.child('podGroupName');
  if (podGroupName === undefined) return [fieldRequired(at, '')];
  return nameIsDNSSubdomain(podGroupName).map((fault) => fieldInvalid(at, podGroupName, fault));
}
