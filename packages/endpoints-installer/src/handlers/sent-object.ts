import type { KubeObject } from '@apiserver/apimachinery';
import { cloneSent } from '@apiserver/apimachinery/json';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { auditRequestObject } from '../body/audit-request-object.js';
import { decodeBody, type SentBody } from '../body/decode-body.js';
import { isLargeBody, yieldFor } from '../body/event-loop-turns.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { checkName, ensureNamespace } from './object-meta.js';
import { dedupOwnerReferences } from './owner-references.js';
import { requestNamespace } from './request-target.js';

/** The object of an update, from which each attempt starts. */
export interface SentObject {
  /** "" if the client sends none. */
  readonly uid: string;
  /** The object for one attempt, which may change it. */
  take(): KubeObject | Promise<KubeObject>;
}

/** The target and the form of a sent object. */
export interface Sent {
  readonly name: string;
  readonly body: SentBody;
  readonly directive: ValidationDirective;
}

/**
 * Decodes the object of an update. Each attempt gets a copy of a small object. Of a large one, the first attempt gets
 * the object itself and later ones decode it again: a copy takes much memory, and few updates need a second attempt.
 * The same holds for callers in this process: their object was copied once already, and stays as it is.
 * Throws as `decodeBody` does, and a 400 for another name or namespace.
 */
export function sentObject(scope: EndpointScope, exchange: Exchange, sent: Sent): SentObject | Promise<SentObject> {
  const checked = (object: KubeObject) => checkSent(scope, exchange, sent.name, object);
  const decode = (directive: ValidationDirective) => {
    const decoded = decodeBody(scope, exchange, sent.body, directive);
    return decoded instanceof Promise ? decoded.then(checked) : checked(decoded);
  };
  const { body } = sent;
  const isTakenOnce = body === undefined || isLargeBody(body.bytes, body.mediaType);
  const make = isTakenOnce ? (object: KubeObject) => new ObjectTakenOnce(object, () => decode('Ignore')) : copied;
  const decoded = decodeBody(scope, exchange, sent.body, sent.directive);
  const first = (object: KubeObject) => {
    const auditing = auditRequestObject(scope, exchange, object, body && yieldFor(body.bytes, body.mediaType));
    return auditing === undefined ? make(checked(object)) : auditing.then(() => make(checked(object)));
  };
  return decoded instanceof Promise ? decoded.then(first) : first(decoded);
}

function checkSent(scope: EndpointScope, exchange: Exchange, name: string, object: KubeObject): KubeObject {
  ensureNamespace(object, requestNamespace(scope, exchange));
  checkName(object, name);
  dedupOwnerReferences(object, exchange.context.warnings, 'request');
  return object;
}

function copied(object: KubeObject): SentObject {
  return { uid: object.metadata.uid ?? '', take: () => cloneSent(object) };
}

class ObjectTakenOnce implements SentObject {
  readonly uid: string;
  readonly #decode: () => KubeObject | Promise<KubeObject>;
  /** Undefined after the first attempt has taken it. */
  #object: KubeObject | undefined;

  constructor(object: KubeObject, decode: () => KubeObject | Promise<KubeObject>) {
    this.uid = object.metadata.uid ?? '';
    this.#object = object;
    this.#decode = decode;
  }

  take(): KubeObject | Promise<KubeObject> {
    const object = this.#object;
    this.#object = undefined;
    return object ?? this.#decode();
  }
}
