import type { KubeObject } from '@apiserver/apimachinery';
import { isNotFound, newInternalError } from '@apiserver/apimachinery/errors';
import type { LabelSelector } from '@apiserver/apimachinery/selectors';
import type { AdmissionAttributes, EndpointVersion, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { NAMESPACES } from '../namespace-lookup.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import type { MatchCriteria } from './match-criteria.js';
import { type ResourceRule, ruleMatches } from './resource-rule.js';

/**
 * Selects requests by rules and selectors. The informer of namespaces must have synced.
 * Upstream: ShouldCallHook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go, and
 * k8s.io/apiserver/pkg/admission/plugin/policy/matching
 */
export class RequestMatcher {
  readonly namespaces: Informer<KubeObject>;
  readonly #client: ResourceClient<KubeObject>;

  constructor({ informer, client }: Pick<AdmissionPluginDependencies, 'informer' | 'client'>) {
    this.namespaces = informer(NAMESPACES);
    this.#client = client.resource(NAMESPACES);
  }

  /**
   * The version in which the request is selected; undefined if it is not. The request's own version comes first. Only
   * a promise if a namespace must be read from the API. Throws a 404 for an unknown namespace, else a 500.
   */
  match(
    attributes: AdmissionAttributes,
    criteria: MatchCriteria,
  ): EndpointVersion | undefined | Promise<EndpointVersion | undefined> {
    const version = selectedVersion(attributes, criteria);
    if (version === undefined || !objectMatches(attributes, criteria)) return undefined;
    const matches = this.#namespaceMatches(attributes, criteria);
    if (matches === true) return version;
    if (matches === false) return undefined;
    return matches.then((isMatch) => (isMatch ? version : undefined));
  }

  /** A namespace, from the informer or else from the API. Rejects with a 404 if it does not exist. */
  namespaceOf(name: string): KubeObject | Promise<KubeObject> {
    return this.namespaces.get('', name) ?? this.#client.get('', name);
  }

  #namespaceMatches(attributes: AdmissionAttributes, criteria: MatchCriteria): boolean | Promise<boolean> {
    const { resource, namespace } = attributes;
    if (namespace === '' && resource.resource !== 'namespaces') return true;
    const selector = criteria.namespaceSelector;
    if (selector.empty) return true;
    if (isWrittenNamespace(attributes)) return selector.matches(attributes.object?.metadata.labels);
    const known = this.namespaces.get('', namespace);
    return known === undefined ? this.#liveMatches(namespace, selector) : selector.matches(known.metadata.labels);
  }

  async #liveMatches(name: string, selector: LabelSelector): Promise<boolean> {
    try {
      const { metadata } = await this.#client.get('', name);
      return selector.matches(metadata.labels);
    } catch (error) {
      throw isNotFound(error) ? error : newInternalError(error);
    }
  }
}

/** A namespace that is written is selected by its new labels. */
function isWrittenNamespace({ resource, subresource, operation }: AdmissionAttributes): boolean {
  return resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
}

/** Either the new or the old object may match. The options of a connection have no labels, and never match. */
function objectMatches({ operation, object, oldObject }: AdmissionAttributes, criteria: MatchCriteria): boolean {
  const selector = criteria.objectSelector;
  if (selector.empty) return true;
  if (operation === 'CONNECT') return false;
  return (
    (object !== undefined && selector.matches(object.metadata?.labels)) ||
    (oldObject !== undefined && selector.matches(oldObject.metadata?.labels))
  );
}

function selectedVersion(attributes: AdmissionAttributes, criteria: MatchCriteria): EndpointVersion | undefined {
  const { resourceRules, excludeResourceRules, isEquivalent, selectsAllWithoutRules } = criteria;
  if (matchingVersion(attributes, excludeResourceRules, isEquivalent) !== undefined) return undefined;
  if (selectsAllWithoutRules && resourceRules.length === 0) return attributes.scope;
  return matchingVersion(attributes, resourceRules, isEquivalent);
}

/** With equivalents, the first rule decides that selects any version. */
function matchingVersion(
  attributes: AdmissionAttributes,
  rules: readonly ResourceRule[],
  withEquivalents: boolean,
): EndpointVersion | undefined {
  const { scope, resource } = attributes;
  if (rules.some((rule) => ruleMatches(rule, attributes, resource))) return scope;
  if (!withEquivalents || rules.length === 0) return undefined;
  const equivalents = scope.equivalents();
  if (equivalents.length < 2) return undefined;
  for (const rule of rules) {
    const found = equivalents.find((other) => !isSame(other, scope) && ruleMatches(rule, attributes, other.resource));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSame({ resource: a }: EndpointVersion, { resource: b }: EndpointVersion): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}
