import type { Namespace } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { validateFinalizerName, validateNamespaceName } from '@apiserver/apimachinery/validation';
import {
  validateBuiltInObjectMeta,
  validateBuiltInObjectMetaUpdate,
  validateFinalizerIsKnown,
} from '@apiserver/resource-kit';

const FINALIZERS = FieldPath.of('spec', 'finalizers');
/** Upper case, as upstream. */
const PHASE = FieldPath.of('status', 'Phase');

/** Upstream: ValidateNamespace of pkg/apis/core/validation/validation.go */
export function validateNamespace(namespace: Namespace): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(namespace.metadata, { namespaced: false, validateName: validateNamespaceName }),
    ...(namespace.spec.finalizers ?? []).flatMap((name) => validateSpecFinalizer(name, FINALIZERS)),
  ];
}

/** Upstream: ValidateNamespace and ValidateNamespaceUpdate, one after the other */
export function validateNamespaceUpdate(namespace: Namespace, old: Namespace): readonly FieldError[] {
  return [...validateNamespace(namespace), ...validateBuiltInObjectMetaUpdate(namespace.metadata, old.metadata)];
}

/** The deletion determines the phase. Upstream: ValidateNamespaceStatusUpdate */
export function validateNamespaceStatusUpdate(namespace: Namespace, old: Namespace): readonly FieldError[] {
  const errors = validateBuiltInObjectMetaUpdate(namespace.metadata, old.metadata);
  const deleting = Boolean(namespace.metadata.deletionTimestamp);
  const { phase = '' } = namespace.status;
  if (deleting && phase !== 'Terminating') {
    errors.push(
      fieldInvalid(PHASE, printedAsJson(phase), "may only be 'Terminating' if `deletionTimestamp` is not empty"),
    );
  }
  if (!deleting && phase !== 'Active') {
    errors.push(fieldInvalid(PHASE, printedAsJson(phase), "may only be 'Active' if `deletionTimestamp` is empty"));
  }
  return errors;
}

/** Upstream: ValidateNamespaceFinalizeUpdate */
export function validateNamespaceFinalizeUpdate(namespace: Namespace, old: Namespace): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(namespace.metadata, old.metadata),
    ...(namespace.spec.finalizers ?? []).flatMap((name, i) => validateSpecFinalizer(name, FINALIZERS.index(i))),
  ];
}

function validateSpecFinalizer(name: string, path: FieldPath): FieldError[] {
  return [...validateFinalizerName(name, path), ...validateFinalizerIsKnown(name, path)];
}
