import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isDNS1123Subdomain, isValidPortNum } from '@apiserver/apimachinery/validation';

/** The service of a webhook, with its defaults. */
export interface ValidatedService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string | undefined;
  readonly port: number;
}

/**
 * Upstream passes the name and the namespace in each other's place: the error about a missing one names the other.
 * Upstream: ValidateWebhookService of k8s.io/apiserver/pkg/util/webhook/validation.go
 */
export function validateWebhookService(at: FieldPath, { namespace, name, path, port }: ValidatedService): FieldError[] {
  return [
    ...(namespace === '' ? [fieldRequired(at.child('name'), '')] : []),
    ...(name === '' ? [fieldRequired(at.child('namespace'), '')] : []),
    ...portErrors(at.child('port'), port),
    ...(path === undefined ? [] : pathErrors(at.child('path'), path)),
  ];
}

function portErrors(at: FieldPath, port: number): FieldError[] {
  const faults = isValidPortNum(port);
  return faults.length === 0 ? [] : [fieldInvalid(at, port, `port is not valid: ${faults.join(', ')}`)];
}

function pathErrors(at: FieldPath, path: string): FieldError[] {
  if (path === '/' || path === '') return [];
  if (path === '//') return [fieldInvalid(at, path, 'segment[0] may not be empty')];
  const start = path.startsWith('/') ? [] : [fieldInvalid(at, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...start,
    ...steps.flatMap((step, i) => {
      if (step === '') return [fieldInvalid(at, path, `segment[${i}] may not be empty`)];
      return isDNS1123Subdomain(step).map((fault) => fieldInvalid(at, path, `segment[${i}]: ${fault}`));
    }),
  ];
}
