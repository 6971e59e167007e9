import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '../field/index.js';
import { isDNS1123Subdomain } from './dns-name.js';
import { patternMessage } from './messages.js';

/** The characters of a path in RFC 3986, including escapes. */
const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const PATH_FAULT = patternMessage('Invalid path', "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");

/**
 * Validates a path prefixed with a domain, such as `example.com/controller`.
 * Upstream: IsDomainPrefixedPath of k8s.io/apimachinery/pkg/util/validation/validation.go
 */
export function validateDomainPrefixedPath(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [fieldRequired(path, '')];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 0 || host === '' || rest === '') {
    return [fieldInvalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = isDNS1123Subdomain(host).map((fault) => fieldInvalid(path, host, fault));
  return PATH.test(rest) ? errors : [...errors, fieldInvalid(path, rest, PATH_FAULT)];
}
