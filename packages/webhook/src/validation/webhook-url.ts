import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { schemeOf } from '@apiserver/apimachinery/validation';
import { urlFault } from '@apiserver/apimachinery/values';

const FORM = '; desired format: https://host[/path]';
/** A valid URL: authority, path, query, fragment. */
const PARTS =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/(?<authority>[^/?#]*))?[^?#]*(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/s;

/** Upstream: ValidateWebhookURL of k8s.io/apiserver/pkg/util/webhook/validation.go */
export function validateWebhookURL(path: FieldPath, url: string, mustBeHttps: boolean): FieldError[] {
  const fault = urlFault(url);
  if (fault !== undefined) {
    return [fieldRequired(path, `url must be a valid URL: ${fault}${FORM}`)];
  }
  const { authority = '', query = '', fragment = '' } = PARTS.exec(url)?.groups ?? {};
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const scheme = schemeOf(url);
  const errors: FieldError[] = [];
  if (mustBeHttps && scheme !== 'https') {
    errors.push(fieldInvalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (host === '') errors.push(fieldInvalid(path, host, `host must be specified${FORM}`));
  if (at !== -1) {
    const user = authority.slice(0, at);
    errors.push(fieldInvalid(path, user, 'user information is not permitted in the URL'));
  }
  if (fragment !== '') errors.push(fieldInvalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(fieldInvalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}
