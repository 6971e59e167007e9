import type { KubeObject, PatchOptions, UpdateOptions } from '@apiserver/apimachinery';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, UpdatedObjectInfo, Updater } from '@apiserver/apiserver-contracts';
import { inTurns, yieldFor } from '../body/event-loop-turns.js';
import { type ReadYaml, readLargeYaml } from '../body/large-yaml.js';
import { patchMechanism } from '../body/patch-mechanism.js';
import type { PatchInput } from '../body/read-patch.js';
import { applyMechanism } from '../managed-fields/apply-configuration.js';
import { withConversions } from '../managed-fields/with-conversions.js';
import { unsupportedMediaType } from '../negotiation/negotiate-input.js';
import { APPLY_PATCH, type ApplyType, isApplyType, type PatchType, withApplyCbor } from '../negotiation/patch-types.js';
import { parsePatchOptions, validationDirective } from '../options/write-options.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { finishRequest, respondBy } from './finish-request.js';
import { negotiate } from './negotiate.js';
import { checkName, ensureNamespace } from './object-meta.js';
import { fieldManagerOf, requestName, requestNamespace, verbContextOf } from './request-target.js';
import { retryUntracked } from './retry-untracked.js';
import { admitUpdate, type UpdateTarget, updateTarget } from './update.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go */
export async function handlePatch(scope: EndpointScope, storage: Updater, exchange: Exchange): Promise<ApiResponse> {
  const type = patchTypeOf(scope, exchange);
  const name = requestName(exchange);
  const deadline = respondBy();
  const output = negotiate(scope, exchange);
  const bytes = await exchange.request.readBody(scope.environment.maxRequestBodyBytes);
  const { span } = exchange.context;
  scope.environment.metrics.requestBody(scope.resource, 'patch', bytes.length);
  span?.addEvent('limitedReadBody succeeded', { len: bytes.length });
  const isApply = isApplyType(type);
  const options = parsePatchOptions(exchange.request.query, { apply: isApply });
  exchange.context.audit?.requestPatch(bytes);
  span?.addEvent('Recorded the audit event');
  const updateOptions = toUpdateOptions(options);
  const target = updateTarget(scope, exchange, { name, options: updateOptions, deadline });
  const reading = type === APPLY_PATCH ? readLargeYaml(scope.environment, exchange, bytes) : undefined;
  const readYaml = reading && (await reading);
  const input: PatchRequest = { scope, exchange, name, bytes, options, readYaml };
  const change = isApplyType(type) ? applied(input, type) : patched(input, type);
  const write = (tracked: boolean) =>
    storage.update(verbContextOf(scope, exchange, yieldFor(bytes, type), output), {
      ...target.validations,
      name,
      objectInfo: changedObject(target, change, tracked),
      // A subresource never creates its parent.
      forceAllowCreate: isApply && scope.subresource === '',
      options: updateOptions,
    });
  const { stored, created } = await finishRequest(scope, deadline, () =>
    isApply ? write(true) : retryUntracked(write),
  );
  span?.addEvent('Object stored in database');
  return respondObject(scope, exchange, stored, { status: created ? 201 : 200, output });
}

function patchTypeOf(scope: EndpointScope, exchange: Exchange): PatchType {
  const supported = withApplyCbor(scope.resourcePolicy.patchTypes, scope.environment.cbor);
  const [named] = (exchange.request.headers.get('content-type') ?? '').split(';', 1);
  const found = supported.find((type) => type === named);
  if (found === undefined) throw unsupportedMediaType(supported);
  return found;
}

function toUpdateOptions({ dryRun, fieldManager, fieldValidation }: PatchOptions): UpdateOptions {
  return {
    ...(dryRun !== undefined && { dryRun }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(fieldValidation !== undefined && { fieldValidation }),
  };
}

interface PatchRequest {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options: PatchOptions;
  readonly readYaml: ReadYaml | undefined;
}

/** Creates the new object with its managed fields, from the stored one, in each attempt: synchronously, or in steps. */
interface Change {
  atOnce(old: KubeObject | undefined): KubeObject;
  inSteps(old: KubeObject | undefined): Generator<void, KubeObject>;
}

function patched({ scope, exchange, name, bytes, options }: PatchRequest, type: PatchInput['type']): Change {
  const mechanism = patchMechanism({ scope, exchange, type, bytes, directive: validationDirective(options) });
  const manager = fieldManagerOf(exchange, options);
  return {
    atOnce: (old) => {
      if (old === undefined) throw newNotFound(scope.resource, name);
      const object = mechanism.apply(old);
      scope.fieldManager.update(old, object, manager);
      return object;
    },
    inSteps: function* (old) {
      if (old === undefined) throw newNotFound(scope.resource, name);
      const object = yield* mechanism.applyInSteps(old);
      yield;
      yield* scope.fieldManager.updateInSteps(old, object, manager);
      yield;
      return object;
    },
  };
}

function applied({ scope, exchange, name, bytes, options, readYaml }: PatchRequest, type: ApplyType): Change {
  const { fieldManager: manager = '', force = false } = options;
  const mechanism = applyMechanism({
    scope,
    exchange,
    name,
    type,
    bytes,
    readYaml,
    manager,
    force,
    directive: validationDirective(options),
  });
  return { atOnce: (old) => mechanism.apply(old), inSteps: (old) => mechanism.applyInSteps(old) };
}

function changedObject(target: UpdateTarget, change: Change, tracked: boolean): UpdatedObjectInfo<KubeObject> {
  const { scope, exchange, name } = target.update;
  const checked = (object: KubeObject, old: KubeObject | undefined) => {
    ensureNamespace(object, requestNamespace(scope, exchange));
    checkName(object, name);
    const admitted = () => {
      if (!tracked) delete object.metadata.managedFields;
      return object;
    };
    exchange.context.span?.addEvent('About to check admission control');
    return admitUpdate(target, object, old)?.then(admitted) ?? admitted();
  };
  return {
    updatedObject: ({ yieldToEventLoop }, old) => {
      exchange.context.span?.addEvent('About to apply patch');
      const changing = withConversions(() => {
        if (yieldToEventLoop === undefined) return change.atOnce(old);
        return inTurns(change.inSteps(old), yieldToEventLoop);
      });
      return changing instanceof Promise ? changing.then((object) => checked(object, old)) : checked(changing, old);
    },
  };
}
