import type { KubeObject } from '@apiserver/apimachinery';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AnnotationLevel,
  Exchange,
  ValidateObject,
  ValidateObjectUpdate,
} from '@apiserver/apiserver-contracts';
import { admitManagedFields } from '../managed-fields/admitted-managed-fields.js';
import { isDryRun } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { passedTrace } from '../scope/passed-trace.js';
import { noteWait } from '../scope/request-waits.js';
import { addAnnotation } from './admission-annotations.js';

/** The constant part of a request's attributes, for all calls of admission. */
export interface AdmissionRequest {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  readonly operation: AdmissionOperation;
  readonly namespace: string;
  /** "" on create with generateName, and for collections. */
  readonly name: string;
  readonly options: { readonly dryRun?: readonly string[]; readonly fieldManager?: string };
  /** The end of the write's time, in milliseconds since the epoch. Default: that of the request. */
  readonly deadline?: number;
}

/** Mutating admission: plugins may change `object`. Does nothing if no plugin handles the operation. */
export function admit(
  request: AdmissionRequest,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const { admission } = request.scope.environment;
  if (!admission.handles(request.operation, request.scope)) return;
  const attributes = attributesOf(request, object, oldObject);
  if (object === undefined) return admission.admit(attributes);
  return admitManagedFields(object, request.exchange.context.warnings, () => admission.admit(attributes));
}

/** Both phases for a connection: its options are the object. */
export async function admitConnection(request: AdmissionRequest, options: KubeObject): Promise<void> {
  const { admission } = request.scope.environment;
  if (!admission.handles(request.operation, request.scope)) return;
  await admission.admit(attributesOf(request, options, undefined));
  await validate(request, options, undefined);
}

/** Validating admission as a callback for the store, which calls it with the object to create. */
export function createValidation(request: AdmissionRequest): ValidateObject<KubeObject> {
  return (object) => validate(request, object, undefined);
}

/** As `createValidation`, for updates. */
export function updateValidation(request: AdmissionRequest): ValidateObjectUpdate<KubeObject> {
  return (object, old) => validate(request, object, old);
}

/** Both phases for a delete: the store calls them with the object to delete. */
export function deleteValidation(request: AdmissionRequest): ValidateObject<KubeObject> {
  return async (old) => {
    await admit(request, undefined, old);
    await validate(request, undefined, old);
  };
}

function validate(
  request: AdmissionRequest,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const { admission } = request.scope.environment;
  if (!admission.handles(request.operation, request.scope)) return;
  return admission.validate(attributesOf(named(request, object), object, oldObject));
}

/** A generated name is known in the validating phase. Upstream: AdmissionToValidateObjectFunc */
function named(request: AdmissionRequest, object: KubeObject | undefined): AdmissionRequest {
  return request.name === '' && object?.metadata.name ? { ...request, name: object.metadata.name } : request;
}

function attributesOf(
  request: AdmissionRequest,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): AdmissionAttributes {
  return new RequestAttributes(request, object, oldObject);
}

/** A class, because an object literal would define its getters again for each object. */
class RequestAttributes implements AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly kind: AdmissionAttributes['kind'];
  readonly resource: AdmissionAttributes['resource'];
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly options: AdmissionAttributes['options'];
  readonly dryRun: boolean;
  readonly user: AdmissionAttributes['user'];
  readonly warnings: AdmissionAttributes['warnings'];
  readonly span: AdmissionAttributes['span'];
  readonly scope: EndpointScope;
  reinvocation: AdmissionAttributes['reinvocation'];
  readonly #exchange: Exchange;
  readonly #deadline: number | undefined;

  constructor(request: AdmissionRequest, object: KubeObject | undefined, oldObject: KubeObject | undefined) {
    const { scope, exchange, options } = request;
    this.operation = request.operation;
    this.kind = scope.kind;
    this.resource = scope.resource;
    this.subresource = scope.subresource;
    this.namespace = request.namespace;
    this.name = request.name;
    this.object = object;
    this.oldObject = oldObject;
    this.options = { ...options };
    this.dryRun = isDryRun(options);
    this.user = exchange.context.user;
    this.warnings = exchange.context.warnings;
    this.span = exchange.context.span;
    this.scope = scope;
    this.reinvocation = undefined;
    this.#exchange = exchange;
    this.#deadline = request.deadline;
  }

  webhookTook(phase: 'mutating' | 'validating', milliseconds: number): void {
    noteWait(this.#exchange.context, `${phase}Webhooks`, milliseconds);
  }

  get passedTrace(): AdmissionAttributes['passedTrace'] {
    return passedTrace(this.#exchange.request.headers);
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get deadline(): number | undefined {
    const { deadline } = this.#exchange.context;
    if (deadline === undefined || this.#deadline === undefined) return deadline ?? this.#deadline;
    return Math.min(deadline, this.#deadline);
  }

  addAnnotation(key: string, value: string, level: AnnotationLevel = 'Metadata'): string | undefined {
    return addAnnotation(this.#exchange, key, { level, value });
  }
}
