import type { Event } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { byteLength, isDNS1123Subdomain, isQualifiedName } from '@apiserver/apimachinery/validation';

/** In bytes. */
const MAX_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 1024;
const NAMESPACE = FieldPath.of('involvedObject', 'namespace');

/**
 * Validates rules of every event. An event with eventTime is of the newer kind, which has further rules. `strict`:
 * through events.k8s.io, which names the component differently.
 * Upstream: legacyValidateEvent of pkg/apis/core/validation/events.go
 */
export function validateLegacyEvent(event: Event, strict: boolean): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  return [
    ...validateNamespace(event, namespace),
    ...(event.eventTime ? validateNewFields(event, strict ? 'reportingController' : 'reportingComponent') : []),
    ...isDNS1123Subdomain(namespace).map((fault) => fieldInvalid(FieldPath.of('namespace'), namespace, fault)),
  ];
}

/** Events about cluster-scoped objects must be in a namespace for such events. */
function validateNamespace({ involvedObject, eventTime }: Event, namespace: string): FieldError[] {
  const about = involvedObject.namespace ?? '';
  const clusterNamespaces = eventTime ? ['default', 'kube-system'] : ['', 'default'];
  const agrees = about === '' ? clusterNamespaces.includes(namespace) : Boolean(eventTime) || about === namespace;
  return agrees ? [] : [fieldInvalid(NAMESPACE, about, 'does not match event.namespace')];
}

function validateNewFields(event: Event, controllerField: string): FieldError[] {
  const { reportingComponent = '', message = '' } = event;
  const controller = FieldPath.of(controllerField);
  return [
    ...(reportingComponent === '' ? [fieldRequired(controller, '')] : []),
    ...isQualifiedName(reportingComponent).map((fault) => fieldInvalid(controller, reportingComponent, fault)),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((field) => [
      ...(event[field] ? [] : [fieldRequired(FieldPath.of(field), '')]),
      ...validateLength(event[field] ?? '', MAX_LENGTH, field),
    ]),
    ...validateLength(message, MAX_MESSAGE_LENGTH, 'message'),
  ];
}

function validateLength(text: string, max: number, field: string): FieldError[] {
  if (byteLength(text) <= max) return [];
  return [fieldInvalid(FieldPath.of(field), '', `can have at most ${max} characters`)];
}
