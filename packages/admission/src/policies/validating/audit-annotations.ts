import { Buffer } from 'node:buffer';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/** Most bytes of a value. Upstream: maxAuditAnnotationValueLength of the validating dispatcher */
const MAX_VALUE_BYTES = 10 * 1024;

/**
 * The audit annotations of one policy for one request. Different values of a key, by several bindings or parameters,
 * become one text.
 *
 * Upstream: auditAnnotationCollector of k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
 */
export class AuditAnnotations {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(cut(value)));
  }

  publish(policy: string, attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#values) attributes.addAnnotation(`${policy}/${key}`, [...values].join(', '));
  }
}

/** A part of a character at the end becomes a replacement character. */
function cut(value: string): string {
  const bytes = Buffer.from(value);
  return bytes.length <= MAX_VALUE_BYTES ? value : bytes.toString('utf8', 0, MAX_VALUE_BYTES);
}
