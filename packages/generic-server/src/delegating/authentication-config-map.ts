import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isForbidden, isNotFound } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Logger } from '@apiserver/apiserver-contracts';
import { createInformer, selectingClient } from '@apiserver/registry-store';
import { type RestSender, remoteResourceClient } from '@apiserver/rest-client';
import type { AuthoritySource } from '../dynamic-certificates/authority-source.js';
import { ConfigMapAuthorities } from './config-map-authorities.js';

/** The ConfigMap of the core server with the authorities that extension servers trust. */
export const AUTHENTICATION_NAMESPACE = 'kube-system';
export const AUTHENTICATION_NAME = 'extension-apiserver-authentication';

/** Headers in which a proxy names users, and the accepted names in its certificate. */
interface RequestHeaderLists {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

const noLists: RequestHeaderLists = {
  usernameHeaders: [],
  uidHeaders: [],
  groupHeaders: [],
  extraHeaderPrefixes: [],
  allowedNames: [],
};

/** Dependencies of the ConfigMap's followers. */
export interface AuthenticationConfigMapOptions {
  readonly client: RestSender;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * The trust settings of the core server: the last usable contents.
 * Upstream: DynamicRequestHeaderController of k8s.io/apiserver/pkg/server/options, ConfigMapCAController of
 * …/dynamiccertificates
 */
export class AuthenticationConfigMap {
  /** The authorities of clients. */
  readonly clientCA: AuthoritySource;
  /** The authorities of the core server's proxy. */
  readonly requestHeaderCA: AuthoritySource;
  readonly #options: AuthenticationConfigMapOptions;
  readonly #clientCA: ConfigMapAuthorities;
  readonly #requestHeaderCA: ConfigMapAuthorities;
  #lists: RequestHeaderLists = noLists;

  constructor(options: AuthenticationConfigMapOptions) {
    const { logger } = options;
    this.#options = options;
    this.#clientCA = new ConfigMapAuthorities(nameOf('client-ca-file'), logger);
    this.#requestHeaderCA = new ConfigMapAuthorities(nameOf('requestheader-client-ca-file'), logger);
    this.clientCA = this.#clientCA;
    this.requestHeaderCA = this.#requestHeaderCA;
  }

  /** The headers in which the proxy names users, and the proxy's names. */
  get lists(): RequestHeaderLists {
    return this.#lists;
  }

  /**
   * Reads the ConfigMap once. A missing one has no effect. Throws if it cannot be read, or if a value is not a list of
   * names.
   */
  async read(): Promise<void> {
    try {
      this.#take(await this.#configMaps().get(AUTHENTICATION_NAMESPACE, AUTHENTICATION_NAME));
    } catch (error) {
      if (isNotFound(error)) return;
      if (isForbidden(error)) this.#options.logger.warning(forbidden);
      throw error;
    }
  }

  /** Follows the changes of the ConfigMap until the result is disposed. */
  follow(): AsyncDisposable {
    const { clock, random, logger } = this.#options;
    const informer = createInformer({
      client: selectingClient(this.#configMaps(), { fieldSelector: `metadata.name=${AUTHENTICATION_NAME}` }),
      namespace: AUTHENTICATION_NAMESPACE,
      clock,
      random: (bound) => Math.floor(random() * bound),
      logger: logger.named('informer'),
    });
    const take = (configMap: ConfigMap) => this.#takeOrLog(configMap);
    informer.subscribe({ added: take, updated: take });
    return informer;
  }

  #configMaps() {
    return remoteResourceClient<ConfigMap>(this.#options.client, { group: '', version: 'v1', resource: 'configmaps' });
  }

  #takeOrLog(configMap: ConfigMap): void {
    try {
      this.#take(configMap);
    } catch (error) {
      this.#options.logger.error(error, 'Unable to read the request headers of the ConfigMap, the old ones stay', {
        namespace: AUTHENTICATION_NAMESPACE,
        name: AUTHENTICATION_NAME,
      });
    }
  }

  #take({ data = {} }: ConfigMap): void {
    this.#clientCA.take(data['client-ca-file'] ?? '');
    this.#requestHeaderCA.take(data['requestheader-client-ca-file'] ?? '');
    const lists = listsOf(data);
    if (equalJson(lists, this.#lists)) return;
    this.#lists = lists;
    this.#options.logger.v(2)?.info('Loaded a new request header values for RequestHeaderAuthRequestController');
  }
}

/** Upstream: RunOnce of RequestHeaderAuthRequestController */
const forbidden = `Unable to get configmap/${AUTHENTICATION_NAME} in ${AUTHENTICATION_NAMESPACE}.  Usually fixed by 'kubectl create rolebinding -n ${AUTHENTICATION_NAMESPACE} ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'`;

function nameOf(key: string): string {
  return `client-ca::${AUTHENTICATION_NAMESPACE}::${AUTHENTICATION_NAME}::${key}`;
}

function listsOf(data: Readonly<Record<string, string>>): RequestHeaderLists {
  return {
    usernameHeaders: namesIn(data, 'requestheader-username-headers'),
    uidHeaders: namesIn(data, 'requestheader-uid-headers'),
    groupHeaders: namesIn(data, 'requestheader-group-headers'),
    extraHeaderPrefixes: namesIn(data, 'requestheader-extra-headers-prefix'),
    allowedNames: namesIn(data, 'requestheader-allowed-names'),
  };
}

/** Throws for a value that is not a list of names. */
function namesIn(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  const { [key]: text = '' } = data;
  if (text === '') return [];
  const value: unknown = JSON.parse(text);
  if (value === null) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new Error(`${key} must be a list of names`);
}
