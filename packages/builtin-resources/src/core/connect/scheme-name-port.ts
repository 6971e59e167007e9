import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';

/** The parts of the name in a proxy's path: `name`, `name:port` or `scheme:name:port`. */
export interface SchemeNamePort {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** "" if absent. */
  readonly port: string;
}

/**
 * Splits the name in a proxy's path. Throws a 400 that names the kind (`pod`, `service`, `node`).
 * Upstream: SplitSchemeNamePort in k8s.io/apimachinery/pkg/util/net/util.go
 */
export function splitSchemeNamePort(id: string, kind: string): SchemeNamePort {
  const parts = id.split(':');
  const [scheme, name, port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  const isScheme = scheme === '' || scheme === 'http' || scheme === 'https';
  if (parts.length > 3 || !isScheme || name === undefined || name === '') {
    throw newBadRequest(`invalid ${kind} request ${quote(id)}`);
  }
  return { scheme: scheme === '' ? 'http' : scheme, name, port };
}
