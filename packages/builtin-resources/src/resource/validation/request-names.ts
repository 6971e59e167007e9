import type { DeviceClaim } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateSet } from './bounded-collections.js';

/** Maximum number of requests of a claim, and of references to them. */
export const MAX_REQUESTS = 32;

/** The requests of a claim, for references to them: `request` or `request/subrequest`. */
export class RequestNames {
  readonly #names: ReadonlySet<string>;

  constructor({ requests }: DeviceClaim) {
    this.#names = new Set(
      (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
        name,
        ...firstAvailable.map((sub) => `${name}/${sub.name}`),
      ]),
    );
  }

  /** Upstream: validateRequestNameRef of pkg/apis/resource/validation/validation.go */
  validateReference(name: string, path: FieldPath): FieldError[] {
    const detail =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    const segments = name.split('/');
    const errors = segments.length > 2 ? [] : segments.flatMap((segment) => validateDNS1123Label(segment, path));
    return this.#names.has(name) ? errors : [...errors, fieldInvalid(path, name, detail)];
  }

  /** The references must be distinct; none stands for all requests. */
  validateReferences(names: readonly string[] | undefined, path: FieldPath): FieldError[] {
    const validate = (name: string, at: FieldPath) => this.validateReference(name, at);
    return validateSet(names ?? [], { max: MAX_REQUESTS, validate, keyOf: (name) => name }, path);
  }
}
