import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';

const SUFFIX = '.static.k8s.io';
const NAME = FieldPath.of('metadata', 'name');

/**
 * Reserves names for configurations in files: with the feature, no object of such a name is created; without it, the
 * client gets a warning. Updates always warn.
 * Upstream: pkg/apis/admissionregistration/validation/static_suffix.go and its uses in
 * pkg/registry/admissionregistration
 */
export function withStaticNames<T extends KubeObject>(strategy: Strategy<T>, features: FeatureGates): Strategy<T> {
  const isReserved = features.enabled('ManifestBasedAdmissionControlConfig');
  return {
    ...strategy,
    warningsOnUpdate: (_context, object) => staticNameWarnings(object),
    ...(isReserved
      ? { validate: (context, object) => [...strategy.validate(context, object), ...validateName(object)] }
      : { warningsOnCreate: (_context, object) => staticNameWarnings(object) }),
  };
}

function staticNameWarnings({ metadata: { name = '' } }: KubeObject): readonly string[] {
  return name.endsWith(SUFFIX) ? [`metadata.name: ${reservedText()}`] : [];
}

function validateName({ metadata: { name = '' } }: KubeObject): readonly FieldError[] {
  return name.endsWith(SUFFIX) ? [fieldInvalid(NAME, name, reservedText())] : [];
}

function reservedText(): string {
  const what = 'reserved for static manifest-based configurations and cannot be managed via the API';
  return `names ending with ${quote(SUFFIX)} are ${what}`;
}
