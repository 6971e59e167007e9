import { quote } from '@apiserver/apimachinery/text';
import { isQualifiedName } from '@apiserver/apimachinery/validation';
import type { AnnotationLevel, Exchange } from '@apiserver/apiserver-contracts';

/** An annotation of the audit event, logged at its level and above. */
export interface AdmissionAnnotation {
  readonly level: AnnotationLevel;
  readonly value: string;
}

/** The key in `RequestContext.values` of a Map: the annotations of admission plugins by key, for the audit log. */
export const ADMISSION_ANNOTATIONS: symbol = Symbol.for('@apiserver/endpoints-installer.admissionAnnotations');

/**
 * Adds an annotation of a plugin to a request. Returns the reason if it is not added.
 * Upstream: AddAnnotationWithLevel of k8s.io/apiserver/pkg/admission/attributes.go
 */
export function addAnnotation(exchange: Exchange, key: string, annotation: AdmissionAnnotation): string | undefined {
  const fault = keyFault(key);
  if (fault !== undefined) return fault;
  const annotations = annotationsOf(exchange);
  const old = annotations.get(key);
  if (old !== undefined && (old.level !== annotation.level || old.value !== annotation.value)) {
    const values = `old value: ${textOf(old)}, new value: ${textOf(annotation)}`;
    return `admission annotations are not allowd to be overwritten, key:${quote(key)}, ${values}`;
  }
  annotations.set(key, annotation);
  return undefined;
}

const EXAMPLE = "'podsecuritypolicy.admission.k8s.io/admit-policy'";

function keyFault(key: string): string | undefined {
  if (key.split('/').length !== 2) {
    return (
      'annotation key has invalid format, the right format is a DNS subdomain prefix and ' +
      `'/' and key name. (e.g. ${EXAMPLE})`
    );
  }
  const faults = isQualifiedName(key);
  if (faults.length === 0) return undefined;
  return `annotation key has invalid format ${faults.join(',')}. A qualified name like ${EXAMPLE} is required.`;
}

function textOf({ level, value }: AdmissionAnnotation): string {
  return `{${level} ${value}}`;
}

function annotationsOf({ context: { values } }: Exchange): Map<string, AdmissionAnnotation> {
  const present = values.get(ADMISSION_ANNOTATIONS);
  if (present instanceof Map) return present;
  const annotations = new Map<string, AdmissionAnnotation>();
  values.set(ADMISSION_ANNOTATIONS, annotations);
  return annotations;
}
