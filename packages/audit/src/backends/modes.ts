import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';

/** The ways in which requests and a backend wait for each other, in upstream's order. */
export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;

/** A backend that tells callers about the end of a delivery for less than its success costs. */
export interface SharedDelivery {
  /** Takes events as `process` does. Calls of one turn of the event loop may share the promise. */
  deliver(records: readonly AuditRecord[]): true | Promise<true>;
}

/** Waits for the delivery, but not for its success. Upstream: ignoreErrorsBackend of pkg/server/options */
export function ignoringErrors(backend: AuditBackend & Partial<SharedDelivery>): AuditBackend {
  return {
    name: `ignoreErrors<${backend.name}>`,
    isStrict: false,
    process: (records) => {
      if (backend.deliver !== undefined) return backend.deliver(records);
      const processed = backend.process(records);
      return processed instanceof Promise ? processed.then(() => true) : true;
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

/** Sends events to several backends. Upstream: Union of k8s.io/apiserver/pkg/audit */
export function unionBackend(backends: readonly AuditBackend[]): AuditBackend | undefined {
  const [only] = backends;
  if (backends.length <= 1) return only;
  return {
    name: `union[${backends.map(({ name }) => name).join(',')}]`,
    isStrict: backends.some(({ isStrict }) => isStrict),
    process: (records: readonly AuditRecord[]) => {
      const processed = backends.map((backend) => backend.process(records));
      if (!processed.some((result) => result instanceof Promise)) return !processed.includes(false);
      return Promise.all(processed).then((results) => !results.includes(false));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(backends.map((backend) => backend[Symbol.asyncDispose]()));
    },
  };
}
