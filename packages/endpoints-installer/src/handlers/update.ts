import type { KubeObject, UpdateOptions } from '@apiserver/apimachinery';
import type { ApiResponse, Exchange, UpdatedObjectInfo, Updater, ValidateObject } from '@apiserver/apiserver-contracts';
import type { OpenedBody } from '../body/body-kind.js';
import { bodyMediaType } from '../body/decode-body.js';
import { yieldFor } from '../body/event-loop-turns.js';
import { isUntrackableScale } from '../body/untrackable-scale.js';
import { trackWrite } from '../managed-fields/track-write.js';
import { parseUpdateOptions, validationDirective } from '../options/write-options.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { type AdmissionRequest, admit, createValidation, updateValidation } from './admission.js';
import { withCreateAuthorization } from './authorize-create.js';
import { finishRequest, respondBy } from './finish-request.js';
import { negotiate } from './negotiate.js';
import { dedupOwnerReferences } from './owner-references.js';
import { attributesNamespace, fieldManagerOf, requestName, verbContextOf } from './request-target.js';
import { retryUntracked } from './retry-untracked.js';
import { type SentObject, sentObject } from './sent-object.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/update.go */
export async function handleUpdate(scope: EndpointScope, storage: Updater, exchange: Exchange): Promise<ApiResponse> {
  const name = requestName(exchange);
  const deadline = respondBy();
  const output = negotiate(scope, exchange);
  const { request } = exchange;
  // Unlike a create, an update reports errors of its size and options before those of its encoding.
  const bytes = request.inProcess ? undefined : await request.readBody(scope.environment.maxRequestBodyBytes);
  const { span } = exchange.context;
  const length = bytes?.length ?? 0;
  if (bytes !== undefined) scope.environment.metrics.requestBody(scope.resource, 'update', length);
  span?.addEvent('limitedReadBody succeeded', { len: length });
  const options = parseUpdateOptions(request.query);
  let isTrackable = true;
  const onOpened = (opened: OpenedBody) => {
    isTrackable = !isUntrackableScale(scope, opened);
  };
  const body = bytes && { bytes, mediaType: bodyMediaType(scope, exchange), onOpened };
  span?.addEvent('About to convert to expected version');
  const decoding = sentObject(scope, exchange, { name, body, directive: validationDirective(options) });
  const sent = decoding instanceof Promise ? await decoding : decoding;
  span?.addEvent('Conversion done');
  const target = updateTarget(scope, exchange, { name, options, deadline });
  span?.addEvent('About to store object in database');
  const { stored, created } = await finishRequest(scope, deadline, () =>
    retryUntracked((tracked) =>
      storage.update(verbContextOf(scope, exchange, yieldFor(bytes, body?.mediaType), output), {
        ...target.validations,
        name,
        objectInfo: replacement(target, sent, tracked && isTrackable),
        forceAllowCreate: false,
        options,
      }),
    ),
  );
  span?.addEvent('Write to database call succeeded', { len: length });
  return respondObject(scope, exchange, stored, { status: created ? 201 : 200, output });
}

/** The admission context of an update or patch, which may become a create. */
export interface UpdateTarget {
  /** Nearly all updates change an existing object. */
  readonly create: () => AdmissionRequest;
  readonly update: AdmissionRequest;
  readonly validations: {
    readonly validateCreate: ReturnType<typeof createValidation>;
    readonly validateUpdate: ReturnType<typeof updateValidation>;
  };
}

/** Prepares admission for an update or patch of `name`. */
export function updateTarget(
  scope: EndpointScope,
  exchange: Exchange,
  { name, options, deadline }: { readonly name: string; readonly options: UpdateOptions; readonly deadline: number },
): UpdateTarget {
  const common = { scope, exchange, namespace: attributesNamespace(scope, exchange), name, options, deadline };
  const update: AdmissionRequest = { ...common, operation: 'UPDATE' };
  const create = (): AdmissionRequest => ({ ...common, operation: 'CREATE' });
  let creating: ValidateObject<KubeObject> | undefined;
  const validateCreate: ValidateObject<KubeObject> = (object) => {
    creating ??= withCreateAuthorization(scope, exchange, common, createValidation(create()));
    return creating(object);
  };
  return { create, update, validations: { validateCreate, validateUpdate: updateValidation(update) } };
}

/** Runs mutating admission on the new object of an update, in place, in each attempt. */
export function admitUpdate(
  target: UpdateTarget,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<void> | void {
  const { warnings } = target.update.exchange.context;
  const pending = admit(old === undefined ? target.create() : target.update, object, old);
  if (pending === undefined) return dedupOwnerReferences(object, warnings, 'admission');
  return pending.then(() => dedupOwnerReferences(object, warnings, 'admission'));
}

/** Every attempt starts from the object that the client sent. */
function replacement(target: UpdateTarget, sent: SentObject, tracked: boolean): UpdatedObjectInfo<KubeObject> {
  const { uid } = sent;
  const { scope, exchange, options } = target.update;
  const manager = fieldManagerOf(exchange, options);
  return {
    ...(uid !== '' && { preconditions: { uid } }),
    updatedObject: async ({ yieldToEventLoop }, old) => {
      const taken = sent.take();
      const fresh = taken instanceof Promise ? await taken : taken;
      if (yieldToEventLoop !== undefined) await yieldToEventLoop();
      if (!tracked) delete fresh.metadata.managedFields;
      else {
        const tracking = trackWrite(scope, { old, object: fresh, manager }, yieldToEventLoop);
        if (tracking instanceof Promise) await tracking;
        if (yieldToEventLoop !== undefined) await yieldToEventLoop();
      }
      await admitUpdate(target, fresh, old);
      return fresh;
    },
  };
}
