import type { CreateOptions, KubeObject, Status } from '@apiserver/apimachinery';
import { cloneJson, cloneJsonSteps } from '@apiserver/apimachinery/json';
import type { ApiResponse, Creater, Exchange, StoredObject } from '@apiserver/apiserver-contracts';
import { auditRequestObject } from '../body/audit-request-object.js';
import { bodyMediaType, decodeBody } from '../body/decode-body.js';
import { inTurns, type YieldToEventLoop, yieldFor } from '../body/event-loop-turns.js';
import { trackWrite } from '../managed-fields/track-write.js';
import type { OutputMediaType } from '../negotiation/negotiate-output.js';
import { parseCreateOptions, validationDirective } from '../options/write-options.js';
import { respondStatus } from '../responses/respond-error.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { type AdmissionRequest, admit, createValidation } from './admission.js';
import { finishRequest, respondBy } from './finish-request.js';
import { negotiate } from './negotiate.js';
import { ensureNamespace, wipeSystemFields } from './object-meta.js';
import { dedupOwnerReferences } from './owner-references.js';
import { fieldManagerOf, requestInfoOf, requestNamespace, verbContextOf } from './request-target.js';
import { retryUntracked } from './retry-untracked.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go */
export async function handleCreate(scope: EndpointScope, storage: Creater, exchange: Exchange): Promise<ApiResponse> {
  const deadline = respondBy();
  const output = negotiate(scope, exchange);
  const { request } = exchange;
  // A 415 precedes a 413, and both precede errors of options.
  const mediaType = request.inProcess ? undefined : bodyMediaType(scope, exchange);
  let body = mediaType && { bytes: await request.readBody(scope.environment.maxRequestBodyBytes), mediaType };
  const { span } = exchange.context;
  const length = body?.bytes.length ?? 0;
  if (body !== undefined) scope.environment.metrics.requestBody(scope.resource, 'create', length);
  span?.addEvent('limitedReadBody succeeded', { len: length });
  const options = parseCreateOptions(request.query);
  const yieldToEventLoop = yieldFor(body?.bytes, body?.mediaType);
  span?.addEvent('About to convert to expected version');
  const decoded = decodeBody(scope, exchange, body, validationDirective(options));
  // The body is not in memory beside the object.
  body = undefined;
  const object = decoded instanceof Promise ? await decoded : decoded;
  span?.addEvent('Conversion done');
  const auditing = auditRequestObject(scope, exchange, object, yieldToEventLoop);
  if (auditing !== undefined) await auditing;
  span?.addEvent('About to store object in database');
  const stored = await finishRequest(scope, deadline, () =>
    create(scope, storage, exchange, { object, options, deadline, yieldToEventLoop, output }),
  );
  span?.addEvent('Write to database call succeeded', { len: length });
  // Stored objects are not checked, because that would decode them.
  if (stored.resourceVersion === '' && isStatus(stored.object)) {
    return respondStatus(exchange, 201, { ...stored.object, code: 201 }, { output, cbor: scope.environment.cbor });
  }
  return respondObject(scope, exchange, stored, { status: 201, output });
}

/** The response to an order without an object. */
function isStatus(object: object): object is Status {
  return 'kind' in object && object.kind === 'Status' && 'apiVersion' in object && object.apiVersion === 'v1';
}

interface CreateInput {
  readonly object: KubeObject;
  readonly options: CreateOptions;
  readonly deadline: number;
  readonly yieldToEventLoop?: YieldToEventLoop;
  /** The form of the response. */
  readonly output: OutputMediaType | undefined;
}

function create(
  scope: EndpointScope,
  storage: Creater,
  exchange: Exchange,
  { object, options, deadline, yieldToEventLoop, output }: CreateInput,
): Promise<StoredObject> {
  const { warnings } = exchange.context;
  if (!scope.definition.subresources[scope.subresource]?.preservesSystemFields) wipeSystemFields(object);
  ensureNamespace(object, requestNamespace(scope, exchange));
  dedupOwnerReferences(object, warnings, 'request');
  const manager = fieldManagerOf(exchange, options);
  const request = admissionRequest(scope, exchange, { object, options, deadline });
  const store = () => {
    dedupOwnerReferences(object, warnings, 'admission');
    const storing = (sent: KubeObject) =>
      storage.create(
        verbContextOf(scope, exchange, yieldToEventLoop, output),
        sent,
        createValidation(request),
        options,
      );
    return retryUntracked((tracked) => {
      if (tracked) return storing(object);
      if (yieldToEventLoop === undefined) return storing(cloneJson(withoutManagers(object)));
      const copying = inTurns(cloneJsonSteps(withoutManagers(object)), yieldToEventLoop);
      return copying.then((sent) => yieldToEventLoop().then(() => storing(sent)));
    });
  };
  const admitted = () => admit(request, object, undefined)?.then(store) ?? store();
  const tracking = trackWrite(scope, { old: undefined, object, manager }, yieldToEventLoop);
  if (yieldToEventLoop !== undefined) {
    return Promise.resolve(tracking).then(yieldToEventLoop).then(admitted);
  }
  return tracking instanceof Promise ? tracking.then(admitted) : admitted();
}

/** Its copy may be changed: the object is frozen after validating admission. */
function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function admissionRequest(
  scope: EndpointScope,
  exchange: Exchange,
  { object, options, deadline }: Pick<CreateInput, 'object' | 'options' | 'deadline'>,
): AdmissionRequest {
  const info = requestInfoOf(exchange);
  const name = info.name === '' ? (object.metadata.name ?? '') : info.name;
  const isNamespace = scope.resource.group === '' && scope.resource.resource === 'namespaces';
  const namespace = isNamespace ? name : requestNamespace(scope, exchange);
  return { scope, exchange, operation: 'CREATE', namespace, name, options, deadline };
}
