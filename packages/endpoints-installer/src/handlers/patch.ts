import { type KubeObject, newNotFound, type PatchOptions, type UpdateOptions } from '@apiserver/apimachinery';
import type { ApiResponse, Exchange, UpdatedObjectInfo, Updater } from '@apiserver/apiserver-contracts';
import { bareMediaType, unsupportedMediaType } from '../negotiation/negotiate-input.js';
import { parsePatchOptions, validationDirective } from '../options/write-options.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { finishRequest } from './finish-request.js';
import { negotiate } from './negotiate.js';
import { checkName, ensureNamespace } from './object-meta.js';
import { type PatchMechanism, type PatchType, patchMechanism, patchTypes } from './patch-mechanism.js';
import { requestName, requestNamespace, verbContextOf } from './request-target.js';
import { admitUpdate, type UpdateTarget, updateTarget } from './update.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go */
export async function handlePatch(scope: EndpointScope, storage: Updater, exchange: Exchange): Promise<ApiResponse> {
  const type = patchTypeOf(scope, exchange);
  const name = requestName(exchange);
  const output = negotiate(scope, exchange);
  const bytes = await exchange.request.readBody(scope.environment.maxRequestBodyBytes);
  const options = parsePatchOptions(exchange.request.query);
  const mechanism = patchMechanism({ scope, exchange, type, bytes, directive: validationDirective(options) });
  const updateOptions = toUpdateOptions(options);
  const target = updateTarget(scope, exchange, { name, options: updateOptions });
  const { stored, created } = await finishRequest(
    storage.update(verbContextOf(scope, exchange), {
      ...target.validations,
      name,
      objectInfo: patched(target, mechanism),
      forceAllowCreate: false,
      options: updateOptions,
    }),
  );
  return respondObject(scope, exchange, stored, { status: created ? 201 : 200, output });
}

function patchTypeOf(scope: EndpointScope, exchange: Exchange): PatchType {
  const supported = patchTypes(scope.codec.schema.semantics);
  const named = bareMediaType(exchange.request.headers.get('content-type') ?? '');
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

/** The patch is applied anew to whatever is stored when the update is tried. */
function patched(target: UpdateTarget, mechanism: PatchMechanism): UpdatedObjectInfo<KubeObject> {
  const { scope, exchange, name } = target.update;
  return {
    updatedObject: async (_context, old) => {
      if (old === undefined) throw newNotFound(scope.resource, name);
      const object = mechanism.apply(old);
      ensureNamespace(object, requestNamespace(scope, exchange));
      checkName(object, name);
      await admitUpdate(target, object, old);
      return object;
    },
  };
}
