import type { Signatures } from '../check/declarations.js';

/** Upstream: k8s.io/apiserver/pkg/cel/library/urls.go */
export const URL_FUNCTIONS: Signatures = {
  getEscapedPath: ['url_get_escaped_path: kubernetes.URL.() -> string'],
  getHost: ['url_get_host: kubernetes.URL.() -> string'],
  getHostname: ['url_get_hostname: kubernetes.URL.() -> string'],
  getPort: ['url_get_port: kubernetes.URL.() -> string'],
  getQuery: ['url_get_query: kubernetes.URL.() -> map(string, list(string))'],
  getScheme: ['url_get_scheme: kubernetes.URL.() -> string'],
  isURL: ['is_url_string: (string) -> bool'],
  url: ['string_to_url: (string) -> kubernetes.URL'],
};
