import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import type { RequestMatcher } from '../../matching/request-matcher.js';
import { namespaceObject } from './namespace-object.js';

/** The namespace of a request, as expressions see it. It is looked up at most once. */
export class RequestNamespace {
  readonly #attributes: AdmissionAttributes;
  readonly #matcher: RequestMatcher;
  #found: Promise<object> | undefined;

  constructor(attributes: AdmissionAttributes, matcher: RequestMatcher) {
    this.#attributes = attributes;
    this.#matcher = matcher;
  }

  /** Undefined for cluster-scoped objects, and for namespaces. Rejects with a 404 for an unknown namespace. */
  async get(): Promise<object | undefined> {
    const { kind, namespace } = this.#attributes;
    if (namespace === '' || (kind.kind === 'Namespace' && kind.group === '' && kind.version === 'v1')) return undefined;
    this.#found ??= Promise.resolve(this.#matcher.namespaceOf(namespace)).then(namespaceObject);
    return this.#found;
  }
}
