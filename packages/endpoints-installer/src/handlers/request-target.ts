import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { Exchange, RequestInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { managerName } from '../managed-fields/manager-name.js';
import type { OutputMediaType } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** The RequestInfo of an exchange that a container has routed. Throws if there is none: a bug in the filter chain. */
export function requestInfoOf(exchange: Exchange): RequestInfo {
  const info = exchange.context.requestInfo;
  if (info === undefined) throw new TypeError('the requestInfo filter has not run');
  return info;
}

/** The namespace of a request; "" for cluster-scoped resources and for lists across namespaces. */
export function requestNamespace(scope: EndpointScope, exchange: Exchange): string {
  return scope.namespaced ? requestInfoOf(exchange).namespace : '';
}

/** The namespace for admission and authorization. For them a Namespace is in itself, as upstream. */
export function attributesNamespace(scope: EndpointScope, exchange: Exchange): string {
  const isNamespace = scope.resource.group === '' && scope.resource.resource === 'namespaces';
  return isNamespace ? requestInfoOf(exchange).namespace : requestNamespace(scope, exchange);
}

/** The name in the path. Throws a 400 if there is none. */
export function requestName(exchange: Exchange): string {
  const { name } = requestInfoOf(exchange);
  if (name === '') throw newBadRequest('name must be provided');
  return name;
}

/** The manager under which the managed fields of a write are recorded. */
export function fieldManagerOf({ request }: Exchange, options: { readonly fieldManager?: string }): string {
  return managerName(options.fieldManager, request.headers.get('user-agent'));
}

/**
 * The context for the verbs of a storage. Its signal is created on demand. `output` is the form of a write's response.
 */
export function verbContextOf(
  scope: EndpointScope,
  exchange: Exchange,
  yieldToEventLoop?: VerbContext['yieldToEventLoop'],
  output?: OutputMediaType,
): VerbContext {
  const isStoredForm = output?.mediaType === 'application/json' && scope.versionDefinition.fromHub === undefined;
  const readsResult = output !== undefined && (!isStoredForm || output.transform !== undefined);
  return new ExchangeContext(requestNamespace(scope, exchange), exchange, { yieldToEventLoop, readsResult });
}

interface ContextHints {
  readonly yieldToEventLoop: VerbContext['yieldToEventLoop'];
  readonly readsResult: boolean;
}

/** A class, because an object literal would define its getters again at every request. */
class ExchangeContext implements VerbContext {
  readonly namespace: string;
  readonly user: VerbContext['user'];
  readonly requestInfo: VerbContext['requestInfo'];
  readonly warnings: VerbContext['warnings'];
  yieldToEventLoop: VerbContext['yieldToEventLoop'];
  readonly readsResult: boolean;
  readonly #exchange: Exchange;

  constructor(namespace: string, exchange: Exchange, { yieldToEventLoop, readsResult }: ContextHints) {
    const { user, warnings, requestInfo } = exchange.context;
    this.namespace = namespace;
    this.user = user;
    this.requestInfo = requestInfo;
    this.warnings = warnings;
    this.yieldToEventLoop = yieldToEventLoop;
    this.readsResult = readsResult;
    this.#exchange = exchange;
  }

  get audit(): VerbContext['audit'] {
    return this.#exchange.context.audit;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}
