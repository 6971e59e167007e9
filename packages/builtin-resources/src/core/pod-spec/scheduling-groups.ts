import type { PodSchedulingGroup, PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';

/** The places of pod specs, in pods and in the kinds that make them. */
interface WithPodSpec {
  readonly spec?: PodSpec | { readonly template?: PodTemplateSpec; readonly jobTemplate?: JobTemplate };
  readonly template?: PodTemplateSpec;
}

interface JobTemplate {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/**
 * The strategy of a kind with pods that keeps their groups. Without it, strategies drop the field, because its feature is
 * off by default.
 * Upstream: dropDisabledSchedulingGroup of pkg/api/pod/util.go
 */
export function keepingSchedulingGroups<T extends KubeObject>(strategy: Strategy<T>): Strategy<T> {
  return {
    ...strategy,
    prepareForCreate(context, object) {
      const group = podSpecOf(object)?.schedulingGroup;
      const prepared = strategy.prepareForCreate?.(context, object);
      restore(object, group);
      return prepared;
    },
    prepareForUpdate(context, object, old) {
      const group = podSpecOf(object)?.schedulingGroup;
      const prepared = strategy.prepareForUpdate?.(context, object, old);
      restore(object, group);
      const { generation } = old.metadata;
      const isCounted = generation === undefined || object.metadata.generation !== generation;
      if (!isCounted && !equalJson(group ?? null, podSpecOf(old)?.schedulingGroup ?? null)) {
        object.metadata.generation = generation + 1;
      }
      return prepared;
    },
  };
}

function restore(object: KubeObject, group: PodSchedulingGroup | undefined): void {
  const spec = podSpecOf(object);
  if (spec !== undefined && group !== undefined) spec.schedulingGroup = group;
}

function podSpecOf({ spec, template }: KubeObject & WithPodSpec): PodSpec | undefined {
  if (spec === undefined) return template?.spec;
  if ('containers' in spec) return spec;
  return (spec.template ?? spec.jobTemplate?.spec?.template)?.spec;
}

/** A group has a name, which need not exist. */
export function validateSchedulingGroup({ podGroupName }: PodSchedulingGroup, path: FieldPath): FieldError[] {
  const at = path.child('podGroupName');
  if (podGroupName === undefined) return [fieldRequired(at, '')];
  return nameIsDNSSubdomain(podGroupName, false).map((fault) => fieldInvalid(at, podGroupName, fault));
}
